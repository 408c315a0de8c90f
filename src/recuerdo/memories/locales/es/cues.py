"""Words that announce a value."""

from recuerdo.memories.extraction import readers as read
from recuerdo.memories.extraction.language import Cue, cue
from recuerdo.memories.extraction.lexicon.dates import WHEN
from recuerdo.memories.extraction.lexicon.households import (
    ANIMALS,
    BESIDES,
    COUNTED_ANIMALS,
    COUNTED_RELATIVES,
    NAMED,
    RELATIVES,
)
from recuerdo.memories.extraction.lexicon.months import MONTH
from recuerdo.memories.locales.es.phrases import (
    BARE,
    BETWEEN,
    BUSINESS,
    DOING,
    FROM_NOW,
    HAVE,
    INFIX,
    LIKE,
    LIVE,
    OF_WHAT,
    PLANNED,
    REACH,
    STARTED,
    UP_TO_ADDRESS,
    WORK,
)

CUES: tuple[Cue, ...] = (
    cue(
        read.known_name,
        r"me llamo",
        r"mi (?:nombre(?: completo| de pila)?|apodo)(?: es|:)",
        r"(?:(?:puedes|podes|puede|pueden|podeis) (?:llamarme|decirme)|me (?:puedes|podes|puede"
        r"|pueden) (?:llamar|decir))(?: solo| nomas| simplemente)?",
        r"(?:llamame|llameme|(?:me|todos me) conocen (?:como|por)|me apodan|me bautizaron(?: como)?"
        r"|(?:todos|todo el mundo|mis amigos|la gente|mi familia|en casa|en la oficina"
        r"|en el trabajo) me (?:dicen?|llaman?|conocen? como))",
        r"(?:te|le|les) (?:saluda|escribe)|al habla",
    ),
    cue(read.nickname, r"soy (?:el|la)"),
    cue(read.introduced, r"(?:les? |te )?habla (?:el|la)|aqui (?:el|la)"),
    cue(
        read.likely_name,
        r"soy",
        r"(?:les? |te )?habla(?: el| la)?",
        r"soy yo,? (?:el|la)",
        r"me (?:dicen|llaman)",
        r"(?:dime|decime|digame|diganme)",
        r"(?:^|(?<=[,.!;:]\s))(?=\w+ (?:\w+ )?(?:por (?:aca|aqui|estos lados)|al habla|reportandose"
        r"|reportando)(?:,|$|\W))",
        r"(?:^|(?<=[,.!;]\s))aca(?=\W+\w+(?:,| de| desde|$))",
        r"(?:^|(?<=[,.!;]\s))aqui(?=\W+\w+(?:,| de| desde|$| reportan| al habla))",
    ),
    cue(
        read.employer,
        rf"{WORK} (?:en|para)",
        rf"{STARTED} (?:en|al|a(?= (?!trabajar|laburar)))",
        r"(?:soy|estoy) (?:emplead[oa]|contratad[oa]) (?:de|en|por)",
        r"mi (?:empleo|trabajo|trabajito|jale|chamba|pega|laburo|curro|camello) (?:actual |nuevo )?es (?:en|para)",
        r"(?:hago|estoy haciendo) (?:mis |las )?(?:practicas|pasantias?|prepa|residencia|internado) en",
    ),
    cue(
        read.workplace,
        rf"(?:presto servicios|(?:doy|dicto|imparto) (?:clases?|cursos|talleres)(?: de \w+(?: \w+)?)?"
        rf"|enseno(?: \w+)?|atiendo"
        rf"|{DOING}(?: \w+){{0,3}}?){INFIX} (?:en|para)",
        r"(?:soy|formo) parte (?:de|del)(?! (?:equipo|area|departamento|grupo|club|la (?:familia|comunidad)))",
        rf"(?:tengo|abri|monte|arme|puse|fundamos|funde|abrimos|tenemos) (?:una?"
        rf"|mi) (?:\w+ )?{BUSINESS} (?:\w+ ){{0,4}}?(?:llamad[oa]|que se llama)",
    ),
    cue(read.plainly(read.workplace), r"(?:ahora|ahorita|actualmente) (?:ya )?(?:estoy|ando) en"),
    cue(
        read.plainly(read.workplace),
        r"(?:llevo|voy para|voy por|tengo) (?:ya |como |casi |mas de )*(?:\w+|\d+) (?:anos?|meses"
        r"|semanas) (?:ya )?en",
        r"(?:estoy|ando|sigo) en(?= [^,;]{2,30} (?:como|de|desde|hace) )",
    ),
    cue(read.plainly(read.employer), rf"{DOING}(?: \w+){{0,4}}? (?:en|para)"),
    cue(
        read.field,
        r"(?:soy|estoy|ando) (?:del? (?:area de )?|en (?:el area de )?)",
        r"(?:trabajo|laburo|chambeo|curro) en",
    ),
    cue(read.plainly(read.employer), rf"{WORK}{BETWEEN} (?:en|para)"),
    cue(
        read.own_company,
        r"mi (?:empresa|compania|empleador|lugar de trabajo)(?: actual)? (?:es|se llama)",
        r"la (?:empresa|compania) (?:donde|en la que|en que|para la que) (?:trabajo|laburo|curro) (?:es|se llama)",
    ),
    cue(
        read.role,
        rf"{WORK} como",
        r"me desempeno como",
        r"ejerzo (?:como|de)",
        r"me gano la vida (?:como|de)",
        r"(?:entre|empece|me contrataron|me tomaron) (?:de|como)",
        r"mi (?:profesion|puesto|cargo|ocupacion|oficio)(?: actual)? es(?: el| la)?(?: de)?",
        r"me dedico a",
    ),
    cue(read.occupation, rf"{WORK} de"),
    cue(read.occupation, rf"{WORK}{BETWEEN} (?:de|como)"),
    cue(
        read.occupation,
        r"soy(?: el| la| un| una)?",
        r"mi (?:trabajo|chamba|pega|laburo|curro|oficio) es(?: de| ser)?",
        r"estudie para",
        r"(?:estoy|ando|hago|la hago|la giro)(?: ahora| ahorita)? (?:de|como)",
        r"(?:llevo|tengo) \w+ anos (?:de|como|siendo)",
    ),
    cue(
        read.unit("department"),
        r"mi (?:departamento|area|sector|gerencia|division)(?: en la empresa| de trabajo)? (?:es|se llama)",
        rf"(?:{WORK}|estoy(?: a cargo)?|soy(?: parte| jef[ea]| encargad[oa])?|formo parte|pertenezco"
        rf"|me pasaron|me cambiaron|llevo) (?:en|de|del|al?) (?:el |la )?(?:departamento|area"
        rf"|sector|gerencia|division|depto|dpto)",
    ),
    cue(
        read.unit("team"),
        r"mi (?:equipo|squad|escuadra)(?: de trabajo)? (?:es|se llama)",
        rf"(?:{WORK}|estoy|soy(?: parte)?|formo parte|pertenezco|me sume|me uni|me pasaron) (?:en|de|del"
        rf"|al?) (?:el )?(?:equipo|squad)",
        r"(?:lidero|dirijo|coordino|manejo|superviso|soy (?:lider|jef[ea]|encargad[oa]) (?:de|del)) (?:al "
        r"|el )?(?:equipo|squad)",
    ),
    cue(read.sure_city, rf"(?:vivo|resido|vivimos){BETWEEN} en"),
    cue(
        read.sure_city,
        rf"(?:tengo|abri|monte) (?:mi|una?|mi propi[oa]) {BUSINESS}(?: de \w+)? (?:en|por)",
        r"(?:mi casa|mi depa|mi departamento|mi piso|mi apto|mi hogar) (?:queda|esta) en",
        r"(?:vivo|vivimos) (?:por|cerca de|al lado de|a las afueras de|en las afueras de|en el (?:barrio"
        r"|centro) de)",
        r"(?:me (?:instale|radique|asente|quede a vivir)|nos (?:instalamos|radicamos|asentamos)"
        r"|(?:estoy|estamos|ando) (?:instalad|radicad|asentad)[oa]s?) en",
        r"aunque (?:hoy |ahora )?(?:viva|resida) en",
        r"(?:llegue|vine|fui) a vivir a",
        r"desde hace (?:\w+ ){1,3}(?:anos?|mes(?:es)?|semanas?|dias?) en",
        r"soy vecin[oa] de",
        r"llevo (?:toda la vida|\w+ (?:anos|meses|semanas)) (?:aqui )?en",
    ),
    cue(read.sure_city, r"mi ciudad es"),
    cue(read.city, LIVE, r"vivo y (?:trabajo|estudio) en"),
    cue(
        read.email,
        rf"(?:mis?|(?:si |que )?{REACH}\w*(?:me|melo|mela|nos)|(?:si )?me {REACH}\w*){UP_TO_ADDRESS}",
        rf"{BARE}(?:mi )?(?:e-?mail|mail|correo)(?: electronico)?(?: es)?{UP_TO_ADDRESS}",
        rf"(?:manda|mandalo|envialo|envia|escribe|escribi|mejor) al? (?:mi )?(?:correo|mail"
        rf"|e-?mail){UP_TO_ADDRESS}",
    ),
    cue(
        read.phone,
        r"mi (?:\w+ )?(?:numero|nro|num|telefono|celular|celu|movil|cel|tel|tlf|fono|whatsapp|wasap|whats|wsp"
        r"|wpp)(?: de (?:telefono|celular"
        r"|movil|whatsapp|contacto|casa|la (?:casa|oficina|chamba)"
        r"|trabajo))?(?: [a-z]+(?![\w@.+-]))?(?: es)?:?(?: el)?",
        r"(?:llamame|llamenme|escribeme|escribime|marcame|marquenme|timbrame|contactame|me (?:(?:puedes?"
        r"|podes|pueden) (?:llamar|marcar|escribir|contactar|localizar)|llamas|escribes|marcas|escribis"
        r"|pueden (?:llamar|marcar)))"
        r"(?: por (?:whatsapp|wsp|wpp|wasap|telefono))? al?(?: numero| cel| celular| telefono)?",
        rf"{BARE}(?:cel|celular|tel|telefono|movil|numero|whatsapp|wsp|fono):?(?: es)?(?= ?[+(]?\d)",
        r"(?=[+(]?\d[\d ().-]{6,18}\d,? es mi (?:numero|cel|celular|telefono|movil|whatsapp|wsp|fono))",
        r"(?:anota|guarda|agenda)(?:te)? (?:mi )?(?:numero|cel|celular|telefono)?(?= ?:? ?[+(]?\d)",
    ),
    cue(
        read.birthday,
        r"mi (?:cumpleanos|cumple|fecha de nacimiento|fecha) (?:es|cae)(?: el| este)?(?: proximo)?",
        r"(?:cumplo(?: anos| \d+(?: anos)?| los \d+)?|naci(?: en el (?:ano )?\d+,)?|soy del(?= \d)"
        r"|vine al mundo)(?: un)?",
        rf"(?=(?:el )?\d{{1,2}}(?: de)? {MONTH} (?:es mi cumple|cumplo|es mi santo y))",
    ),
    cue(
        read.spoken_language,
        r"(?:hablo|hablamos|(?:puedo|se) hablar|me comunico en|domino|me defiendo en|me manejo (?:bien )?en"
        r"|estoy aprendiendo a hablar|soy bilingue:?(?: en)?"
        r"|soy (?:hablante )?nativ[oa] (?:de|en)|creci hablando|en (?:mi )?casa (?:se habla|hablamos))",
        r"mi (?:idioma|lengua)(?: (?:nativ[oa]|matern[oa]|principal|de casa))? es",
    ),
    cue(
        read.named("family"),
        r"(?:beb[ea]|bebesit[oa]|nen[ea]|nin[oa]|hij[oa])\W+(?:\w+\W+){0,4}?(?:(?:le|la|lo) (?:pusimos"
        r"|pusieron|llamamos|llamaron))(?: de nombre)?",
        rf"(?:mis?|nuestr[oa]s?) {RELATIVES}(?: (?:mas |el |la )?\w+)?(?: y yo)? (?:se llaman?|la llaman"
        rf"|le dicen|le decimos)",
        rf"{HAVE} (?:una?|\w+) {RELATIVES}(?: (?:mas |muy |mais |bem |de )?(?!se |que )\w+){{0,2}}{NAMED}",
        r"mij[oa] se llama",
        rf"(?:el nombre de mis?|nuestr[oa]s?) {RELATIVES}(?: \w+)? (?:es|se llaman?)",
    ),
    cue(read.named("pet"), rf"mi mascota es (?:una?|mi) {ANIMALS}{NAMED}"),
    cue(
        read.given("pet"),
        rf"(?:mis?|nuestr[oa]s?) {ANIMALS}(?: \w+)? es(?: el| la)?",
        rf"vivo (?:\w+ ){{0,5}}con mi {ANIMALS}",
    ),
    cue(read.written("family"), r"(?:estoy|ando) (?:saliendo|de novi[oa]|comprometid[oa]) con(?: el| la)?"),
    cue(read.called("family"), rf"(?:mis?|nuestr[oa]s?) {RELATIVES} (?:es|son) (?:el|la)"),
    cue(
        read.written("pet"),
        rf"(?:(?:con|de|para|pa) )?(?:mis?|nuestr[oa]s?) {ANIMALS},?(?: (?:el|la))?(?!,? (?:(?:el|la) )?\w+ "
        r"(?:ya |se |me |nos )*(?:murio|fallecio|perdio|escapo))",
    ),
    cue(
        read.given("family"),
        rf"mis? {RELATIVES}(?: \w+)? (?:es|son)(?: el| la)?",
        rf"vivo (?:\w+ ){{0,5}}con mi {RELATIVES}",
    ),
    cue(read.counted("family"), rf"{HAVE} {BESIDES}y {COUNTED_RELATIVES}"),
    cue(read.counted("pet"), rf"{HAVE} {BESIDES}y {COUNTED_ANIMALS}"),
    cue(read.counted("family"), rf"(?:{HAVE}|(?:soy|somos) (?:mama|papa|madre|padre)s? de) {COUNTED_RELATIVES}"),
    cue(
        read.named("pet"),
        rf"(?:mis?|nuestr[oa]s?) {ANIMALS}(?: (?:mas |el |la )?\w+)? (?:se llaman?|le (?:puse|pusimos|decimos))",
        rf"{HAVE} (?:una?|\w+) {ANIMALS}(?: (?:mas |muy |mais |bem |de )?(?!se |que )\w+){{0,2}}{NAMED}",
    ),
    cue(read.counted("pet"), rf"{HAVE} {COUNTED_ANIMALS}"),
    cue(read.undated, rf"(?:el |la |este |esta |en )?{WHEN},? (?:estoy|estare|estamos|estaremos|ando) (?=en \w)"),
    cue(
        read.dated,
        r"(?:estoy|estare|estamos|estaremos|ando) (?=en (?:[\w'-]+ ){1,3}(?:(?:el|la) (?:\w+ )?(?:que viene"
        r"|que entra)"
        r"|(?:el|la) proxim[oa]|manana|hasta|el (?:lunes|martes|miercoles|jueves|viernes|sabado|domingo)"
        r"|este (?:finde|fin de semana|mes)|esta semana)(?!\w))",
    ),
    cue(
        read.undated,
        rf"(?:el |la |este |esta |en |para )?{WHEN},? (?:ya )?(?:(?:me |nos )?(?:voy|vamos|vamo) a|pienso"
        rf"|planeo|quiero"
        r"|pensamos|planeamos|tengo pensado|tenemos pensado) (?=\w+r(?!\w)|\w+rme|\w+rnos)",
        rf"(?:el |la |este |esta |en )?{WHEN},? (?={PLANNED})",
        rf"(?:el |la |este |esta |en )?{WHEN},? tengo (?:una? )?(?=(?:entrevista|examen|vuelo|boda|viaje"
        rf"|cita|hora (?:al|con|en|para)|control|turno|carrera (?=de )|maraton|partido|fiesta|junta|reunion|concierto"
        r"|comida|cena|graduacion|bautizo|operacion|cirugia|consulta)(?!\w))",
    ),
    cue(
        read.dated,
        r"(?:(?:me |nos )?(?:voy|vamos|vamo) a|pienso|planeo|(?:tengo|tenemos) (?:pensado|planeado|previsto)"
        r"|tengo planes de"
        r"|estoy planeando|ando planeando|planeamos|pensamos|mi plan es) (?=\w+r(?!\w)|\w+rme|\w+rnos)",
        rf"(?={PLANNED})",
        r"^(?=(?:cita|turno|hora|reunion|junta|dentista|examen|entrevista|vuelo|consulta) )",
        r"(?:estoy|ando|estamos) (?=(?:preparandome|entrenando|preparando|entrenandome) (?:para|el|la) )",
        rf"(?:el|la|mi) (?=(?:fiesta|boda|cita|examen|entrevista|partido|concierto|comida|cena|reunion|junta|operacion"
        rf"|cirugia|viaje|graduacion|bautizo|carrera|maraton) (?:es|sera|va a ser) (?:(?:el|la|en|este|esta|pasado) )?"
        rf"(?:{WHEN}|\d))",
        r"tengo (?=(?:una? )?(?:maraton|fiesta|graduacion|bautizo|entrevista|examen|vuelo|boda|viaje"
        r"|cita|hora (?:al|con|en|para)|control|turno|operacion|cirugia|consulta|mudanza|reunion"
        r"|junta|dentista|audiencia|partido|videollamada"
        r"|concierto|presentacion)(?!\w))",
    ),
    cue(
        read.phrase("likes"),
        LIKE,
        r"(?:amo|adoro|disfruto(?: mucho| un monton)?(?: de)?)",
        r"(?:soy(?: muy| super| re| bien| gran| un)*|re|super|recontra) (?:fana?|fanatic[oa]|hincha"
        r"|aficionad[oa]|amante"
        r"|seguidora?|adict[oa]|enamorad[oa]|apasionad[oa]|loc[oa]|fans|devot[oa]) (?:de|del|a|al|por)",
        r"(?:me muero por|no (?:puedo )?vivo? sin|me (?:alegra|hace feliz|relaja) (?=\w+r )|mi (?:debilidad"
        r"|vicio|pasion|fuerte|perdicion"
        r"|adiccion) (?:es|son)|lo mio es|lo mio son)",
        r"(?:mi pasion|mi hobby|mis? (?:hobbies|pasatiempos?|pasiones)) (?:es|son)",
        r"soy del?(?= [\w ]{2,24} (?:a muerte|de toda la vida|hasta la muerte)(?!\w))",
        r"(?:hincho|alento|aliento) (?:por|al?)",
        r"(?:le|les) (?:voy|vamos) al?(?= (?!ganar|dar|decir|pedir|hacer|\w+r(?!\w)))",
        r"mi (?:cuadro|club|equipo de futbol) es",
        r"mi \w+(?: \w+)? (?:favorit[oa]|preferid[oa]) (?:es|son)",
        r"lo que mas (?:me gusta|disfruto|amo|me apasiona)(?: en la vida| del mundo| hacer)? es",
    ),
    cue(
        read.phrase("dislikes"),
        rf"(?:ya )?no {LIKE}",
        r"(?:odio|detesto|aborrezco|me disgustan?|me desagradan?|me repatean?|me revientan?)",
        r"me (?:cae[n]? (?:gord[oa]s?|mal|como el orto|pesad[oa]s?)|pudren?|hinchan?|joden?|emputan?"
        r"|encabronan?|purgan?"
        r"|embolan?|sacan? de quicio|cagan?|rallan?|rayan?|fastidian?|empalagan?|horrorizan?|apestan?|estresan?"
        rf"|pone[n]? de malas){OF_WHAT}",
        rf"me (?:cargan?|chocan?|enferman?|dan? (?:asco|grima|fobia|flojera|pereza|fiaca|lata)){OF_WHAT}",
        r"no (?:me |lo |la |los |las )?(?:soporto|aguanto|tolero|banco(?! d[oae]s? )|trago|paso|puedo ver)(?: a)?",
        r"(?:le tengo|tengo) (?:fobia|manía|mania|asco|odio) (?:al?|a la)",
        r"me (?:molesta[n]?|estresa[n]?|pone[n]? (?:mal|nervios[oa]|loc[oa]) )(?= (?:el|la|los|las|\w+r|que) )",
        r"(?:paso de|huyo de|le huyo a|evito a toda costa)",
        r"no soy (?:muy |nada |tan |para nada )?(?:fan|fana|fanatic[oa]|amig[oa]|de(?= \w+r )) (?:de|del)",
    ),
    cue(
        read.preference,
        r"prefiero",
        r"mi preferencia es",
        r"(?:me gusta mas|me (?:acomoda|late|sirve|conviene|viene) (?:mas|mejor)) (?=que )",
    ),
    cue(
        read.instruction,
        rf"{FROM_NOW},? (?:por favor,? |porfa,? )?(?=(?:responde|contesta|habla|escrib|usa|dame|dime|llama"
        rf"|trata|no|quiero|da|manda|se)\w*)",
        r"(?=(?:respondeme|contestame|hablame|escribeme|escribime) (?:solo |siempre |nomas )?en (?:espanol"
        r"|ingles|portugues|castellano|frances))",
        r"(?<!que\x20)(?<!q\x20)(?=(?:tutea|trata|habla|hable|trate)me (?:siempre )?(?:de|por|con) (?:tu|vos"
        r"|usted|ud|confianza)(?!\w))",
        r"(?=no (?:me )?(?:uses|usas|pongas|mandes|metas|trates de|hables de|escribas con) (?:tantos "
        r"|mas )?(?:emojis?|emoticon\w*"
        r"|listas?|tecnicismos?|anglicismos?|groserias?|usted|tu|vos|vinetas|jerga|mayusculas)(?!\w))",
        r"(?=(?:manten|da|dame|hace|haz|escribe|escribi|quiero|necesito) (?:siempre )?(?:las |tus |mis "
        r"|unas )?respuestas (?:mas |bien |muy )?\w+)",
        r"(?=(?:responde|respondeme|contesta|contestame|habla|hablame|tratame|escribeme|escribime|tutea"
        r"|tuteame) siempre)",
        r"siempre (?=(?:responde|contesta|habla|trata|tutea)(?:me|le|nos)?(?!\w))",
    ),
    cue(
        read.everything,
        r"(?:te recuerdo|grabate|que no se (?:te |le )?(?:olvide|pase)|ojo,?|importante:?|por si las dudas,?"
        r"|para que (?:lo )?sepas,?"
        r"|para que (?:lo )?tengas en cuenta,?|sabe|debes saber|tienes que saber) que",
        r"(?:para que sepas|pa que sepas|que sepas|ten presente|que conste|(?:te |le )?(?:aviso|informo"
        r"|comento))(?=:)",
        r"(?:agenda|agendame|agendate|anotame|anote|anotate|apuntame|apunte|guardame|guarde|memorice"
        r"|registra|registre|graba|recordame"
        r"|recuerdame|recuerdese|acordaos|acordarte|tengan presente|tomad nota|manten en mente)(?: siempre"
        r"| por favor| porfa| bien)?(?: de)? que",
        r"(?:recuerda|recorda|recuerde|recuerden|acuerdate|acordate|acuerdese|no (?:te )?olvides|no olvide"
        r"|no se te olvide"
        r"|ten(?:e|ga|gan)? (?:en cuenta|presente)|toma nota|tome nota|anota|apunta|guarda|memoriza"
        r"|quiero que (?:recuerdes|sepas)|^(?:recordar|anotar))"
        r"(?: siempre| por favor| bien)?(?: de)? que",
        r"(?:recuerda|recorda|recuerde|acuerdate|acordate|toma nota|anota|apunta|memoriza)(?: esto"
        r"| lo siguiente| por favor)?(?=:)",
        r"no (?:te )?olvides (?=mis? )",
        r"(?:recuerdame|recordame|recuerdeme|recordarme|(?:haz|hace)me acordar)(?: de)?"
        r" (?=[a-z]{2,12}[aei]r(?:me|lo|la|le)?\b)",
    ),
)
