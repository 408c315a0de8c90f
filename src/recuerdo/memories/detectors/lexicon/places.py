"""Towns and countries that people write about in lower case too, and what one lives in that is no town."""

from collections.abc import Sequence

from recuerdo.core.memories import Attribute
from recuerdo.memories.detectors.words import Word, vocabulary

KNOWN = vocabulary("""
madrid barcelona valencia sevilla zaragoza malaga murcia palma bilbao alicante cordoba valladolid vigo gijon granada
vitoria elche oviedo badalona cartagena terrassa jerez sabadell mostoles alcala pamplona almeria leganes getafe burgos
santander donostia san_sebastian albacete salamanca logrono badajoz huelva lleida tarragona leon cadiz jaen ourense
girona lugo caceres toledo segovia avila cuenca huesca teruel soria palencia zamora tenerife las_palmas ibiza
buenos_aires caba rosario mendoza la_plata mar_del_plata tucuman salta neuquen bariloche ushuaia posadas resistencia
corrientes parana bahia_blanca santa_fe san_juan jujuy quilmes
cdmx df ciudad_de_mexico mexico guadalajara monterrey puebla tijuana queretaro merida cancun toluca oaxaca morelia
chihuahua
hermosillo saltillo culiacan veracruz zapopan aguascalientes san_luis_potosi
bogota medellin cali barranquilla bucaramanga pereira manizales ibague cucuta santa_marta
lima arequipa trujillo cusco cuzco piura chiclayo iquitos santiago valparaiso concepcion temuco antofagasta vina_del_mar
quito guayaquil caracas maracaibo maracay barquisimeto la_paz santa_cruz cochabamba sucre asuncion montevideo
punta_del_este san_jose panama ciudad_de_panama managua tegucigalpa san_pedro_sula san_salvador guatemala la_habana
habana
santo_domingo san_juan_de_puerto_rico puerto_rico
lisboa porto braga coimbra aveiro faro setubal evora funchal guimaraes viseu leiria almada amadora sintra cascais
sao_paulo rio_de_janeiro rio brasilia salvador fortaleza belo_horizonte bh manaus curitiba recife goiania belem
porto_alegre
guarulhos campinas sao_luis maceio natal teresina joao_pessoa florianopolis floripa santos niteroi ribeirao_preto
uberlandia sorocaba aracaju cuiaba campo_grande londrina joinville juiz_de_fora vitoria osasco blumenau macapa palmas
london manchester birmingham leeds glasgow edinburgh liverpool bristol cardiff belfast dublin cambridge oxford brighton
new_york new_york_city nyc brooklyn los_angeles la chicago houston phoenix philadelphia san_antonio san_diego dallas
austin
san_francisco seattle denver boston miami atlanta portland las_vegas detroit nashville baltimore minneapolis tampa
orlando
sacramento pittsburgh cleveland washington washington_dc san_jose oakland honolulu toronto montreal vancouver ottawa
calgary edmonton sydney melbourne brisbane perth adelaide auckland wellington
paris lyon marseille berlin munich hamburg frankfurt cologne rome roma milan milano naples turin venice florence vienna
viena zurich geneva ginebra bern brussels bruselas amsterdam rotterdam the_hague copenhagen stockholm oslo helsinki
warsaw prague praga budapest bucharest athens atenas istanbul moscow moscu kiev kyiv tokyo tokio osaka seoul beijing
shanghai hong_kong singapore singapur bangkok delhi mumbai bangalore dubai cairo lagos nairobi johannesburg luanda
maputo
tel_aviv jerusalem londres berlim munique nova_york nova_iorque paris toquio genebra bruxelas
texas california florida andalucia galicia cataluna pais_vasco minas_gerais bahia parana algarve alentejo madeira acores
""")

COUNTRIES = vocabulary("""
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

NO_TOWN = vocabulary("""
un una uno el la los las a an the um uma o os as mi tu su mis tus my your our his her their meu minha nosso seu sua
casa piso apartamento departamento depto edificio barrio calle avenida av campo pueblo ciudad cidade centro centre
center
playa montana zona area urbanizacion residencia residencial hostal hotel habitacion cuarto paz pareja familia
comunidad armonia pecado
soledad silencio negacion alerta tension crisis constante continua estado peligro peligro pobreza miedo carne vivo
directo
general union compania libertad concubinato otro otra otros este esta ese esa aquel lo alquiler planta primera ultima
segundo
primer segundo tercer tiempos
fear peace harmony hope constant denial poverty exile hell heaven house home apartment flat town city street small
big shared rented rural downtown suburbs present past moment now hotels dorm dorms student solitude pain luxury
paz harmonia familia bairro rua predio apto republica uniao pecado casal medo perigo aluguel cima baixo festa
dreams sin interesting strange style times different another such what which where that this
funcao sonho morrer amor ti mim voce viagem
""")


STREETS = vocabulary(
    "calle avenida av barrio rua bairro paseo plaza colonia hotel residencia residencial street avenue urbanizacion"
)


def is_place(words: Sequence[Word]) -> bool:
    """Whether the words are a town or a country that we know."""
    said = " ".join(word.folded for word in words)
    return said in KNOWN or said in COUNTRIES


def kind_of(words: Sequence[Word]) -> Attribute:
    """What somebody tells who lives there: a country, or else a city."""
    return "country" if " ".join(word.folded for word in words) in COUNTRIES else "city"
