"""The small words that values are cut by, and what takes a statement back."""

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.language import SentenceChecks, pattern

ARTICLES = word_set("el la los las lo")

JOINERS = word_set("y e o u ni")

LINKS = word_set("de del la las los el")

STOPS = word_set("""
tngo aki d kiero xq pq q k tb tmb dnd cmo kon x pa
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
    """)

BREAKS = word_set("porque pero aunque sino entonces ya_que gracias")

TURNS = word_set("que desde cuando mientras donde hace vivo trabajo laburo soy tengo")

STARTERS = word_set("""
tngo kiero ando m toy
        yo me mi mis no ya vivo trabajo laburo curro soy estoy tengo quiero quisiera necesito busco estudio prefiero
        odio amo detesto
        adoro naci tambien ahora ademas puedes podes podrias puede te le les se es era fue voy hago juego toco hablo
        uso ando
        vengo creo siento llevo por para si cuando como donde que quien nos nuestro nuestra tu tus su sus ella ellos
        nosotros
        usted ustedes vos pero aunque luego despues entonces nunca siempre ayer hoy manana gracias mas menos a al en
        con sin
        espero busque pienso necesitaria queria gustaria di dime ayudame recuerda no_olvides esta estan hay son
        vivimos tenemos padezco sufro
        resido llamame cumplo disfruto hace desde este trabaja vive estudia aliento hincho duermo bebo leo escucho veo
        juego practico entreno corro nado cocino manejo
    """)

FILLERS = word_set("""
mt mto muito mxo
        mucho muchisimo bastante tambien ademas demasiado tanto nada siempre ahora actualmente porfa favor por gracias
        jaja jajaja
        jeje ja verdad la_verdad muy etc todavia hoy igual especialmente sobre todo aun che saludos hola ok
    """)

VACUOUS = pattern(
    r"\W*(?:(?:l[ao]s )?(?:dos|tres|ambas|ambos)(?= (?:opciones|cosas|ideas|propuestas|versiones))|isso|isto"
    r"|demais|quando|que|como|cuando|cuanto|donde|quien|kien|si|eso|esto|asi|ello|ese|esa|esos|esas|este|esta"
    r"|estos|estas"
    r"|aquello|aquel|aquella"
    r"|lo|algo|todo|nada|tu|tus|su|sus|vos|ti|usted|ustedes|te|todos|vosotros|voce|vc|vcs|voces|u|la idea"
    r"|idea|la propuesta|propuesta|(?:la )?respuesta|es"
    r"|son|era|fue|pensar que|creer que"
    r"|decir(?:lo|te|les|le)?|no|mi|mis|a|mucho que|mas|menos|el (?:primero|segundo|tercero|ultimo|otro)"
    r"|la (?:primera|segunda|tercera|ultima|otra)"
    r"|(?:primer[oa]|segund[oa]|tercer[oa]|ultim[oa]|otr[oa])|el del|ambos|ambas|y|o|pero|porque|aunque"
    r"|molestar(?:te|lo)?|llamar la|seria|sea|ser|estar)(?![\w'-]).*"
)

BLOCKERS = pattern(
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
)

REPORTS = pattern(
    r"(?:dijo|dice|(?<!me\x20)dicen|dicen(?= que)|dijeron|decia|decian|cree que|creen que|piensa que|piensan que"
    r"|pensaba que|segun"
    r"|pregunto|preguntan?|respondio"
    r"|contesto|conto que|cuenta que|me (?:suelta|solto) que"
    r"|afirma|afirmo|insiste|escribio|mintio|invento|grito|canta|la frase"
    r"|el titulo|el lema)(?! que sepas)"
)

NEGATIONS = pattern(
    r"no", r"nunca", r"jamas", r"tampoco", r"ni", r"sin", r"ya no", r"dudo que", r"es (?:falso|mentira) que"
)

NOUNS = pattern(
    r"(?:el|un|mi|tu|su|del|al|este|ese|aquel|otro|de|mucho|buen|mal|gran|primer|nuevo|con|sin|por|busco"
    r"|buscando|hay|conseguir|encontrar|buscar"
    r"|tener|ofrezco|ofrecen|consegui|encontre|quiero|tengo|tuve|cada|cualquier|algun|ningun|mas|en|usted|ella"
    r"|ellos|quien|nadie"
    r"|(?:lo|algo|alguien|cosas?|persona|gente|los|las|la|unico|unica|todo) que(?: mas)?)\s*$"
)

_DOES = (
    r"(?:vive|trabaja|es|esta|tiene|estudia|nacio|se llama|se (?:mudo|fue|caso)|gana|dijo|dice|quiere|prefiere|odia|ama"
    r"|adora|come|usa|habla|naci[oe]ron|viven|trabajan|son|estan|tienen|era|fue|le (?:gusta|encanta)n?|cumple|va|viene"
    r"|llama|queda|parece|hace|suele|puede|debe|cuesta)"
)

HEARSAY = SentenceChecks(
    oneself=pattern(
        r"(?:yo|me|mi|mis|mi[oa]s?|conmigo|nos|nosotr[oa]s|nuestr[oa]s?|soy|estoy|tengo|voy|vamos|\w+(?:amos|emos|imos)"
        r"|vivo|trabajo|laburo|curro|estudio|resido|uso|hablo|como|cumplo|odio|amo|prefiero|dej[eo]|empec[eo]|naci"
        r"|ando|sigo|llevo|gano|quiero|necesito|vengo|juego|toco|hago|puedo|viajo|pienso|detesto|adoro|ac[ae]|aqui)"
    ),
    others=pattern(
        rf"(?:mis?|sus?|tus?|nuestr[oa]s?|el|la|los|las|una?|este|esta|es[ea]|aquel(?:la)?) (?:[\w-]+ ){{1,5}}?{_DOES}",
        rf"(?:el|ella|ellos|ellas|alguien|quien|uno|todos|cualquiera|[a-z]+ y [a-z]+) {_DOES}",
        r"(?:de|del|para|con) (?:mi|su|tu) (?:jef[ea]|amig[oa]|vecin[oa]|colega|compa\w*|soci[oa]|client[ea]|novi[oa]"
        r"|espos[oa]|herman[oa]|hij[oa]|madre|padre)",
    ),
    past=pattern(
        r"(?:vivia|vivi|vivimos en (?:19|20)\d\d|trabajaba|trabaje|era|fui|solia|antes|anteriormente|de chic[oa]"
        r"|cuando era|ex|hace (?:anos|tiempo) (?!que)|en (?:19|20)\d\d|me llamaba|tenia|estuve|estaba|alguna vez)"
    ),
    wishes=pattern(
        r"(?:quiero|quisiera|querria|gustaria|encantaria|podria|pienso|sueno|planeo|voy a|ir a|visit\w+|viaj\w+|paseo"
        r"|vacaciones|postul\w+|entrevista\w*|ojala|si (?:yo )?\w+(?:ra|se|ria)s?|\w{3,}ri[ae]n?|tal vez|quizas?|capaz"
        r"|a lo mejor|imagin\w+|supon\w+|como si)"
    ),
    over=pattern(
        r"(?:no|nunca|dej[eo]\w*|termin\w+|acab\w+|atras|fue|fui|renunci\w+|despid\w+|despedi\w+|ech\w+|perd\w+|mud\w+"
        r"|cambi\w+|adios|ya fue|murio|fallecio|separ\w+|divorci\w+|vend\w+|cancel\w+|abandon\w+|olvid\w+|harto|harta)"
    ),
)
