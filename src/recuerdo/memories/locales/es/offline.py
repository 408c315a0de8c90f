"""How the offline model reads and answers in this language."""

import re

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.lexicon.households import RELATIVES
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.locales.es.phrases import DEATHS
from recuerdo.memories.locales.offline_language import OfflineLanguage, Phrases, only, starts, within

_WORK = (
    r"(?:es que )?(?:yo )?(?:trabajo|trabajaba|trabaje|laburo|laburaba|curro|curraba|chambeo|estoy trabajando"
    r"|estoy laburando|estoy empleado|estoy empleada)"
)
_LIVE = r"(?:es que )?(?:yo )?(?:vivo|vivia|vivi|resido|residia|estoy viviendo|estoy)"
_KNOW = r"(?:sabes|sabe|sabeis|recuerdas|recordas|recuerda|conoces|tienes|tenes|te acuerdas|te acordas)"

OFFLINE = OfflineLanguage(
    markers=word_set(
        "el los las una unos unas y que es en con por para como donde cuando cual quien quienes mi mis tus yo "
        "soy eres sos estoy esta estas hola gracias buenos buenas dias llamo llamas trabajo trabajas vivo "
        "vives gusta gustan encanta prefiero odio nombre empresa ciudad correo cumpleanos recuerda recuerdas "
        "recordas sabes sobre hoy manana ayer pero muy mas tambien si no del al lo le se nos porque dime "
        "decime cuentame quiero tengo tienes hay fue dije dijiste adios chau hasta luego perro gato hermana "
        "hermano conversacion de ta toy klk mami papi me te a o un la su ya olvida olvidalo olvidate olvidame "
        "todo pq porfa pa siempre usted responde cuanto cuantos cuantas debe puedes podes recuerdame "
        "recordame recordarme tiene ahora llama dice va hace sin hijo hija asi quiere voy otra otro dejo "
        "lunes martes miercoles jueves viernes trabaja ella eso hago bien mejor solo noche madre han vino dio "
        "puedo cuatro conmigo ahi nadie esa ese pues hacer despues veces algun alguna todavia san pague siete "
        "dolares quincena cuotas traigo naci cumplio"
    ),
    letters=Pattern(r"[ñ¿¡]|ción\b|ieron\b|\w{3}ó\b|\b(?:qué|cómo|dónde|cuál|quién|cuándo)\b"),
    stop_words=word_set(
        "oye oiga mira mire bueno pues vale ay "
        "hora horas "
        "el la los las un una unos unas lo al del de a en con por para y e o u que es son era fue ser estar esta este "
        "esto estos estas esa ese eso esas esos mi mis me tu tus te ti yo vos usted se su sus nos le les no si ya muy "
        "mas menos tan cual cuales quien quienes como donde adonde cuando cuanto cuantos cuanta cuantas sabes sabe "
        "recuerdas recordas recuerda acuerdas acordas dime decime dije dijiste dicho sobre acerca hay he has ha tengo "
        "tiene tienes puedes podes puede favor hola gracias ahora antes tambien pero porque cosa cosas soy eres sos "
        "estoy conte mencione quiero quiere quieres hablamos hable pues entonces ok vale"
    ),
    spellings={"q": "que", "k": "que", "ke": "que", "dnd": "donde", "cmo": "como", "cndo": "cuando", "xq": "porque"},
    openers=starts(
        r"y (?:donde|cuando|quien|cual|como|cuantos|a que|de que|en que)(?!\w)",
        r"y (?:antes|ahora)(?: (?:de eso|donde|que|cual|cuando|quien|a que|de que|en que)(?!\w).*)?$",
        r"(?:y )?(?:mis?|el|la) \w+ (?:cuando|(?:de )?donde|(?:de |a )?que|cuant[oa]s(?: anos)?) \w+$",
        "cual",
        "cuales",
        "quien",
        "quienes",
        "donde",
        "adonde",
        "en donde",
        "de donde",
        "para quien",
        "con quien",
        "por que",
        "para que",
        "en que",
        "a que",
        "de que",
        "en cual",
        "me (?:pasas|recuerdas|recordas|dices|decis|das|repites) (?:mi|el|la|cual|como|donde|que)",
        "(?:y )?(?:yo )?(?:puedo|debo|deberia|podria|tendre que)",
        "(?:y )?(?:yo )?(?:todavia|aun|sigo) ",
        r"(?:y )?(?:yo )?(?:tengo|soy|hay|tomo|hablo|uso|me han) (?:\w+ ){0,4}alg(?:o|un|una|uno|unos)\b",
        "sabes",
        "sabe usted",
        "recuerdas",
        "recordas",
        "te acuerdas",
        "te acordas",
        "puedes",
        "podes",
        "podrias",
        "dime",
        "decime",
        "digame",
        "cuentame",
        "contame",
        "hablame",
        "resume",
        "resumi",
        "resumeme",
        "hazme un resumen",
        "haceme un resumen",
        "y tu$",
        "y vos$",
    ),
    wh_words=starts("que", "como(?! (?:poc|much|de todo))", "cuando", "cuanto", "cuantos", "cuanta", "cuantas"),
    asks_liking=starts(r"(?:y )?(?:a mi )?(?:todavia |aun )?(?:no )?me gustan?(?= \w)"),
    accented=Pattern(r"(?:y |pero |hola,? )?(?:qué|cómo|cuándo|cuánt[oa]s?|cuál(?:es)?|quién(?:es)?|dónde)\b", re.I),
    requests=starts(
        *("escribe", "escribi", "escribeme", "haz", "hazme", "hace un", "haceme", "dame", "explica"),
        *("explicame", "traduce", "traduci", "ayudame", "busca", "buscame", "calcula", "crea", "genera"),
        *("lista", "muestra", "mostrame", "muestrame", "por favor", "necesito que", "quiero que"),
        *("recomienda(?:me)?", "recomendame", "sugiere(?:me)?", "dime", "decime", "responde", "ignora"),
        *("olvida", "repite", "repeti", "(?:cont|cuent|dig|dec)(?:a|i|ime|ate|ame|anos) un"),
    ),
    greetings=only(
        "(?:hola+|holi+s?|oe|ola|epa|aloha)(?: recuerdo)?",
        "(?:de nuevo|otra vez|aca (?:ando|estoy) de nuevo|soy yo(?: otra vez| de nuevo)?)",
        "(?:parce|parcero|che|loco|causa|pana|amig[oa]|compa|vale|tio|wey|guey|bro|chic[oa]s?)",
        "buen dia",
        "buen(?:o|a)s(?: dias| tardes| noches)?",
        "hey",
        "saludos",
        "(?:ey |oye )?(?:que|q) (?:tal|onda|hubo|hay|tranza|lo que|mas (?:pues|parce(?:ro)?))(?: estas)?",
        "(?:klk|quiubo|quihubo|que iubo|wena+s?|buena+s)(?: pues| parce(?:ro)?)?",
        "como (?:estas|esta|tu (?:estas|ta)|va|va todo|andas|te va|estas hoy)",
        "(?:(?:se )?(?:puede|podemos|puedo) (?:hablar|charlar|conversar|platicar)(?: con(?:tigo| vos| usted))?)",
        "(?:hay alguien|estas)(?: por)? (?:ahi|aqui|aca)",
    ),
    thanks=starts(
        "(?:(?:ok|vale|perfecto|bueno|listo|ah|ay|ja(?:ja)+) )*(?:muchas |mil |muchisimas )?gracias"
        "(?! al | a (?!ti|vos|usted))",
        "te (?:lo )?agradezco",
    ),
    farewells=starts(
        *("(?:bueno )?(?:ya )?me (?:voy|despido)(?= |$)", "adios", "chau", "chao"),
        *("hasta (?:luego|manana|pronto|la vista|la proxima)", "nos (?:vemos|hablamos)"),
        *("hablamos (?:luego|manana|pronto|despues)", "(?:bueno )?(?:te|los|les|os) dejo(?= |$)"),
        "que descanses",
    ),
    past=within(
        *("antes(?! de)", "anterior(?:es|mente)?"),
        "(?:vivia|trabajaba|estudiaba|era|tenia|usaba|solia|estaba|(?:me )?gustaba|preferia|me dedicaba)",
        *("ex", "en el pasado", "(?:al|en un) principio|originalmente", "el (?:ano|mes) pasado"),
        *("(?:desde|hasta) cuando", "hace cuanto", "he (?:vivido|trabajado|estudiado)"),
        "cuando (?:me )?(?:mude|cambie|deje|empece|termine)",
    ),
    since=within("desde cuando", "desde que (?:fecha|dia|ano)", "hace cuanto", "cuanto (?:hace|tiempo llevo)"),
    asks_assistant=within(
        "(?:me |te )?(?:recomendaste|sugeriste|aconsejaste|propusiste|respondiste|contestaste)",
        "me (?:dijiste|contaste|diste) (?:tu|vos)",
        "tu (?:recomendacion|sugerencia|consejo|respuesta|propuesta)",
    ),
    corrections=within(
        *("perdon", "corrijo", "me equivoque", "(?:lo |la |los |las )?cambi(?:e|o|aron|amos|ado)"),
        *("(?:aplaz|retras|adelant|reemplaz)(?:e|o|aron|amos|ado)", "al final", "en realidad", "mejor dicho"),
        *("ahora", "ya no", "movi(?:eron|mos|o)?", "pospusi?(?:eron|mos|o|e)"),
        "(?:se|me lo|me la) (?:paso|paso el|movio|cambio) (?:al?|para)",
        *("(?:me )?(?:subi|baj)(?:o|eron|aron)", "aument(?:o|aron)"),
    ),
    wellbeing=only(
        "(?:klk )?como (?:vamos|estas|esta|tu (?:estas|ta)|estan|va|va todo|andas|anda|te va|te sientes|estas hoy)",
        "como esta usted",
        "que tal (?:estas|vas|andas|va todo|has estado)",
        "(?:y )?que tal (?:tu dia|el dia|va tu dia|todo|te va)",
        "todo bien",
    ),
    grief=within(
        DEATHS,
        "(?:estoy|ando|me siento) (?:(?:muy|tan|re|bien|super) )?(?:triste|deprimid[oa]|devastad[oa]|destrozad[oa])",
    ),
    cheers=within("(?:hincha|fanatic[oa]|soy del?|le voy al?|aficionad[oa]|socio|mi (?:equipo|cuadro|club))"),
    no_longer=within(
        "ya no",
        "dej(?:[eo]|ado)",
        "(?:me )?(?:fui|marche|sali|mude) de",
        "renuncie",
        "me (?:corrieron|echaron|despidieron)",
        "(?:vend|perd|devolv)(?:i|io|imos|ieron|ido)|murio|fallecio",
        "(?:cancel|termin|acab|rob|cerr)(?:e|o|amos|aron|ado)",
        "ya (?:\\w+ )?(?:pag(?:ue|o|aron)|devolvio|esta pagad[oa])",
    ),
    others=word_set(
        "hermana hermano hermanas hermanos hijo hija hijos hijas nieto nieta abuelo abuela mama papa madre padre "
        "vieja viejo tio tia primo prima sobrino sobrina novio novia esposo esposa marido mujer pareja suegra "
        "suegro cunado cunada amigo amiga vecino vecina jefe jefa companero companera doctor doctora medico medica "
        "dentista veterinaria veterinario tecnico profesor profesora perro perra gato gata mascota comadre compadre "
        "polola pololo familia equipos"
    ),
    synonyms=(
        word_set("esposa esposo marido mujer casado casada"),
        word_set("novia morra polola chava pareja piba"),
        word_set("novio morro pololo chavo"),
        word_set("madre mama mami jefa"),
        word_set("padre papa papi jefe"),
        word_set("hijo chavo chamaco nene crio"),
        word_set("medicina medicamento pastilla pastillas remedio"),
        word_set("coche auto carro"),
        word_set("trabajo curro laburo chamba empleo pega"),
        word_set("internet wifi inter"),
        word_set("contrasena clave password codigo"),
        word_set("alquiler renta arriendo"),
        word_set("piso departamento depto apartamento"),
        word_set("enseno doy"),
        word_set("tengo tenemos"),
        word_set("telefono celular movil cel"),
        word_set("viaje vacaciones"),
        word_set("vive vivo vivia reside radica"),
        word_set("trabaja labura chambea"),
    ),
    counts_relatives=only(rf"(?:y )?cuant[oa]s (?P<who>{RELATIVES}) (?:tengo|es que tengo|tenia yo)"),
    asks_who_is=only(r"(?:(?:y|oye|che|sabes|te acuerdas) )?(?:quien|kien) es (?:el |la )?(?P<name>\w+(?: \w+)?)"),
    asks_name_of=only(
        r"(?:(?:y|oye|che|a ver|(?:te acuerdas|sabes|recuerdas)(?: de)?) )?(?:como (?:se llaman?|le digo)(?: a)?"
        r"|(?:(?:cual|cuales|que) (?:es|son) )?(?:el |los )?nombres? de|quien(?:es)? (?:es|son)) "
        rf"(?:mis?|nuestr[oa]s?) (?P<who>{RELATIVES})",
        rf"(?:y )?(?:mis?|nuestr[oa]s?) (?P<subject>{RELATIVES}) como se llaman?",
    ),
    asks_age=within("cuantos an(?:it)?os", "que edad"),
    asks_which=within("quien(?:es)?", "cual(?:es)?"),
    conjunctions=word_set("y e pero"),
    relative_pronouns=word_set("que q quien quienes cuyo cuya donde"),
    own_verbs=word_set(
        "mi mis me yo mio mia conmigo nos nuestro nuestra soy estoy tengo vivo trabajo laburo puedo tomo fumo "
        "hablo estudio voy naci debo juego toco llevo uso manejo cumplo hago"
    ),
    instructions=within(
        r"respond\w*", r"contest\w*", r"habl[ae]\w*", r"trat[ae]\w*", r"tute\w*", "llam[ae]me", "us[ae]s?", r"escrib\w*"
    ),
    named=within("espanol", "castellano", "spanish", "espanhol"),
    plus=word_set("mas"),
    minus=word_set("menos"),
    times=word_set("por x veces"),
    over=word_set("entre dividido"),
    weekdays=["lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"],
    months=[
        *("enero", "febrero", "marzo", "abril", "mayo", "junio", "julio"),
        *("agosto", "septiembre", "octubre", "noviembre", "diciembre"),
    ],
    full_date="{day} de {month} de {year}",
    topics={
        "diet": within(
            r"que (?:es lo que )?(?:no )?(?:puedo|debo) comer",
            r"(?:puedo|debo) (?:comer|beber)",
            r"mi dieta",
        ),
        "abilities": within(
            "que (?:mas )?(?:cosas )?(?:puedes|podes|sabes|puede|sabe) (?:tu |vos |usted )?hacer",
            "(?:para que|en que|con que) (?:sirves|servis|me (?:puedes|podes) ayudar|(?:puedes|podes) ayudarme)",
            "como (?:me )?(?:puedes|podes) ayudar(?:me)?",
            "que (?:haces|sabes hacer)$",
            "como funcionas",
            "^ayuda$",
        ),
        "joke": within("chistes?", "algo gracioso"),
        "today": within(
            "que (?:dia|fecha) es(?: hoy)?$",
            "que dia es hoy",
            "(?:la )?fecha de hoy",
            "a (?:cuanto|que fecha) estamos",
            "en que (?:dia|fecha) estamos",
        ),
        "identity": within(
            "quien (?:eres|sos|es usted)",
            "que (?:eres|sos)$",
            "como te llamas",
            "tu nombre",
            "y (?:tu|vos|usted)$",
            "que modelo (?:eres|sos|usas)",
            "(?:eres|sos) (?:una? )?(?:bot|robot|ia|humano|humana|modelo|persona)",
        ),
        "everything": within(
            rf"que (?:es lo que )?(?:mas )?{_KNOW} (?:vos |tu |usted )?(?:guardado )?(?:de|sobre"
            rf"|acerca de) mi(?! \w)",
            r"te (?:acuerdas|acordas) de mi(?! \w)",
            "me (?:recuerdas|recordas|conoces)$",
            "quien (?:soy yo|crees que soy) para ti",
            "(?:hablame|cuentame|contame|dime) (?:algo )?(?:de|sobre|acerca de) mi$",
            r"todo lo que sabes (?:de|sobre) mi(?! \w)",
            "que datos (?:mios )?(?:tienes|tenes|guardas)",
            r"que (?:has|habeis) (?:aprendido|guardado) (?:de|sobre) mi(?! \w)",
        ),
        "recap": within(
            "que (?:fue lo que |es lo que )?(?:yo )?te (?:dije|conte|he (?:dicho|contado)|acabo de (?:decir|contar))",
            "que (?:acabo de (?:decir|escribir|contar)|dije|he dicho|escribi)",
            "lo (?:ultimo )?que (?:te )?dije",
            "de que (?:hablamos|hemos hablado|estabamos hablando|veniamos hablando|estamos hablando|hablabamos)",
            "(?:resume|resumi|resumeme|resumir|resumen)(?: de)?(?: la| esta| nuestra)?(?: conversacion| charla)?",
        ),
        "remember": within(
            "te (?:pedi|dije|he pedido|habia pedido) (?:que )?(?:recordar(?:as)?|recuerdes|te acordaras)",
            "que (?:debes|tienes que|tenias que|debias) recordar",
        ),
        "name": within(
            "me llamo",
            r"mi nombre(?! de)",
            "quien soy(?: yo)?",
            "como me (?:llaman|dicen|llamaba|llame)",
            "mi apellido",
        ),
        "employer": within(
            rf"(?:donde|(?:para|con) quien|(?:en|para) (?:que|cual) (?:empresa|compania|lugar|sitio)) {_WORK}",
            "(?:mi|la) empresa(?: actual)?(?: (?:en|para) la que trabajo)?",
            "mi (?:compania|empleador|empleadora)",
            "mi lugar de trabajo",
            "quien me (?:emplea|contrato|contrata)",
            "que empresa (?:es la mia|trabajo)",
            "donde (?:queda|esta) mi (?:trabajo|oficina)",
            "mis jefes",
        ),
        "job": within(
            rf"(?:en|de) que {_WORK}",
            "a que (?:es que |es lo que )?(?:yo )?me dedico",
            "que hago (?:para vivir|en el trabajo)",
            "mi (?:trabajo|profesion|oficio|ocupacion|puesto|cargo|rol|empleo|laburo)",
            "que (?:puesto|cargo|rol) tengo",
            "que (?:es lo que )?hago$",
            "que soy de profesion",
            "de que vivo",
        ),
        "department": within(
            "mi (?:departamento|area|sector|seccion)", "(?:en|de|a) (?:que|cual) (?:departamento|area|sector|seccion)"
        ),
        "team": within("mi equipo(?! favorit)", "(?:en|a|de) (?:que|cual) equipo(?! juega)"),
        "city": within(
            rf"(?:donde|(?:en|a) (?:que|cual) (?:ciudad|lugar|pais|pueblo|parte)) {_LIVE}(?! trabaj| labur| emple)",
            "mi ciudad(?! favorit)",
            "que (?:ciudades|lugares|sitios|paises) he vivido",
            "mi (?:domicilio|direccion(?! (?:de|del) )|pueblo|casa)",
            "lugar de residencia",
        ),
        "origin": within("de (?:donde|que ciudad|que pais|que pueblo) (?:soy|vengo)", "donde naci"),
        "age": within("(?:cuantos anos|que edad) tengo", "mi edad"),
        "health": within(
            r"algun(?:a)? (?:enfermedad|problema de salud|padecimiento|mal)(?: tengo)?",
            r"(?:que|cuales) (?:son mis )?(?:enfermedades|males|padecimientos)(?: tengo)?",
            r"mi salud",
            "que (?:enfermedad(?:es)?|problemas? de salud) (?:tengo|padezco|sufro)",
            "(?:que|de que) (?:padezco|sufro)$",
        ),
        "allergy": within("a que (?:soy|tengo) (?:alergi|intoleran)\\w+", "mis? alergias?", "alergic[oa] a que$"),
        "pet": within(
            "(?:que|cuales|cuantas|cuantos) (?:son )?(?:mis )?(?:mascotas|animales|bichos)",
            "tengo (?:alguna |algun )?(?:mascotas?|animal(?:es)?)",
        ),
        "plan": within("(?:que|cuales son mis|mis) planes(?: tengo)?"),
        "studies": within(
            "que (?:carrera )?(?:estudio|estudie|estudiaba|estoy estudiando)", "mis? (?:estudios|carrera)"
        ),
        "possession": within(
            "(?:que|cual es mi) (?:coche|auto|carro|moto|camioneta|bici(?:cleta)?)"
            "(?: (?:tengo|manejo|conduzco|uso|tenia|manejaba|conducia))?",
            "que (?:manejo|conduzco|manejaba|conducia)",
        ),
        "marital_status": within("(?:estoy|soy) (?:casad[oa]|solter[oa]|divorciad[oa])", "mi estado civil"),
        "language": within(
            "(?:que|cuales|cuantos) (?:idiomas|lenguas) (?:es que )?(?:hablo|se)", "mis (?:idiomas|lenguas)"
        ),
        "email": within("mi (?:e ?mail|mail|correo|direccion de (?:correo|e ?mail)|casilla)"),
        "phone": within(
            "mi (?:telefono|celular|movil|cel|whatsapp|numero(?! favorit)(?: de (?:telefono|celular|movil))?)"
        ),
        "birthday": within(
            "mi (?:cumpleanos|cumple|fecha de nacimiento|dia de nacimiento)",
            "cuando (?:cumplo|naci|es que cumplo)",
            "que dia (?:cumplo|naci)",
        ),
        "dislikes": within(
            "no me (?:gustan?|agradan?|encantan?)",
            "(?:odio|detesto|aborrezco)",
            "me (?:disgustan?|molestan?|desagradan?)",
        ),
        "likes": within(
            "(?<!no )me (?:gustan?|encantan?|agradan?|apasionan?|interesan?|fascinan?)",
            "mis (?:gustos|aficiones|hobbies|pasatiempos|intereses|hobbys)",
        ),
        "preference": within("prefiero", "mis? preferencias?", "mis preferidos"),
    },
    first_person=word_set("mi mis me yo mio mia mios mias conmigo nos nuestro nuestra soy estoy tengo"),
    clauses={
        "name": "te llamas {value}",
        "employer": "trabajas en {value}",
        "job": "tu trabajo es: {value}",
        "department": "tu departamento es {value}",
        "team": "tu equipo es {value}",
        "city": "vives en {value}",
        "email": "tu correo es {value}",
        "phone": "tu teléfono es {value}",
        "birthday": "tu cumpleaños es el {value}",
        "likes": "te gusta {value}",
        "dislikes": "no te gusta {value}",
        "preference": "prefieres {value}",
    },
    plural_clauses={"likes": "te gustan {value}", "dislikes": "no te gustan {value}"},
    plural=Pattern(r"(?:los|las|unos|unas)\b", re.I),
    articles="el|la|los|las|una?",
    prepositions="",
    at={},
    wonders={
        "name": "cómo te llamas",
        "employer": "dónde trabajas",
        "job": "a qué te dedicas",
        "department": "en qué departamento estás",
        "team": "en qué equipo estás",
        "city": "dónde vives",
        "origin": "de dónde eres",
        "age": "cuántos años tienes",
        "health": "qué enfermedad tienes",
        "allergy": "a qué tienes alergia",
        "marital_status": "cuál es tu estado civil",
        "studies": "qué estudias",
        "possession": "qué tienes",
        "language": "qué idiomas hablas",
        "email": "cuál es tu correo",
        "phone": "cuál es tu teléfono",
        "birthday": "cuándo es tu cumpleaños",
        "likes": "qué te gusta",
        "dislikes": "qué no te gusta",
        "preference": "qué prefieres",
        "remember": "qué debo recordar",
        "pet": "qué mascotas tienes",
        "plan": "qué planes tienes",
    },
    phrases=Phrases(
        sorry="Lo siento mucho.",
        well="Muy bien, gracias. ¿Y tú? Cuéntame algo o pregúntame por lo que ya me has contado.",
        joke="Solo me sé un chiste: una consulta SQL entra en un bar, ve dos mesas y pregunta: «¿Puedo unirlas?»",
        result="{sum} = {result}.",
        today="Hoy es {weekday}, {date}.",
        today_unknown="No lo sé: en esta conversación no me dicen la fecha.",
        abilities=(
            "Puedo recordar lo que me cuentas y repetirlo cuando preguntas, también lo que dijiste en otras "
            "conversaciones y lo que era antes; olvidar lo que me pidas, buscar en tus documentos, sumar y decirte la "
            "fecha. Soy el modelo sin conexión de Recuerdo: con RECUERDO_MODEL se conecta un modelo de verdad."
        ),
        you_said_on="Me dijiste el {date}: {quotes}.",
        i_said_on="El {date} te respondí: {quotes}.",
        nearest="No lo sé con certeza, pero el {date} me dijiste: {quotes}.",
        nearest_here="No lo sé con certeza, pero me dijiste: {quotes}.",
        was="Antes, hasta el {until}: {quotes}.",
        holds_since="Que yo sepa, desde el {since}: {quotes}.",
        nothing_to_forget=(
            "No encontré nada de eso entre lo que recuerdo. Dímelo con las palabras que usaste, y lo olvido."
        ),
        words_forgotten=(
            "Entendido: ya no lo usaré ni lo mencionaré. Los mensajes en los que lo dijiste siguen en el historial; "
            "si quieres que dejen de verse, archívalos."
        ),
        which_to_forget=(
            "Sé varias cosas a las que puede referirse: {quotes}. No he olvidado ninguna. ¿Cuál es: "
            "la primera, otra, o todas?"
        ),
        is_it_to_forget="¿Quieres que olvide {quotes}?",
        sees_no_images="No puedo ver imágenes: del mensaje solo he leído el texto.",
        meet="¡Encantado, {name}!",
        will_remember_name="Recordaré tu nombre.",
        will_remember="Recordaré que {clauses}.",
        understood="Entendido: {clauses}.",
        noted="Anotado en esta conversación: {quotes}.",
        will_note="Anotado, lo recordaré: {quotes}.",
        will_wait="Esto espera tu aprobación antes de que lo use: {quotes}.",
        heard="Entendido.",
        taken_back="Entendido: eso ya no vale.",
        no_longer_holds="Entendido. Ya no vale: {quotes}.",
        forgotten=(
            "Entendido: ya no vale nada de lo que recordaba de ti. La conversación se conserva, y los recuerdos "
            "se pueden recuperar."
        ),
        forgotten_here="Entendido: ya no tengo en cuenta lo que me has contado. La conversación se conserva.",
        you_said="Me dijiste: {quotes}.",
        i_said="Antes te respondí: {quotes}.",
        document_says="Encontré esto: {quotes}.",
        everything="Esto es lo que sé de ti: {clauses}.",
        nothing_known="Todavía no sé nada de ti.",
        nothing_said="Todavía no me has contado nada en esta conversación.",
        not_told="No lo sé: todavía no me has dicho {wonder}.",
        unknown="No lo sé: solo puedo contestar con lo que me has contado.",
        unable="Eso no puedo hacerlo: solo recuerdo lo que me cuentas y contesto con ello.",
        identity=(
            "Soy el modelo sin conexión de Recuerdo: recuerdo lo que me cuentas y te lo repito cuando preguntas. "
            "Con RECUERDO_MODEL se conecta un modelo de verdad."
        ),
        greet="¡Hola! Cuéntame algo de ti o pregúntame por lo que ya me has contado.",
        greet_by_name="¡Hola, {name}! ¿En qué te ayudo?",
        thanks="¡De nada!",
        farewell="¡Hasta luego!",
        conjunction="y",
        that="que",
    ),
)
