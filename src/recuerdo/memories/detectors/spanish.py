"""Spanish, of Latin America with its vos, and of Spain."""

from recuerdo.core.memories import Attribute
from recuerdo.memories.detectors import readers as read
from recuerdo.memories.detectors.language import Language, cue, pattern
from recuerdo.memories.detectors.lexicon.dates import WHEN
from recuerdo.memories.detectors.lexicon.households import ANIMALS, RELATIVES
from recuerdo.memories.detectors.words import vocabulary

_INFIX = (
    r"(?: (?:ahora|actualmente|hoy|tambien|solo|desde \w+|desde hace \w+ \w+|hace \w+ \w+|aqui|aca|medio tiempo"
    r"|siempre))?"
)
_WORK = (
    r"(?:trabajo|laburo|chambeo|curro|estoy (?:trabajando|laburando|chambeando|currando)|llevo [\w ]{1,20} trabajando)"
    rf"{_INFIX}"
)
_STARTED = (
    r"(?:empece|comence|arranque|ingrese|entre|acabo de (?:empezar|entrar|comenzar)|me contrataron|me ficharon)"
    r"(?: a (?:trabajar|laburar|chambear|currar))?"
)
_LIVE = (
    rf"(?:(?:vivo|resido|radico|estoy viviendo|vivimos|llevo [\w ]{{1,20}} viviendo){_INFIX} en"
    r"|(?:acabo de mudarme|me mude|me he mudado|me acabo de mudar|me traslade|nos mudamos) a)"
)
_BETWEEN = r"(?: (?!(?:en|y|ni|pero|vivo|trabajo|no|que)(?!\w))\w+){1,4}?"
_MUCH = r"(?: (?:mucho|muchisimo|bastante|tambien|demasiado|un monton|mas que nada))?"
_LIKE = rf"me (?:re |super )?(?:gustan?|encantan?|fascinan?|apasionan?|copan?|molan?|laten?|agradan?|chiflan?){_MUCH}"

_OF_WHAT = (
    r"(?= (?:el|la|los|las|que|\w+r(?:me)?)(?!\w))"
    r"(?! (?:el|la|los|las) (?:saldo|cuenta|tarjeta|doble|montos?|importes?|interes\w*|comision\w*|iva|impuestos?"
    r"|bateria|celular|movil|maletas?|archivos?|pagina|app)(?!\w))"
)
"""What a feeling is about, and not what is charged or loaded."""

_FORGETTABLE: dict[Attribute, str] = {
    "name": "nombre",
    "phone": "telefono|celular|movil|numero|whatsapp",
    "email": "correo|mail|e-?mail",
    "city": "ciudad|direccion",
    "employer": "trabajo|empresa",
    "birthday": "cumpleanos|cumple|fecha de nacimiento",
}

SPANISH = Language(
    cues=(
        cue(
            read.known_name,
            r"me llamo",
            r"mi (?:nombre(?: completo| de pila)?|apodo) es",
            r"(?:puedes|podes|puede|pueden|podeis) (?:llamarme|decirme)",
            r"(?:llamame|llameme)",
        ),
        cue(
            read.likely_name, r"soy(?: el| la)?", r"(?:les? )?habla", r"me (?:dicen|llaman)", r"(?:dime|decime|digame)"
        ),
        cue(
            read.employer,
            rf"{_WORK} (?:en|para)",
            rf"{_STARTED} en",
            r"(?:soy|estoy) (?:emplead[oa]|contratad[oa]) (?:de|en|por)",
        ),
        cue(read.plainly(read.employer), rf"{_WORK}{_BETWEEN} (?:en|para)"),
        cue(
            read.own_company,
            r"mi (?:empresa|compania|empleador|lugar de trabajo)(?: actual)? (?:es|se llama)",
            r"la (?:empresa|compania) (?:donde|en la que|en que|para la que) (?:trabajo|laburo|curro) (?:es|se llama)",
        ),
        cue(
            read.role,
            rf"{_WORK} como",
            r"me desempeno como",
            r"ejerzo (?:como|de)",
            r"mi (?:profesion|puesto|cargo|ocupacion|oficio)(?: actual)? es(?: el| la)?(?: de)?",
            r"me dedico a",
        ),
        cue(read.occupation, rf"{_WORK}{_BETWEEN} (?:de|como)"),
        cue(read.occupation, r"soy(?: el| la| un| una)?", rf"{_WORK} de", r"mi trabajo es(?: de)?", r"estudie para"),
        cue(
            read.unit("department"),
            r"mi (?:departamento|area|sector|gerencia|division)(?: en la empresa| de trabajo)? (?:es|se llama)",
            rf"(?:{_WORK}|estoy|soy|formo parte|pertenezco) (?:en|de|del|al) (?:el |la )?(?:departamento|area"
            rf"|sector|gerencia|division)",
        ),
        cue(
            read.unit("team"),
            r"mi (?:equipo|squad|escuadra)(?: de trabajo)? (?:es|se llama)",
            rf"(?:{_WORK}|estoy|soy|formo parte|pertenezco) (?:en|de|del|al) (?:el )?(?:equipo|squad)",
        ),
        cue(read.sure_city, rf"(?:vivo|resido|vivimos){_BETWEEN} en"),
        cue(read.city, _LIVE, r"mi ciudad es", r"vivo y (?:trabajo|estudio) en"),
        cue(
            read.email,
            r"mi (?:\w+ )?(?:e-?mail|mail|correo|correo electronico|direccion de correo)"
            r"(?: [a-z]+(?![\w@.+-]))?(?: es)?",
            r"(?:escribeme|escribime|escribanme|escribidme|contactame|mandame un (?:mail|correo)) (?:a|al)",
            r"(?:puedes?|podes|pueden|podeis) (?:escribirme|contactarme|mandarme (?:un )?(?:mail|correo)) (?:a|al)",
        ),
        cue(
            read.phone,
            r"mi (?:\w+ )?(?:numero|telefono|celular|movil|cel|tel|fono|whatsapp|wasap)(?: de (?:telefono|celular"
            r"|movil|whatsapp|contacto))?(?: [a-z]+(?![\w@.+-]))?(?: es)?(?: el)?",
            r"(?:llamame|llamenme|escribeme|escribime) al",
        ),
        cue(
            read.birthday,
            r"mi (?:cumpleanos|cumple|fecha de nacimiento) (?:es|cae)",
            r"(?:cumplo anos|naci)",
        ),
        cue(
            read.tongue,
            r"(?:hablo|domino|me defiendo en|estoy aprendiendo a hablar)",
            r"mi (?:idioma|lengua)(?: (?:nativ[oa]|matern[oa]|principal|de casa))? es",
        ),
        cue(
            read.named("family"),
            rf"mis? {RELATIVES}(?: \w+)? se llaman?",
            rf"(?:tengo|tenemos) (?:una?|\w+) {RELATIVES}(?: \w+)? (?:que se llaman?|llamad[oa]s?|de nombre)",
        ),
        cue(read.counted("family"), rf"(?:tengo|tenemos) (?=(?:una?|dos|tres|cuatro|cinco|seis|\d) {RELATIVES}(?!\w))"),
        cue(
            read.named("pet"),
            rf"(?:mis?|nuestr[oa]s?) {ANIMALS}(?: \w+)? se llaman?",
            rf"(?:tengo|tenemos) (?:una?|\w+) {ANIMALS}(?: \w+)? (?:que se llaman?|llamad[oa]s?|de nombre)",
        ),
        cue(read.counted("pet"), rf"(?:tengo|tenemos) (?=(?:una?|dos|tres|cuatro|cinco|seis|\d) {ANIMALS}(?!\w))"),
        cue(
            read.undated,
            rf"(?:el |la |este |esta |en |para )?{WHEN},? (?:ya )?(?:(?:voy|vamos) a|pienso|planeo|quiero)"
            r" (?=\w+r(?!\w)|\w+rme)",
            rf"(?:el |la |este |esta |en )?{WHEN},? (?=(?:viajo|me caso|me mudo|me jubilo|vuelo a)(?!\w))",
            rf"(?:el |la |este |esta |en )?{WHEN},? tengo (?:una? )?(?=(?:entrevista|examen|vuelo|boda|viaje|cita|turno"
            r"|operacion|cirugia|consulta)(?!\w))",
        ),
        cue(
            read.dated,
            r"(?:(?:voy|vamos) a|pienso|planeo|tengo (?:pensado|planeado|previsto)|tengo planes de|estoy planeando"
            r"|planeamos|pensamos|mi plan es) (?=\w+r(?!\w)|\w+rme|\w+rnos)",
            r"(?=(?:viajo|me caso|nos casamos|me mudo|nos mudamos|me jubilo|me voy de (?:viaje|vacaciones)|vuelo a) )",
            r"tengo (?=(?:una? )?(?:entrevista|examen|vuelo|boda|viaje|cita|turno|operacion|cirugia|consulta|mudanza"
            r"|concierto|presentacion)(?!\w))",
        ),
        cue(
            read.phrase("likes"),
            _LIKE,
            r"(?:amo|adoro|disfruto(?: mucho)?(?: de)?)",
            r"soy (?:muy |super |re )?(?:fan|fanatic[oa]|hincha|aficionad[oa]|amante|seguidor|seguidora) (?:de|del"
            r"|a|al)",
            r"mi \w+(?: \w+)? (?:favorit[oa]|preferid[oa]) (?:es|son)",
            r"lo que mas me gusta(?: en la vida| del mundo| hacer)? es",
        ),
        cue(
            read.phrase("dislikes"),
            rf"(?:ya )?no {_LIKE}",
            r"(?:odio|detesto|aborrezco|me disgustan?|me desagradan?|me repatean?|me revientan?)",
            rf"me (?:cargan?|chocan?|enferman?|dan? (?:asco|grima|fobia|flojera|pereza|fiaca|lata)){_OF_WHAT}",
            r"no (?:soporto|aguanto|tolero|banco|trago)",
        ),
        cue(
            read.preference,
            r"prefiero",
            r"mi preferencia es",
        ),
        cue(
            read.instruction,
            r"(?=(?:responde|respondeme|contesta|contestame|habla|hablame|tratame|escribeme|escribime|tutea"
            r"|tuteame) siempre)",
            r"siempre (?=(?:responde|contesta|habla|trata|tutea)(?:me|le|nos)?(?!\w))",
        ),
        cue(
            read.everything,
            r"(?:recuerda|recorda|recuerde|recuerden|acuerdate|acordate|acuerdese|no (?:te )?olvides|no olvide"
            r"|no se te olvide"
            r"|ten(?:e|ga|gan)? (?:en cuenta|presente)|toma nota|tome nota|anota|apunta|guarda|memoriza"
            r"|quiero que (?:recuerdes|sepas))"
            r"(?: siempre| por favor| bien)?(?: de)? que",
            r"(?:recuerda|recorda|recuerde|acuerdate|acordate|toma nota|anota|apunta|memoriza)(?: esto"
            r"| lo siguiente| por favor)?(?=:)",
            r"no (?:te )?olvides (?=mis? )",
        ),
    ),
    denials=(
        cue(
            read.employer,
            r"(?:deje de (?:trabajar|laburar|chambear|currar)|trabajaba|laburaba|chambeaba|curraba) (?:en|para)",
            r"(?:renuncie a|sali de|me fui de|me echaron de|me despidieron de|me corrieron de)(?: mi trabajo en)?",
        ),
        cue(read.city, r"(?:deje de vivir|vivia|viviamos) en", r"(?:me fui|nos fuimos|me mude) de"),
        cue(read.occupation, r"(?:deje de ser|era)"),
        cue(read.tongue, r"olvide(?=\W+el)"),
    ),
    gone=(
        (
            "employer",
            pattern(
                r"ya no trabajo(?=\W*(?:$|,|y |porque|mas))",
                r"me (?:despidieron|echaron|corrieron)(?=\W*(?:$|,|y |ayer|hoy|del trabajo|la semana))",
                r"(?:me quede|estoy|ando) (?:sin (?:trabajo|laburo|empleo|curro|chamba)|desemplead[oa]"
                r"|en (?:el )?paro)",
                r"(?:renuncie|me jubile)(?=\W*(?:$|,|y |ayer|hoy|al trabajo|la semana|el mes|hace))",
            ),
        ),
        ("pet", pattern(rf"(?:ya no tengo|(?:se )?murio mi|fallecio mi) (?:mas )?{ANIMALS}")),
        *(
            (
                attribute,
                pattern(
                    rf"(?:olvida|olvidate de|olvide|olvidese de|borra|borre|elimina|elimine|ya no us[oe])"
                    rf" (?:mi|ese|este) "
                    rf"(?:\w+ )?(?:{nouns})"
                ),
            )
            for attribute, nouns in _FORGETTABLE.items()
        ),
    ),
    forget=pattern(
        r"(?<!no\x20)(?<!no\x20te\x20)(?<!no\x20se\x20te\x20)(?:olvida|olvidate de|olvide|olvidese de|borra) que"
    ),
    tails={
        "country": (cue(read.sure_city, r"en"),),
        "employer": (
            cue(read.role, r"como"),
            cue(read.occupation, r"(?:de|soy)"),
            cue(read.unit("department"), r"en (?:el |la )?(?:departamento|area|sector)"),
            cue(read.unit("team"), r"en (?:el )?equipo"),
            cue(read.sure_city, r"en"),
        ),
        "job": (
            cue(read.unit("team"), r"en (?:el )?equipo"),
            cue(read.employer, r"en|para"),
            cue(read.company, r"de|del"),
            cue(read.sure_city, r"en"),
        ),
        "department": (cue(read.own_company, r"de|del|en|para"),),
        "team": (cue(read.own_company, r"de|del|en|para"),),
        "name": (cue(read.occupation, r"(?=\w)(?:(?:una?|el|la)(?= ))?"),),
    },
    articles=vocabulary("el la los las lo"),
    joiners=vocabulary("y e o u ni"),
    links=vocabulary("de del la las los el"),
    stops=vocabulary("""
        en como desde hasta hace con sin por para que quien donde cuando cuanto aunque porque pero mas_que sino si
        mientras
        entonces asi ahora hoy actualmente tambien ademas pues ya es soy eres son era fue estoy esta estan estaba
        tengo tiene
        vivo trabajo me te se nos le les lo mi mis tu tus su sus yo no ni a al ante bajo contra entre hacia segun
        sobre tras
        excepto salvo durante antes despues ayer manana igual aqui aca alla ahi siempre nunca jamas solo llamo y/o etc
        ok
        gracias saludos porfa hola luego sea mucho muchas muchos vengo quiero necesito busco puedo pueden puedes podes
        encantado
        encantada mudado gusto hablo estudio nuevamente junto cerca lejos
    """),
    breaks=vocabulary("porque pero aunque sino entonces ya_que gracias"),
    turns=vocabulary("que desde cuando mientras donde hace vivo trabajo laburo soy tengo"),
    starters=vocabulary("""
        yo me mi mis no ya vivo trabajo laburo curro soy estoy tengo quiero quisiera necesito busco estudio prefiero
        odio amo detesto
        adoro naci tambien ahora ademas puedes podes podrias puede te le les se es era fue voy hago juego toco hablo
        uso ando
        vengo creo siento llevo por para si cuando como donde que quien nos nuestro nuestra tu tus su sus ella ellos
        nosotros
        usted ustedes vos pero aunque luego despues entonces nunca siempre ayer hoy manana gracias mas menos a al en
        con sin
        espero busque pienso necesitaria queria gustaria di dime ayudame recuerda no_olvides esta estan hay son
        vivimos tenemos
        resido llamame cumplo disfruto hace desde este trabaja vive estudia
    """),
    fillers=vocabulary("""
        mucho muchisimo bastante tambien ademas demasiado tanto nada siempre ahora actualmente porfa favor por gracias
        jaja jajaja
        jeje ja verdad la_verdad muy etc todavia hoy igual especialmente sobre todo aun che saludos hola ok
    """),
    vacuous=pattern(
        r"\W*(?:que|como|cuando|cuanto|donde|quien|si|eso|esto|asi|ello|ese|esa|esos|esas|este|esta|estos|estas"
        r"|aquello|aquel|aquella"
        r"|lo|algo|todo|nada|tu|tus|su|sus|vos|ti|usted|te|la idea|idea|la propuesta|propuesta|(?:la )?respuesta|es"
        r"|son|era|fue|pensar que|creer que"
        r"|decir(?:lo|te|les|le)?|no|mi|mis|a|mucho que|mas|menos|el (?:primero|segundo|tercero|ultimo|otro)"
        r"|la (?:primera|segunda|tercera|ultima|otra)"
        r"|(?:primer[oa]|segund[oa]|tercer[oa]|ultim[oa]|otr[oa])|el del|ambos|ambas|y|o|pero|porque|aunque"
        r"|molestar(?:te|lo)?|llamar la|seria|sea|ser|estar)(?![\w'-]).*"
    ),
    blockers=pattern(
        r"si(?! bien)",
        r"ojala",
        r"cuando",
        r"como si",
        r"tal vez",
        r"quizas?",
        r"a lo mejor",
        r"capaz que",
        r"suponiendo",
        r"supongamos",
        r"imagina\w*",
        r"finge\w*",
        r"siempre que",
        r"a menos que",
        r"antes de que",
        r"hasta que",
        r"(?:por que|como|donde|cual|quien)(?: es que)?(?: yo)?\s*$",
    ),
    reports=pattern(
        r"(?:dijo|dice|(?<!me\x20)dicen|dicen(?= que)|dijeron|decia|decian|cree que|creen que|piensa que|piensan que"
        r"|pensaba que|segun"
        r"|pregunto|preguntan?|respondio"
        r"|contesto|conto que|cuenta que|afirma|afirmo|insiste|escribio|mintio|invento|grito|canta|la frase"
        r"|el titulo|el lema)(?! que sepas)",
    ),
    negations=pattern(
        r"no", r"nunca", r"jamas", r"tampoco", r"ni", r"sin", r"ya no", r"dudo que", r"es (?:falso|mentira) que"
    ),
    nouns=pattern(
        r"(?:el|un|mi|tu|su|del|al|este|ese|aquel|otro|de|mucho|buen|mal|gran|primer|nuevo|con|sin|por|busco"
        r"|buscando|hay|conseguir|encontrar|buscar"
        r"|tener|ofrezco|ofrecen|consegui|encontre|quiero|tengo|tuve|cada|cualquier|algun|ningun|mas|en|usted|ella"
        r"|ellos|quien|nadie"
        r"|(?:lo|algo|alguien|cosas?|persona|gente|los|las|la|unico|unica|todo) que(?: mas)?)\s*$"
    ),
)
