"""Occupations in three languages, and how their names go on (`ingeniero en sistemas`, `head of sales`)."""

from collections.abc import Sequence

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.patterns import Pattern

_KNOWN = word_set("""
kiosquero lechero verdulero pescadero heladero churrero pizzero hamburguesero tamalero elotero relojero librero
cartonero chatarrero granjero vaquero arriero gomero trailero lanchero ascensorista sereno gasolinero petrolero canero
caficultor floricultor porcicultor atendente telefonista ascensorista manobrista leiteiro verdureiro peixeiro
sorveteiro pipoqueiro vaqueiro tratorista relojoeiro livreiro chaveiro vidreiro soldador lavador passadeira lavadeira
arrumadeira camareiro camareira copeiro copeira scrum barbeiro barbeira tens worker operative hand trabajador
trabajadora obrera gruero tractorista matarife cortador planchadora manipuladora estivador bombero enfermero
balconista forneiro confeiteiro churrasqueiro salgadeira cuidadora acompanhante residente residenta prof profa profe
adv eng lic mgr rep cpa aux fisio nutri gp hca abogado abogada actor actriz administrador administrativo agente
agricultor agronomo albanil analista animador antropologo arqueologo arquitecto arquitecta artesano artista asesor
asistente astronomo auditor autor auxiliar azafata bailarin bailarina banquero barbero barista bibliotecario biologo
biomedico bioquimico bombero cajero camarero camarera camionero cantante carnicero carpintero cartero catedratico ceo
cfo cto coo chef chofer cientifico cirujano cocinero comercial comerciante compositor community_manager conductor
conserje constructor consultor contador contable coordinador coreografo corredor costurera criador cuidador dentista
dependiente desarrollador dietista director disenador diplomatico doctor documentalista economista editor educador
electricista empleado emprendedor empresario encargado enfermero entrenador escritor escultor especialista estadistico
esteticista estilista estudiante farmaceutico filosofo fisico fisioterapeuta florista fontanero fotografo frutero
funcionario ganadero geografo geologo gerente gestor guardia guia guionista herrero historiador ilustrador ingeniero
ingeniera instructor interprete interventor investigador jardinero jefe jefa jubilado jubilada juez jueza joyero
kinesiologo licenciado lider limpiador linguista locutor logopeda maestro maquillador maquinista marinero masajista
matematico mayordomo mecanico medico mesero meteorologo militar minero modelo modista monitor mozo musico ninera
notario nutricionista nutriologo oculista odontologo oficinista oftalmologo operador operario optometrista orfebre
orientador panadero paramedico pastelero pastor pediatra peluquero periodista piloto pintor plomero podologo policia
politico portero presidente productor profesor profe programador propietario psicologo psiquiatra publicista quimico
radiologo recepcionista redactor reportero repartidor representante responsable sacerdote sastre secretario sociologo
socorrista soldado soldador subdirector supervisor tasador taxista tecnico teleoperador terapeuta tester topografo
torero trabajador_social traductor transportista tutor urologo vendedor veterinario vicepresidente vigilante visitador
voluntario youtuber zapatero pasante becario practicante freelance autonomo engenheiro engenheira desenvolvedor
programador advogado medico enfermeiro professor contador contabilista arquiteto designer analista gerente diretor
vendedor jornalista motorista cozinheiro padeiro pedreiro eletricista encanador canalizador mecanico cabeleireiro
dentista farmaceutico psicologo veterinario bombeiro policial estudante estagiario pesquisador investigador cientista
economista administrador consultor empresario empreendedor fotografo escritor ator atriz cantor musico pintor artista
tradutor secretario recepcionista assistente auxiliar tecnico coordenador supervisor lider chefe presidente juiz
delegado promotor militar piloto marinheiro agricultor pescador comerciante caixa garcom empregado nutricionista
fisioterapeuta fonoaudiologo biologo quimico fisico matematico historiador geografo bibliotecario editor redator
revisor publicitario aposentado aposentada reformado reformada servidor funcionario bolsista cuidador costureiro
marceneiro carpinteiro porteiro zelador vigilante projetista pedagogo educador treinador accountant actor actress
administrator advisor adviser agent analyst animator architect archivist artist assistant associate astronomer
attorney auditor author baker banker barber barista bartender biologist bookkeeper bricklayer broker builder buyer
cameraman caregiver caretaker carpenter cashier chef chemist chiropractor cleaner clerk coach coder comedian composer
conductor consultant contractor controller cook coordinator copywriter counselor counsellor courier curator dancer
dealer dean dentist designer developer devops dietitian dietician diplomat director dispatcher diver doctor driver
economist editor educator electrician employee engineer engraver entrepreneur estimator executive farmer firefighter
fisherman florist founder cofounder co-founder freelancer gardener geographer geologist gp guard guide hairdresser
handyman head hygienist illustrator inspector instructor intern interpreter inventor investigator investor janitor
journalist judge jeweler laborer lawyer lead lecturer librarian lifeguard linguist locksmith machinist magician maid
manager marketer mason mathematician mechanic merchant meteorologist midwife miner minister model musician nanny
novelist nurse nutritionist officer operator optician optometrist orthodontist owner painter paralegal paramedic
pastor pediatrician pharmacist philosopher photographer physician physicist physiotherapist pianist pilot planner
plumber poet policeman politician porter postdoc postman practitioner president principal producer professor
programmer psychiatrist psychologist publisher realtor receptionist recruiter reporter representative researcher
retiree sailor salesman salesperson saleswoman scientist sculptor secretary seller server sheriff singer sociologist
soldier solicitor specialist statistician stewardess strategist student supervisor surgeon surveyor sysadmin tailor
teacher technician technologist tester therapist trader trainer translator treasurer tutor undergraduate veterinarian
vet vp waiter waitress warden welder writer qa sre pm dev dba kinesiologa domiciliario mensajero cajera maestra obrero
peon jornalero campesino camillero tripulante sobrecargo azafato aeromoza aeromozo manicurista barman sommelier
mixologo tortillero taquero tendero tendera velador guarura escolta barrendero recolector intendente afanador nana
mucama mucamo moza garzon garzona meseros limpiadora gasista electromecanico tornero matricero ebanista tapicero
cerrajero vidriero yesero techista tramitador escribano escribana procurador fiscal perito agrimensor partero partera
matrona obstetra obstetrico ginecologo anestesista anestesiologo traumatologo internista geriatra urgenciologo
intensivista flebotomista laboratorista bacteriologo microbiologo genetista podologa fonoaudiologa terapista
acompanante psicopedagogo psicopedagoga parvulario parvularia educadora preceptor docente catedratica rector decano
ayudante becaria doctorando doctoranda contralor tesorero actuario cobrador impulsador mercaderista merchandiser
reponedor reponedora almacenista bodeguero carretillero montacarguista maquilador empacador despachador logista
estibador colectivero colectivera microbusero remisero uberista fletero ruletero motoboy rider repartidora maquetador
maquetadora copy redactora influencer streamer tiktoker podcaster disenadora ilustradora animadora camarografo
sonidista iluminador productora diagramador programadora desarrolladora testeador cientifica consultora reclutador
reclutadora headhunter rrhh capacitador entrenadora instructora profesora monitora salvavidas arbitro futbolista
jugador jugadora ciclista boxeador deportista agronoma veterinaria ganadera apicultor viticultor enologo buzo marino
cabo sargento teniente capitan gendarme carabinero bombera funcionaria diputado diputada senador senadora alcalde
alcaldesa concejal embajador consul teleoperadora telefonista secretaria administrativa archivista bibliotecaria
emprendedora empresaria propietaria socio socia fundador fundadora cofundador cofundadora encargada subgerente
coordinadora supervisora directora gerenta interiorista paisajista urbanista decorador decoradora restaurador
peluquera barbera esteticien tatuador tatuadora cosmetologa cosmetologo maquilladora traductora teologo cura monja
sacerdotisa parroco monje rabino pensionado pensionada cabeleireira manicure confeiteiro confeiteira boleira diarista
faxineiro faxineira domestica baba porteira entregador entregadora frentista caminhoneiro caminhoneira ambulante
feirante lojista balconista repositor estoquista almoxarife conferente operadora promotora vendedora bancario bancaria
corretor corretora imobiliario contadora auditora advogada defensor juiza delegada escrivao escriva tabeliao
cartorario enfermeira tecnica biomedica medica cirurgiao cirurgia ginecologista cardiologista dermatologista
ortopedista psicologa professora coordenadora diretora pedagoga estagiaria mestrando mestranda doutorando doutoranda
pesquisadora arquiteta desenhista redatora videomaker fotografa editora roteirista produtor produtora cantora
musicista musica dancarina dancarino coreografa influenciadora desenvolvedora suporte gestora empreendedora
microempreendedor mei autonoma servidora tenente bombeira vigia seguranca carteiro gari pedreira serralheiro
vidraceiro pintora gesseiro marmorista mecanica borracheiro funileiro torneiro soldadora costureira modelista
sapateiro artesa artesao cozinheira garconete acougueiro padeira pizzaiolo agricultora pecuarista pescadora jardineira
oceanografo geologa rececionista solicitador solicitadora notaria canalizadora talhante peixeiro merceeiro estafeta
camionista calceteiro carpinteira operaria investigadora bolseiro bolseira formador formadora informatico informatica
pasteleiro pasteleira rn lpn cna emt phlebotomist sonographer radiographer radiologist anesthesiologist cardiologist
dermatologist gynecologist obstetrician doula carer babysitter teller underwriter actuary adjuster barrister notary
magistrate conveyancer landlord barmaid host hostess busser dishwasher butcher fishmonger greengrocer grocer stocker
telemarketer retailer shopkeeper trucker cabbie rideshare postie mailman mailwoman warehouse picker packer forklift
joiner plasterer roofer tiler decorator brickie sparky fitter millwright hvac foreman scaffolder glazier landscaper
groundskeeper arborist rancher farmhand cop detective marine veteran airman army bouncer ta headteacher childminder
undergrad postgrad ecologist physio caseworker copyeditor blogger videographer filmmaker potter ceramicist drummer
guitarist dj songwriter stylist hairstylist beautician esthetician tattooist seamstress swe sde sdet tpm pa ea temp
apprentice trainee custodian housekeeper mover referee athlete boxer jockey vicar priest rabbi imam chaplain nun
councillor historian archaeologist conservator zookeeper groomer farrier beekeeper brewer winemaker osteopath
acupuncturist masseuse exec partner pensioner homemaker housewife
""")
_SUFFIX = Pattern(
    r"\w{3,}(?:ologo|ologa|ologist|ografo|ografa|ographer|ician|iatra|iatrist|terapeuta|therapist|logist|grapher)$"
)

NEVER = word_set("""
fast quick team good big heavy slow sex mi tu su mis tus my your his her our their meu minha seu sua nosso puedo pueda
siempre nunca loco loca burro burra mula animal negro negra esclavo esclava condenado antes todos todo nadie esto eso
ello esta este tanto mucho usual always never hard much you i we well posso sempre muito escravo corno condenada doida
doido isso isto tudo voce ti mi_mismo nada hobby pasatiempo si fuera como quien that this it there planned expected
intended possible que lo el_que la_que part full noche dia lunes manana tarde pie casa remoto forma manera lado verdad
""")
GENERIC = word_set("funcionario funcionaria empleado empleada empregado empregada employee")
OF = frozenset(("de", "of", "da", "do", "del", "das", "dos"))
FIELD_PREPOSITIONS = frozenset(("en", "em", "in"))
_TAKES_FIELD = Pattern(
    r"(?:ingenier|engenheir|licenciad|especialist|tecnic|doctor|experto|experta|expert|master|graduad|formad"
    r"|bacharel|analista|diplomad|profesor)"
)


def is_job(word: str) -> bool:
    """Whether the folded word is an occupation, of a man or a woman."""
    if word in _KNOWN or _SUFFIX.match(word):
        return True
    return word.endswith("a") and (word[:-1] in _KNOWN or f"{word[:-1]}o" in _KNOWN)


def is_title(words: Sequence[str]) -> bool:
    """Whether the folded words name an occupation: one of those before the first preposition does."""
    for word in words:
        if word in OF or word in FIELD_PREPOSITIONS:
            return False
        if any(is_job(part) for part in word.replace("/", "-").split("-")):
            return True
    return False


def takes_field(word: str) -> bool:
    """Whether a field follows the occupation with `en`: ingeniero en sistemas."""
    return bool(_TAKES_FIELD.match(word))
