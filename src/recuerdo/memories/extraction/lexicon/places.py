"""Towns and countries that people write about in lower case too, and what one lives in that is not a town."""

from collections.abc import Sequence

from recuerdo.core.memories import Attribute
from recuerdo.core.words import word_set
from recuerdo.memories.extraction.words import Word

KNOWN = word_set("""
tepito moema donosti bangu mossoro gasteiz iruna la_coru elche sp alphaville madrid barcelona valencia sevilla
zaragoza malaga murcia palma bilbao alicante cordoba valladolid vigo gijon granada vitoria elche oviedo badalona
cartagena terrassa jerez sabadell mostoles alcala pamplona almeria leganes getafe burgos santander donostia
san_sebastian albacete salamanca logrono badajoz huelva lleida tarragona leon cadiz jaen ourense girona lugo caceres
toledo segovia avila cuenca huesca teruel soria palencia zamora tenerife las_palmas ibiza buenos_aires caba rosario
mendoza la_plata mar_del_plata tucuman salta neuquen bariloche ushuaia posadas resistencia corrientes parana
bahia_blanca santa_fe san_juan jujuy quilmes cdmx df ciudad_de_mexico mexico guadalajara monterrey puebla tijuana
queretaro merida cancun toluca oaxaca morelia chihuahua hermosillo saltillo culiacan veracruz zapopan aguascalientes
san_luis_potosi bogota medellin cali barranquilla bucaramanga pereira manizales ibague cucuta santa_marta lima
arequipa trujillo cusco cuzco piura chiclayo iquitos santiago valparaiso concepcion temuco antofagasta vina_del_mar
quito guayaquil caracas maracaibo maracay barquisimeto la_paz santa_cruz cochabamba sucre asuncion montevideo
punta_del_este san_jose panama ciudad_de_panama managua tegucigalpa san_pedro_sula san_salvador guatemala la_habana
habana santo_domingo san_juan_de_puerto_rico puerto_rico lisboa porto braga coimbra aveiro faro setubal evora funchal
guimaraes viseu leiria almada amadora sintra cascais sao_paulo rio_de_janeiro rio brasilia salvador fortaleza
belo_horizonte bh manaus curitiba recife goiania belem porto_alegre guarulhos campinas sao_luis maceio natal teresina
joao_pessoa florianopolis floripa santos niteroi ribeirao_preto uberlandia sorocaba aracaju cuiaba campo_grande
londrina joinville juiz_de_fora vitoria osasco blumenau macapa palmas london manchester birmingham leeds glasgow
edinburgh liverpool bristol cardiff belfast dublin cambridge oxford brighton new_york new_york_city nyc brooklyn
los_angeles la chicago houston phoenix philadelphia san_antonio san_diego dallas austin san_francisco seattle denver
boston miami atlanta portland las_vegas detroit nashville baltimore minneapolis tampa orlando sacramento pittsburgh
cleveland washington washington_dc san_jose oakland honolulu toronto montreal vancouver ottawa calgary edmonton sydney
melbourne brisbane perth adelaide auckland wellington paris lyon marseille berlin munich hamburg frankfurt cologne
rome roma milan milano naples turin venice florence vienna viena zurich geneva ginebra bern brussels bruselas
amsterdam rotterdam the_hague copenhagen stockholm oslo helsinki warsaw prague praga budapest bucharest athens atenas
istanbul moscow moscu kiev kyiv tokyo tokio osaka seoul beijing shanghai hong_kong singapore singapur bangkok delhi
mumbai bangalore dubai cairo lagos nairobi johannesburg luanda maputo tel_aviv jerusalem londres berlim munique
nova_york nova_iorque paris toquio genebra bruxelas texas california florida andalucia galicia cataluna pais_vasco
minas_gerais bahia parana algarve alentejo madeira acores edomex ecatepec nezahualcoyotl tlalnepantla naucalpan celaya
irapuato guanajuato zacatecas durango torreon reynosa matamoros nuevo_laredo ciudad_juarez juarez mexicali ensenada
los_cabos cabo_san_lucas mazatlan los_mochis tepic puerto_vallarta colima manzanillo cuernavaca acapulco pachuca
tlaxcala xalapa jalapa coatzacoalcos villahermosa tuxtla tuxtla_gutierrez san_cristobal tapachula campeche
playa_del_carmen tulum chetumal uruapan ciudad_obregon nogales metepec san_pedro apodaca tlaquepaque tonala soacha
envigado itagui bello rionegro armenia neiva pasto popayan tunja villavicencio monteria sincelejo valledupar riohacha
palmira buga tulua florencia yopal quibdo leticia chia zipaquira sabaneta san_luis catamarca la_rioja
santiago_del_estero formosa concordia rio_cuarto villa_maria san_rafael comodoro comodoro_rivadavia trelew
rio_gallegos rafaela tandil olavarria junin pergamino moron lanus avellaneda lomas_de_zamora san_isidro vicente_lopez
tigre pilar palermo caballito villa_crespo zarate campana esquel viedma general_roca cipolletti conce chillan talca
rancagua curico valdivia osorno puerto_montt punta_arenas iquique arica calama copiapo la_serena coquimbo quilpue vina
maipu puente_alto nunoa providencia las_condes la_florida san_bernardo linares coyhaique huancayo chimbote tacna puno
ayacucho cajamarca huanuco pucallpa ica juliaca miraflores ambato loja machala manta portoviejo riobamba ibarra
esmeraldas duran barinas puerto_ordaz ciudad_guayana maturin oruro potosi tarija trinidad ciudad_del_este encarnacion
luque san_lorenzo salto paysandu rivera maldonado colonia heredia alajuela cartago liberia limon david colon santa_ana
san_miguel quetzaltenango xela antigua escuintla choluteca la_ceiba comayagua masaya esteli santiago_de_los_caballeros
la_romana higuey ponce bayamon mayaguez camaguey holguin matanzas cienfuegos fuenlabrada alcorcon parla torrejon
alcobendas hospitalet l'hospitalet mataro reus manresa figueres castellon sagunto torrent gandia benidorm torrevieja
orihuela lorca marbella fuengirola estepona torremolinos algeciras dos_hermanas utrera ubeda motril plasencia
ciudad_real talavera ponferrada ferrol a_coruna la_coruna coruna santiago_de_compostela pontevedra aviles mieres getxo
barakaldo portugalete eibar irun tudela calahorra santa_cruz_de_tenerife la_laguna telde arrecife ceuta melilla
mallorca menorca formentera sampa rj poa ssa bsb jampa bauru piracicaba jundiai sao_jose_dos_campos
sao_jose_do_rio_preto taubate mogi_das_cruzes mogi suzano diadema maua santo_andre sao_bernardo sao_bernardo_do_campo
sao_caetano sao_vicente praia_grande guaruja cubatao barueri carapicuiba cotia itapevi taboao americana limeira
araraquara sao_carlos marilia presidente_prudente aracatuba indaiatuba sumare hortolandia duque_de_caxias caxias
nova_iguacu sao_goncalo belford_roxo petropolis teresopolis nova_friburgo volta_redonda campos macae cabo_frio angra
angra_dos_reis buzios contagem betim montes_claros governador_valadares ipatinga divinopolis uberaba pocos_de_caldas
varginha ouro_preto vila_velha cariacica linhares feira_de_santana vitoria_da_conquista ilheus itabuna juazeiro
camacari porto_seguro caruaru olinda jaboatao petrolina garanhuns paulista campina_grande mossoro parnamirim caucaia
juazeiro_do_norte sobral maracanau imperatriz parnaiba santarem ananindeua maraba boa_vista rio_branco porto_velho
ji-parana anapolis aparecida_de_goiania rondonopolis varzea_grande sinop dourados maringa ponta_grossa cascavel foz
foz_do_iguacu guarapuava paranagua colombo itajai balneario balneario_camboriu chapeco criciuma jaragua_do_sul lages
tubarao palhoca sao_jose brusque caxias_do_sul pelotas canoas santa_maria gravatai viamao novo_hamburgo sao_leopoldo
passo_fundo rio_grande uruguaiana bage gramado matosinhos vila_nova_de_gaia gaia gondomar maia barcelos famalicao
viana viana_do_castelo vila_real braganca chaves lamego covilha castelo_branco guarda figueira_da_foz figueira
caldas_da_rainha torres_vedras odivelas loures oeiras barreiro seixal montijo palmela sesimbra beja portalegre elvas
sines portimao albufeira loule tavira olhao ponta_delgada angra_do_heroismo povoa_de_varzim espinho ovar agueda
albuquerque amarillo anaheim anchorage arlington asheville augusta aurora bakersfield baton_rouge bellevue berkeley
billings boise boulder buffalo burlington cedar_rapids charleston charlotte chattanooga cincinnati colorado_springs
columbia columbus corpus_christi dayton daytona des_moines duluth durham el_paso eugene evansville fargo fayetteville
flint fort_collins fort_lauderdale fort_wayne fort_worth fremont fresno gainesville gilbert grand_rapids green_bay
greensboro greenville hartford henderson hialeah hoboken huntsville indianapolis indy irvine irving jackson
jacksonville jersey_city kansas_city knoxville lansing laredo lexington lincoln little_rock long_beach louisville
lubbock madison memphis mesa milwaukee mobile modesto montgomery new_haven new_orleans nola newark norfolk okc
oklahoma_city omaha oxnard pasadena peoria philly plano providence provo queens raleigh reno richmond riverside
rochester salem salt_lake_city slc san_bernardino san_mateo santa_barbara santa_monica sarasota savannah scottsdale
scranton shreveport sioux_falls spokane springfield st._louis st_louis saint_louis st._paul stamford stockton syracuse
tacoma tallahassee tempe topeka trenton tucson tulsa tuscaloosa virginia_beach waco wichita wilmington winston-salem
yonkers bronx the_bronx staten_island manhattan harlem atlanta_ga dc vegas sf socal norcal ny nj new_jersey alabama
alaska arizona arkansas colorado connecticut delaware georgia hawaii idaho illinois indiana iowa kansas kentucky
louisiana maine maryland massachusetts michigan minnesota mississippi missouri montana nebraska nevada new_hampshire
new_mexico north_carolina north_dakota ohio oklahoma oregon pennsylvania rhode_island south_carolina south_dakota
tennessee utah vermont virginia west_virginia wisconsin wyoming aberdeen bath blackburn blackpool bolton bournemouth
bradford bury canterbury carlisle chelmsford cheltenham chester chesterfield colchester coventry crewe croydon
darlington derby doncaster dover dundee eastbourne exeter gateshead gloucester grimsby guildford halifax harrogate
hastings hereford huddersfield hull ilford inverness ipswich kettering lancaster leicester luton maidstone margate
middlesbrough milton_keynes newcastle newcastle_upon_tyne newport northampton norwich nottingham oldham peterborough
plymouth poole portsmouth preston reading rochdale rotherham salford salisbury scarborough sheffield shrewsbury slough
southampton southend stafford stevenage stirling stockport stoke stoke-on-trent sunderland swansea swindon taunton
telford torquay truro wakefield warrington watford wigan winchester wolverhampton worcester worthing wrexham york cork
galway limerick derry lisburn brum aberystwyth falkirk paisley kent essex surrey sussex devon cornwall yorkshire
suffolk tampico ciudad_madero altamira ciudad_victoria monclova piedras_negras ciudad_acuna parral delicias cuauhtemoc
navojoa guaymas san_luis_rio_colorado rosarito tecate silao dolores_hidalgo san_miguel_de_allende lagos_de_moreno
tepatitlan ocotlan chapala ajijic san_juan_del_rio tequisquiapan tulancingo tizayuca texcoco chalco cuautitlan
coacalco atizapan huixquilucan ixtapaluca chimalhuacan tehuacan cholula atlixco san_martin_texmelucan orizaba
poza_rica minatitlan boca_del_rio tuxpan martinez_de_la_torre salina_cruz juchitan huatulco puerto_escondido tuxtepec
comitan palenque paraiso cardenas ciudad_del_carmen progreso cozumel isla_mujeres chilpancingo iguala zihuatanejo
ixtapa lazaro_cardenas patzcuaro apatzingan la_piedad sahuayo ciudad_valles matehuala fresnillo san_jose_del_cabo
guasave guamuchil navolato coyoacan iztapalapa xochimilco tlalpan azcapotzalco polanco roma_norte condesa tacubaya
girardot fusagasuga facatativa funza mosquera cajica duitama sogamoso barrancabermeja floridablanca giron piedecucuta
ocana apartado turbo caucasia la_ceja marinilla copacabana caldas la_estrella dosquebradas jamundi yumbo buenaventura
ipiales tumaco mocoa pitalito san_andres magangue lorica maicao cienaga malambo aguachica chapinero usaquen kennedy
suba engativa laureles el_poblado la_matanza san_justo ramos_mejia haedo ituzaingo merlo moreno jose_c_paz
malvinas_argentinas escobar lujan mercedes chivilcoy necochea balcarce tres_arroyos azul san_nicolas venado_tuerto
reconquista santo_tome villa_carlos_paz carlos_paz alta_gracia jesus_maria bell_ville rio_tercero villa_mercedes
godoy_cruz guaymallen las_heras lujan_de_cuyo yerba_buena tafi_viejo oran tartagal palpala goya obera eldorado
puerto_iguazu gualeguaychu gualeguay villaguay puerto_madryn caleta_olivia el_calafate san_martin_de_los_andes
villa_la_angostura el_bolson bernal ezeiza berazategui florencio_varela banfield temperley adrogue wilde belgrano
recoleta almagro flores boedo san_telmo nunez la_cisterna penalolen macul la_reina vitacura lo_barnechea pudahuel
quilicura colina buin talagante melipilla quillota limache los_andes san_felipe ovalle illapel vallenar tocopilla
alto_hospicio pichilemu san_fernando rengo constitucion cauquenes san_carlos coronel talcahuano hualpen chiguayante
tome angol villarrica pucon la_union castro ancud puerto_varas chiloe puerto_natales callao surco san_borja la_molina
barranco los_olivos comas villa_el_salvador ate san_juan_de_lurigancho sullana talara tumbes chincha pisco nazca
tarapoto moyobamba abancay cerro_de_pasco huaraz barranca huacho quevedo milagro babahoyo latacunga santa_elena
salinas cabimas punto_fijo los_teques guarenas acarigua guanare montero el_alto villazon yacuiba fernando_de_la_mora
lambare pedro_juan_caballero las_piedras ciudad_de_la_costa melo tacuarembo fray_bentos rocha minas durazno escazu
desamparados perez_zeledon chitre mixco villa_nueva coban huehuetenango soyapango sonsonate la_lima el_progreso
bluefields jinotega juigalpa arganda collado_villalba las_rozas pozuelo majadahonda boadilla alcala_de_henares
san_sebastian_de_los_reyes rivas coslada valdemoro aranjuez tres_cantos colmenar_viejo granollers vic igualada rubi
cerdanyola sant_cugat castelldefels viladecans gava cornella el_prat santa_coloma blanes lloret olot tortosa amposta
paterna burjassot alzira xativa ontinyent denia javea calpe altea villena elda petrer cieza yecla molina_de_segura
antequera ronda velez_malaga nerja chipiona sanlucar puerto_de_santa_maria rota chiclana ecija lebrija mairena
alcala_de_guadaira osuna andujar martos baza guadix don_benito zafra navalmoral tomelloso valdepenas puertollano
hellin villarrobledo aranda miranda_de_ebro bejar medina_del_campo benavente monforte vilagarcia sanxenxo cangas
redondela naron carballo torrelavega castro_urdiales basauri santurtzi gernika zarautz tolosa errenteria estella haro
jaca barbastro monzon calatayud inca manacor ciutadella mahon puerto_del_rosario adeje arona los_cristianos granadilla
maspalomas arucas triana vallecas carabanchel lavapies chamberi itapecerica embu embu_das_artes francisco_morato
franco_da_rocha caieiras ferraz poa_sp itaquaquecetuba itaqua aruja guaratingueta pindamonhangaba pinda cacapava
jacarei caraguatatuba ubatuba sao_sebastiao ilhabela peruibe itanhaem registro botucatu avare ourinhos assis lins
catanduva votuporanga fernandopolis barretos bebedouro matao jaboticabal sertaozinho mococa araras rio_claro leme
pirassununga itapira mogi_guacu mogi_mirim amparo atibaia braganca_paulista itatiba valinhos vinhedo paulinia
nova_odessa santa_barbara_d'oeste itu votorantim itapetininga itapeva tatui sao_joao_de_meriti mesquita nilopolis
queimados itaguai marica itaborai rio_das_ostras araruama saquarema tres_rios resende barra_mansa itaperuna sabara
santa_luzia ribeirao_das_neves vespasiano nova_lima lavras alfenas itajuba pouso_alegre barbacena sao_joao_del-rei
conselheiro_lafaiete vicosa muriae teofilo_otoni manhuacu caratinga coronel_fabriciano timoteo itabira para_de_minas
sete_lagoas patos_de_minas araguari ituiutaba araxa passos uba lauro_de_freitas simoes_filho alagoinhas barreiras
jequie teixeira_de_freitas eunapolis itacare lencois paulo_afonso arapiraca rio_largo itabaiana lagarto
cabo_de_santo_agostinho vitoria_de_santo_antao serra_talhada arcoverde santa_rita bayeux patos sousa cajazeiras caico
pipa crato iguatu quixada itapipoca jericoacoara picos floriano codo bacabal sao_jose_de_ribamar castanhal abaetetuba
parauapebas itaituba parintins itacoatiara ariquemes vilhena cacoal cruzeiro_do_sul araguaina gurupi luziania
valparaiso_de_goias aguas_lindas taguatinga ceilandia samambaia planaltina gama guara rio_verde jatai catalao
itumbiara caldas_novas tres_lagoas corumba ponta_pora bonito tangara_da_serra lucas_do_rio_verde sorriso apucarana
arapongas umuarama campo_mourao paranavai cianorte francisco_beltrao pato_branco telemaco_borba sao_jose_dos_pinhais
pinhais araucaria campo_largo fazenda_rio_grande almirante_tamandare navegantes itapema bombinhas rio_do_sul xanxere
cacador videira joacaba ararangua laguna imbituba garopaba sao_bento_do_sul bento_goncalves erechim santa_cruz_do_sul
lajeado ijui santo_angelo cruz_alta alegrete santana_do_livramento sapucaia_do_sul esteio cachoeirinha alvorada guaiba
tramandai torres canela ipanema tijuca barra_da_tijuca botafogo madureira bangu campo_grande_rj pinheiros itaquera
mooca santana_sp vila_mariana capao_redondo esposende fafe vizela felgueiras pacos_de_ferreira penafiel amarante
marco_de_canaveses valongo ermesinde rio_tinto trofa santo_tirso sao_joao_da_madeira oliveira_de_azemeis estarreja
ilhavo mealhada cantanhede lousa pombal marinha_grande alcobaca nazare peniche obidos tomar torres_novas entroncamento
abrantes cartaxo almeirim vila_franca_de_xira alverca queluz cacem rio_de_mouro massama benfica carcavelos estoril
parede alges linda-a-velha sacavem moscavide alcochete pinhal_novo quarteira vilamoura silves lagoa monchique moura
serpa estremoz ponte_de_sor mirandela macedo_de_cavaleiros peso_da_regua mangualde tondela seia gouveia fundao abilene
akron albany alexandria allentown ames ann_arbor antioch arlington_heights beaumont beaverton bend bethesda binghamton
birmingham_al bismarck bloomington boca_raton bowling_green bozeman bridgeport brownsville bryan burbank camden canton
cape_coral carlsbad carson_city casper champaign chandler chapel_hill chula_vista cicero clarksville clearwater
compton concord corvallis costa_mesa council_bluffs dearborn decatur denton downey dubuque eau_claire edison elgin
elk_grove erie escondido everett fairfax fairfield flagstaff fontana frederick frisco fullerton galveston gary
glendale grand_forks great_falls greeley hampton harrisburg hollywood huntington_beach iowa_city ithaca janesville
jefferson_city jonesboro joliet kalamazoo kenosha killeen la_crosse lafayette lake_charles lakeland lakewood laramie
las_cruces lawrence lewiston livermore livonia longmont lowell lynchburg macon malibu mcallen mckinney medford
melbourne_fl meridian midland missoula moline monroe murfreesboro muncie naperville napa nampa new_bedford
new_rochelle newport_beach newport_news norman norwalk ocala odessa ogden olympia orange_county overland_park
owensboro palm_springs palm_bay palo_alto mountain_view sunnyvale cupertino redwood_city san_leandro hayward vallejo
walnut_creek santa_rosa santa_clara parma pensacola pittsfield pocatello pomona poughkeepsie quincy racine rapid_city
redding redmond kirkland renton roanoke rockford round_rock san_angelo schenectady simi_valley sioux_city south_bend
st._petersburg st_petersburg state_college sugar_land temecula terre_haute thousand_oaks torrance tyler utica
vancouver_wa ventura visalia warwick waterbury waukesha west_palm_beach wheeling white_plains wichita_falls
williamsburg winston_salem youngstown yuma flushing astoria bushwick long_island accrington aldershot altrincham
andover ashford aylesbury banbury bangor barnet barnsley barnstaple barrow barry basildon basingstoke batley bedford
berwick beverley bexhill bicester birkenhead bishop_auckland bognor bracknell braintree bridgend bridgwater
bridlington brentwood bromley burnley burton bury_st_edmunds camborne cannock castleford chatham chippenham chorley
cirencester clacton cleethorpes corby cramlington crawley cumbernauld darwen dartford dewsbury didcot dudley dumfries
dunfermline dunstable ealing eastleigh ellesmere_port epsom epping falmouth fareham farnborough farnham felixstowe
fleetwood folkestone gillingham glenrothes gosport grantham gravesend greenock greenwich hackney halesowen hamilton
harlow hartlepool hatfield havant hemel hemel_hempstead hertford hexham high_wycombe hinckley hitchin horsham hounslow
huntingdon islington keighley kendal kidderminster kilmarnock kings_lynn king's_lynn kirkcaldy knutsford lambeth
leamington leatherhead leith letchworth lewes lewisham leyland lichfield livingston llandudno llanelli loughborough
lowestoft macclesfield maidenhead mansfield matlock melton_mowbray merthyr merthyr_tydfil morecambe motherwell neath
newbury newcastle-under-lyme newmarket newton_abbot newry nuneaton omagh ormskirk oswestry paignton penrith penzance
perth_scotland peterhead pontefract pontypridd port_talbot ramsgate rawtenstall redcar redditch redhill rhyl ripon
rugby runcorn ruislip scunthorpe shoreditch skegness skipton solihull southport southwark st_albans st_austell
st_helens st_ives st_neots stourbridge stratford stratford-upon-avon stroud sutton_coldfield tamworth thetford
tiverton tottenham tonbridge trowbridge tunbridge_wells wallasey walsall walthamstow wandsworth wellingborough wells
welwyn west_bromwich weston-super-mare weymouth whitby whitehaven whitstable widnes wimbledon windsor wisbech witney
woking wokingham workington worksop yeovil brixton peckham clapham armagh coleraine ballymena waterford sligo kilkenny
""")

COUNTRIES = word_set("""
argentina bolivia brasil brazil chile colombia costa_rica cuba ecuador el_salvador espana spain honduras nicaragua
paraguay
peru portugal republica_dominicana uruguay venezuela usa united_states estados_unidos us uk united_kingdom england
inglaterra scotland ireland irlanda wales france francia franca germany alemania alemanha italy italia switzerland
suiza suica
austria belgium belgica netherlands holanda denmark dinamarca sweden suecia norway noruega finland finlandia poland
polonia
canada australia new_zealand japan japon japao china india angola mozambique mocambique
mexico panama guatemala puerto_rico paises_bajos paises_baixos the_netherlands rusia russia russian turquia turkey
grecia greece marruecos marrocos morocco egipto egito egypt sudafrica south_africa africa_do_sul nigeria kenya ghana
cabo_verde guine-bissau timor-leste israel corea_del_sur coreia_do_sul south_korea filipinas philippines vietnam
tailandia thailand indonesia pakistan bangladesh ucrania ukraine rumania romania hungria hungary croacia croatia
republica_checa czech_republic islandia iceland luxemburgo luxembourg andorra emiratos_arabes_unidos eeuu ee.uu the_us
the_uk the_usa guyana surinam belice jamaica haiti
""")

NO_TOWN = word_set("""
celular telefone telefono computador internet instagram tiktok whatsapp facebook mundo lua luna nuvem nube nubes phone
computer internet moon clouds basement attic car van tent bubble loop simulation un una uno el la los las a an the um
uma o os as mi tu su mis tus my your our his her their meu minha nosso seu sua casa piso apartamento departamento
depto edificio barrio calle avenida av campo pueblo ciudad cidade centro centre center playa montana zona area
urbanizacion residencia residencial hostal hotel habitacion cuarto paz pareja familia comunidad armonia pecado soledad
silencio negacion alerta tension crisis constante continua estado peligro peligro pobreza miedo carne vivo directo
general union compania libertad concubinato otro otra otros este esta ese esa aquel lo alquiler planta primera ultima
segundo primer segundo tercer tiempos fear peace harmony hope constant denial poverty exile hell heaven house home
apartment flat town city street small big shared rented rural downtown suburbs present past moment now hotels dorm
dorms student solitude pain luxury paz harmonia familia bairro rua predio apto republica uniao pecado casal medo
perigo aluguel cima baixo festa dreams sin interesting strange style times different another such what which where
that this vivir morar viver live funcao sonho morrer amor ti mim voce viagem
""")


STREETS = word_set(
    "calle avenida av barrio rua bairro paseo plaza colonia hotel residencia residencial street avenue urbanizacion"
)


def is_place(words: Sequence[Word]) -> bool:
    """Whether the words are a town or a country that we know."""
    said = " ".join(word.folded for word in words)
    return said in KNOWN or said in COUNTRIES


def are_elsewhere(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two texts, given by their words, each name a place, and none in common."""
    here, there = KNOWN.intersection(one), KNOWN.intersection(other)
    return bool(here and there) and here.isdisjoint(there)


def kind_of(words: Sequence[Word]) -> Attribute:
    """Return the attribute of the place: a country, or else a city."""
    return "country" if " ".join(word.folded for word in words) in COUNTRIES else "city"
