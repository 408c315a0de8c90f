"""Phrases that the cues are built of, as patterns."""

from recuerdo.memories.extraction.lexicon.months import MONTH

SINCE = (
    r"(?:desde hace|hace|desde|ya (?:van|son|llevo)|va para)(?: (?:ya|como(?= (?:\d|un|dos|tres|cuatro|cinco"
    r"|seis|diez))|casi|mas de|cosa de|unos|unas|una?|el|la|los"
    r"|par de|par|monton|monton de|poco|poquito|mucho|rato|ratito|tiempo|bocha|caleta|banda|uf|nada|anos?|mes(?:es)?"
    rf"|semanas?|dias?|pasad[oa]|que|de|del|medio|\d+|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|quince|veinte"
    rf"|chico|chica|siempre|{MONTH})(?!\w))+"
)

HERE = r"(?:(?:por )?(?:aqui|aca|alla|ahi)(?: mismo)?)"

NEWLY = (
    r"(?:hace (?:poco|nada|unos dias|un mes|un ano)|recien|recientemente|apenas|ayer|hoy|la semana pasada"
    r"|el (?:mes|ano|lunes) pasado|por fin)"
)

NOW = r"(?:ahora(?: mismo)?|ahorita|actualmente|hoy(?: en dia| por hoy)?|de momento|por el momento|por ahora)"

BARE = r"(?:^|(?<=[,;:]\s)|(?<=^pues\s)|(?<=^y\s))"

INFIX = (
    rf"(?:,? (?:{NOW}|{SINCE}|{HERE}|tambien|sol[oa]|(?:a )?medio tiempo|(?:a )?media jornada|{NEWLY}"
    rf"|en un (?:depa|depto|departamento|piso|apto"
    r"|apartamento|cuarto|casa)|en una (?:casa|residencia|habitacion)|de forma remota|con (?:mis?|el|la) \w+"
    r"|a tiempo completo|de planta|remoto|siempre|ya"
    r"|todavia|aun|yo|con mi \w+|y estudio|y trabajo)(?!\w),?){0,2}"
)

WORKING = r"(?:trabajando|laburando|chambeando|currando|camellando|chambiando|pegando|jalando)"

WORK = (
    rf"(?:(?:trabajo|trabajamos|laburamos|laburo|chambeo|curro|camello|jalo|estoy {WORKING}|ando {WORKING}"
    rf"|sigo {WORKING}|llevo [\w ]{{1,30}}"
    rf" {WORKING}|mi (?:trabajo|chamba|pega|laburo|curro|camello) es){INFIX}"
    r"|pega(?= en))"
)

STARTED = (
    r"(?:empece|comence|arranque|ingrese|entre|he (?:empezado|entrado|comenzado|vuelto)|me pase|me cambie"
    r"|acabo de (?:empezar|entrar|comenzar|arrancar)|me contrataron|me ficharon|me han (?:contratado|fichado"
    r"|cogido|pillado)|me dieron (?:trabajo|pega|chamba|laburo)|me llamaron"
    r"|me agarraron|me tomaron"
    r"|(?:ya )?(?:consegui|encontre|halle|me salio|agarre) (?:trabajo|laburo|pega|chamba|curro|camello|empleo))"
    rf"(?: a (?:trabajar|laburar|chambear|currar|camellar))?{INFIX}"
)

LIVE = (
    rf"(?:(?:vivo|resido|radico|estoy viviendo|ando viviendo|vivimos|llevo [\w ]{{1,30}} viviendo){INFIX}"
    r"(?: con (?:mi|mis) \w+(?: \w+)?)? en"
    r"|(?:(?:termine|terminamos|acabe|acabamos) (?:mudandome|mudandonos|viniendome|viniendonos|yendome"
    r"|yendonos|viviendo)"
    rf"(?: a vivir)?|acabo de mudarme|acabamos de mudarnos|me mude|me he mudado|nos hemos mudado|me acabo de mudar"
    r"|me traslade|me acabo de (?:cambiar|venir|trasladar)"
    rf"|nos mudamos|nos acabamos de mudar|me fui a vivir|nos fuimos a vivir|me he ido a vivir"
    rf"|(?:me he|nos hemos) venido(?: a vivir)?|me he trasladado|me regrese|me volvi|acabo de (?:llegar|cambiarme"
    rf"|irme) a vivir|me vine(?: a vivir)?|nos vinimos(?: a vivir)?|me cambie|nos cambiamos)"
    rf"(?:,? (?:otra vez|de nuevo|de vuelta))?{INFIX}"
    r"(?: (?:de|desde) [a-z]+(?: [a-z]+)?)?(?: con (?:mi |mis |el |la |los |las )?\w+(?: \w+)?)? (?:a|para|pa)"
    r"|(?:me mude|me he mudado|nos mudamos|nos hemos mudado|me cambie|nos cambiamos)(?: otra vez| de nuevo| de casa"
    r"| de vuelta)?,? (?:y )?(?:ahora|ya) (?:estoy|estamos|ando|andamos) en)"
)

BETWEEN = r"(?: (?!(?:en|y|ni|pero|vivo|trabajo|no|que)(?!\w))\w+){1,4}?"

MUCH = (
    r"(?: (?:mucho|muchisimo|bastante|tambien|demasiado|un (?:monton|chingo|vergo|huevo|toco|resto)|mas que nada"
    r"|harto|banda|caleta"
    r"|para nada|nada|en absoluto|pa nada|full|cantidad|burda|de mas|demasiao|de verdad|la verdad|siempre"
    r"|desde chic[oa])){0,2}"
)

LIKE = (
    r"(?:a mi )?me (?:re |super |recontra )?(?:gustan?|encantan?|fascinan?|apasionan?|copan?|molan?|laten?"
    r"|agradan?|chiflan?"
    r"|flipan?|pirran?|vuelven? loc[oa]|privan?|tiran?|gustaron siempre|ha[n]? gustado siempre|requetegustan?"
    r"|cautivan?"
    rf"|pone[n]? feliz|recopan?|rechiflan?){MUCH}"
)

OF_WHAT = (
    r"(?= (?:el|la|los|las|que|\w+r(?:me)?)(?!\w))"
    r"(?! (?:el|la|los|las) (?:saldo|cuenta|tarjeta|doble|montos?|importes?|interes\w*|comision\w*|iva|impuestos?"
    r"|bateria|celular|movil|maletas?|archivos?|pagina|app)(?!\w))"
)
"""The object of a feeling, and not a thing that is charged or loaded."""

HAVE = r"(?:tengo|tenemos|adopte|adoptamos|(?:acabo|acabamos) de adoptar|crio|me regalaron|compre)"

REACH = r"(?:escri[bv]|mand|contact|envi|pas|hall|encontr|encuentr|ubic|llam|respond|contest|busc|agreg|apunt)"

UP_TO_ADDRESS = (
    r":?(?: (?!(?:no|su|sus|tu|jef[ea]|ya)(?!\w)|de (?:mi|su|tu|el|ella)(?!\w))[\w:,/-]+){0,7}? (?=[\w.+-]+@\w)"
)
"""The few words between `mi correo` or `escríbeme` and the address, none of them another owner's."""

PLANNED = (
    r"(?:viajo|viajamos|me caso|nos casamos|me mudo|nos mudamos|me jubilo|(?:me voy|nos vamos) (?:de (?:viaje"
    r"|vacaciones"
    r"|luna de miel)|a|para|pa)|vuelo a|volamos a|me operan|me opero|me graduo|me recibo|rindo|presento|empiezo"
    r"|arranco"
    r"|entro a|me cambio|nos cambiamos|corro|me inscribo|salgo de|estreno|inauguro|inauguramos|abrimos|me titulo"
    r"|doy a luz"
    r"|me toca|defiendo|viajare|me mudare|me casare|empezare|ire a) "
)

BUSINESS = (
    r"(?:empresa|negocio|papeleria|puesto|lavanderia|carniceria|verduleria|optica|farmacia|estetica|salon|spa"
    r"|tienda|panaderia|cafeteria|cafe|restaurante?|local|taller|peluqueria|barberia|estudio"
    r"|consultora|agencia|startup|marca|bar|emprendimiento|libreria|pasteleria|floristeria|ferreteria"
    r"|taqueria|fonda|clinica|consultorio|gimnasio|escuela|academia|despacho|pyme|pagina|boutique"
    r"|veterinaria|heladeria|kiosco)"
)

DOING = (
    r"(?:programo|desarrollo|diseno|cocino|manejo|conduzco|vendo|investigo|superviso|coordino|dirijo|gestiono"
    r"|administro"
    r"|lidero|limpio|reparto|redacto|audito|asesoro|despacho|llevo la (?:contabilidad|logistica|administracion)"
    r"|cuido \w+)"
)

FROM_NOW = r"(?:de ahora en (?:adelante|mas)|desde ahora|a partir de (?:ahora|hoy)|en adelante|de hoy en adelante)"

DEATHS = r"murio|murieron|fallecio|fallecieron"
"""Words that tell a death."""
