"""Words for employers: fields, kinds of organisations, a few well-known names, and words that are not employers."""

from collections.abc import Sequence
from itertools import takewhile

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.words import Word

INDEFINITE = word_set("un una uno a an um uma")

KINDS = word_set("""
home kiosko chippy center centre centro gestoria asesoria correduria autoescuela tintoreria lavanderia relojeria
joyeria optica fruteria carniceria pescaderia verduleria rotiseria quiosco almacen despensa miscelanea tlapaleria
merceria maderera metalurgica textil cerveceria vinedo finca hacienda rancho granja criadero financiera agropecuaria
agricola pesquera naviera petrolera franquicia cadena sindicato iglesia parroquia embajada consulado aduana prision
carcel comisaria cuartel asilo geriatrico revista periodico diario canal televisora galeria cine circo zoologico
acuario estadio corretora imobiliaria otica acougue peixaria quitanda hortifruti mercado mercadinho mercearia atacado
atacadista distribuidora montadora confeccao fazenda sitio haras igreja embaixada alfandega delegacia quartel presidio
jornal emissora zoologico parque refinery foundry distillery vineyard orchard greenhouse laundromat deli diner pub
tavern inn motel resort spa marina shipyard depot station precinct prison jail court ministry bureau network newspaper
magazine gallery orchestra zoo camp shelter union co-op cooperative chain supplier wholesaler distributor manufacturer
consultancy business organization organisation utility contractor seguradora corporativo atelier gabinete quinta adega
vinicola notaria funeraria teatro orquesta orquestra club clube maquiladora maquila planta agencia aeropuerto
aeroporto airport port puerto porto_seco casino cinema theater theatre stadium council surgery hospice city council
county government gobierno municipio alcaldia juzgado fiscalia congreso senado ejercito cementera minera constructora
refineria kinder preescolar secundaria prepa preparatoria liceo academia gimnasio peluqueria barberia panaderia
taqueria fonda pizzeria ferreteria papeleria veterinaria consultorio imprenta bodega preschool nursery daycare gym
salon barbershop garage dealership dispensary practice studio brewery winery farm ranch plant mill embassy courthouse
church mosque temple salao barbearia lanchonete pizzaria transportadora construtora mineradora usina frigorifico
cartorio tribunal autarquia lar infantario ginasio pastelaria tasca talho banco hospital clinica escuela colegio
instituto universidad facultad empresa compania startup restaurante tienda fabrica consultora consultoria agencia
bufete estudio despacho farmacia hotel bar cafe cafeteria laboratorio taller ministerio ayuntamiento municipalidad ong
fundacion multinacional aseguradora inmobiliaria libreria supermercado aerolinea fintech pyme cooperativa guarderia
biblioteca museo editorial productora bank hospital clinic school college university company startup restaurant shop
store factory firm agency pharmacy hotel bar cafe lab laboratory nonprofit non-profit ngo charity consultancy bakery
bookstore library supermarket museum warehouse publisher airline corporation escola faculdade universidade companhia
loja fabrica agencia escritorio farmacia padaria oficina laboratorio prefeitura hospital banco clinica empresa
multinacional livraria supermercado creche biblioteca museu camara editora
""")

_FIELDS = word_set("""
fala infra infraestructura_ti tecnologias obras limpieza mantencion limpeza obra bienestar talento talento_humano
gestion_humana accounts payroll ops housekeeping maintenance reception billing dispatch facilities merchandising
advertising fundraising admissions cybersecurity telecom pr bizdev revops comms purchasing underwriting claims lending
almacen bodega cocina caja cajas reparto despacho tesoreria nomina nominas credito cobranza mercadotecnia publicidad
servicio_al_cliente atencion_a_clientes control_escolar siniestros emergencias terapia_intensiva mesa_de_ayuda
postventa posventa preventa exportaciones importaciones comercio_exterior cartera admisiones ciberseguridad
telecomunicaciones proyectos planeacion planificacion presupuesto capacitacion seleccion almoxarifado estoque cozinha
expedicao faturamento cobranca credito publicidade telemarketing pos-venda posvenda televendas folha
folha_de_pagamento dp departamento_pessoal sac pcp planejamento projetos suprimentos licitacoes emergencia uti
pronto-socorro ciberseguranca comercio_exterior comex departamento_financeiro contas_a_pagar marketing ventas finanzas
contabilidad contaduria recursos_humanos rrhh legal juridico compras logistica operaciones producto calidad sistemas
ti it soporte atencion_al_cliente ingenieria tecnologia datos investigacion desarrollo investigacion_y_desarrollo i+d
comunicacion comunicaciones diseno administracion tesoreria auditoria seguridad infraestructura innovacion comercial
cobranzas facturacion produccion mantenimiento rh relaciones_publicas estrategia analitica inteligencia_artificial
ciencia_de_datos control_de_calidad experiencia_de_usuario desarrollo_de_software sales finance accounting
human_resources hr procurement logistics operations product quality support customer_support customer_service
customer_success engineering technology data research development r&d communications design administration treasury
audit security infrastructure innovation legal marketing strategy analytics public_relations business_development
data_science machine_learning platform backend frontend front-end back-end mobile growth devops qa payments web cloud
ux ui ux/ui research_and_development compliance risk people billing search ads ml ai ia plataforma pagos pagamentos
crecimiento movil moviles riesgos riscos mobile integraciones integracao vendas financas financeiro contabilidade
recursos_humanos compras logistica operacoes produto qualidade suporte atendimento atendimento_ao_cliente engenharia
tecnologia dados pesquisa desenvolvimento pesquisa_e_desenvolvimento comunicacao design administracao tesouraria
auditoria seguranca infraestrutura inovacao juridico marketing estrategia informatica cirugia urgencias pediatria
cardiologia oncologia neurologia cirurgia
""")
_SPECIFIC_FIELDS = _FIELDS - word_set("""
datos data desarrollo development producto product investigacion research tecnologia technology seguridad design
diseno pesquisa dados web mobile people search cloud ads produccion development ai ia ml comunicacion communications
innovacion innovation desenvolvimento tecnologia produto platform plataforma infraestructura growth ux ui
""")

_COMPANIES = word_set("""
mc_donalds mc_donald's mcdonald's ubereats uber_eats pemex_gas wingstop popeyes chick_fil_a dennys denny's ihop
applebees macys macy's kohls kohl's jcpenney nordstrom gap old_navy forever_21 sephora ulta gamestop petsmart petco
dollar_general dollar_tree family_dollar seven_eleven 7-eleven circle_k aurrera bodega_aurrera sams city_club suburbia
sears sanborns vips toks cinepolis cinemex bachoco lala gruma alsea oxxo_gas farmacias_guadalajara farmacias_similares
d1 ara olimpica alkosto falabella_colombia homecenter easy tottus metro wong google amazon microsoft meta facebook
apple netflix ibm oracle sap uber airbnb spotify tesla nvidia intel globant mercadolibre mercado_libre mercado_livre
rappi nubank itau petrobras bradesco santander bbva telefonica movistar inditex zara mercadona ypf pemex bimbo cemex
ambev embraer vale stone ifood totvs accenture deloitte kpmg pwc ey nasa mckinsey walmart ikea samsung sony nestle
coca-cola pepsico unilever bosch siemens adidas nike disney openai anthropic github gitlab salesforce twitter linkedin
tiktok paypal stripe shopify despegar auth0 kavak uala olx galp tap sonae altice edp oxxo soriana chedraui liverpool
coppel elektra banorte banamex citibanamex telmex telcel televisa femsa grupo_modelo alpina bancolombia davivienda
avianca exito ecopetrol argos nutresa sura terpel claro tigo entel falabella ripley paris sodimac cencosud jumbo lider
latam copec codelco cmpc arauco bancoestado mercado_pago mercadopago arcor aerolineas_argentinas banco_galicia galicia
naranja quilmes techint tenaris molinos coto carrefour dia el_corte_ingles corte_ingles iberia renfe repsol caixabank
sabadell mapfre endesa iberdrola seat indra glovo cabify correos prosegur alsa lidl aldi mango decathlon fnac
plaza_vea interbank bcp backus gloria alicorp pacifico antel conaprole pdvsa banco_nacion mcdonalds burger_king
starbucks kfc subway dominos pizza_hut uber_eats didi pedidosya softtek neoris wizeline clip konfio bitso
banco_do_brasil caixa inter c6 btg xp pagseguro magalu magazine_luiza renner riachuelo casas_bahia americanas
lojas_americanas pao_de_acucar assai extra jbs brf sadia natura boticario o_boticario havaianas gerdau weg gol azul
tam globo sbt record vivo tim oi loggi locaweb hapvida unimed correios sabesp cemig copel senai sesc worten continente
pingo_doce jeronimo_martins cp ctt meo nos vodafone bpi millennium novo_banco cgd caixa_geral delta corticeira amorim
efacec feedzai farfetch outsystems talkdesk critical_software target costco kroger safeway publix wegmans trader_joe's
trader_joes whole_foods home_depot lowe's lowes best_buy wayfair walgreens cvs rite_aid ups fedex usps dhl chipotle
wendy's taco_bell chick-fil-a dunkin panera olive_garden applebee's aws alphabet youtube instagram hulu pixar amd
adobe lyft doordash instacart venmo coinbase robinhood etsy ebay zillow boeing lockheed lockheed_martin raytheon ford
gm toyota honda bmw chase jpmorgan jp_morgan wells_fargo bank_of_america citi citibank goldman goldman_sachs
morgan_stanley capital_one amex visa mastercard fidelity vanguard state_farm geico allstate aetna cigna kaiser pfizer
moderna merck comcast verizon at&t t-mobile tmobile sprint nhs tesco tescos asda sainsburys sainsbury's morrisons
waitrose greggs boots primark john_lewis m&s marks_and_spencer barclays hsbc lloyds natwest monzo revolut starling bt
sky bbc itv ee o2 royal_mail tfl network_rail rolls-royce astrazeneca gsk deliveroo just_eat wetherspoons
wetherspoon's nando's costa pret southwest united jetblue hilton marriott ge 3m dell hp cisco qualcomm
texas_instruments atlassian canva klarna dropbox slack zoom reddit snap snapchat pinterest bytedance nintendo lg
huawei xiaomi philips ericsson nokia volkswagen vw renault peugeot nissan general_motors kia hyundai john_deere
caterpillar maersk shell bp exxon chevron
""")

NEVER = word_set("""
area areas setor sector departamento equipo equipe equipa time planta linea division gerencia departament team crew
hecho practica efecto peanuts tips scraps food pleasure nothing casa remoto remota equipo silencio paz ello eso esto
esta este esa ese algo nada todo ambos dos tres mi tu su mis tus sus lo el que turnos turno horario negro conjunto
proceso progreso linea oficina oficinas campo fin noche noches tarde tardes manana mananas lunes domingo verano
invierno vacaciones general particular realidad serio cualquier cada otro otra varios varias muchos muchas mejorar
hacer ser estar mantener conseguir aprender terminar entender desarrollar crear construir construccion educacion salud
hosteleria turismo agricultura consultoria mineria comercio retail moda energia home remote remotely night nights
shifts shift weekends weekends day days evenings mornings silence peace progress teams groups team myself him her them
it this that these those my your his our their the least most best full part freelance it's what which one both two
three several many construction education healthcare retail tourism consulting agriculture improving making getting
becoming being learning building things stuff something nothing everything fun free money food office person pairs
parallel public private general hospitality fashion energy life living casa equipe equipa silencio isso isto aquilo
algo nada tudo mim meu minha nosso nossa seu sua turno turnos noite tarde manha segunda domingo ferias verao geral
construcao educacao saude turismo comercio consultoria moda varejo regime hibrido hibrida hybrid presencial pe dupla
grupo paralelo
""")


def is_field(words: Sequence[Word]) -> bool:
    """Whether the words are a field of work, as departments and teams are called."""
    return _joined(words) in _FIELDS or (bool(words) and words[0].folded in _SPECIFIC_FIELDS)


def is_whole_field(words: Sequence[Word]) -> bool:
    """Whether all the words together are the name of a field: `recursos humanos`."""
    return _joined(words) in _FIELDS


def is_kind(words: Sequence[str], links: frozenset[str]) -> bool:
    """Whether the folded words are a kind of organisation: `banco de inversión`, `small law firm`."""
    head = list(takewhile(lambda word: word not in links, words))
    return any(word in KINDS for word in head)


def is_known(words: Sequence[Word]) -> bool:
    """Whether the words are a well-known company, however they are written."""
    return _joined(words) in _COMPANIES


def is_employer(words: Sequence[Word], links: frozenset[str]) -> bool:
    """Whether the words are a company that we know, or a kind of organisation."""
    return is_known(words) or is_kind([word.folded for word in words], links)


def _joined(words: Sequence[Word]) -> str:
    return " ".join(word.folded for word in words)
