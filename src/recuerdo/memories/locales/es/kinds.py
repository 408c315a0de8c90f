"""How each kind of thing is told, asked for, answered and named."""

from collections.abc import Mapping

from recuerdo.core.memories import Attribute
from recuerdo.memories.extraction import readers as read
from recuerdo.memories.extraction.language import Kind, cue
from recuerdo.memories.extraction.lexicon.households import ANIMALS, RELATIVES

_AM = r"(?:soy|estoy|ando|sigo|me encuentro)(?: ya| ahora| felizmente| re| muy| super| oficialmente)*"
_VIVES = r"(?:vives|vivis|vive usted|resides|estas viviendo|te encuentras)"
_WORKS = r"(?:trabajas|laburas|trabaja usted|chambeas|curras|estas trabajando)"
_DEGREE = (
    r"(?:(?:una? |la |mi )?(?:licenciatura|maestria|doctorado|carrera|master|tecnicatura|posgrado"
    r"|ingenieria)) (?:de|en)"
)

KINDS: Mapping[Attribute, Kind] = {
    "age": Kind(
        says=(
            r"tengo(?: ya| apenas| como| unos)?",
            r"(?:ya )?(?:cumpli|acabo de cumplir|voy a cumplir)(?: los)?",
            r"(?:a|con) (?:mis |los |mas de )?(?=[\w ]{1,22} anos (?:cumplidos|ya|encima|recien|no|de edad))",
            r"a mis",
            r"mi edad es(?: de)?",
            r"(?:soy|me llamo) [a-z]{2,20},(?= \d\d(?:,| y| anos|$))",
        ),
        tells=(r"(?:tiene|cumplio|cumple|ya tiene|acaba de cumplir)(?: ya)?",),
        asked=(r"cuantos (?:anos|tacos) (?:tienes|tenes|tiene)", r"que edad", r"tu edad"),
        stems=("tengo",),
        named=(r"mi edad", r"cuantos anos tengo"),
        asked_of=(
            r"cuantos anos tienen?",
            r"que edad",
        ),
        told_stems=("tiene",),
        also=(cue(read.introduced_age, r"^(?=\d\d, )"),),
    ),
    "origin": Kind(
        says=(
            r"(?:yo )?soy (?:originari[oa] |oriund[oa] |nativ[oa] |nacid[oa] (?:y criad[oa] )?)?(?:de|en"
            r"|del)(?! [\w ]{2,24} a muerte)",
            r"(?:naci(?: y me crie)?|me crie) en",
        ),
        tells=(r"(?:es|nacio) (?:originari[oa] )?(?:de|en)",),
        asked=(
            r"de donde (?:eres|sos|es usted|vienes|venis)",
            r"donde naciste",
            r"de que (?:ciudad|pais|pueblo|parte) (?:eres|sos)",
        ),
        stems=("soy", "soy de"),
        named=(r"de donde soy", r"mi origen", r"donde naci"),
        asked_of=(r"de donde (?:es|son)", r"donde nacio"),
    ),
    "marital_status": Kind(
        says=(_AM, r"me(?= (?:case|divorcie|enviude)(?!\w))", r"mi estado civil es"),
        tells=(r"(?:es|esta|sigue)",),
        asked=(r"estado civil", r"(?:eres|sos|estas) (?:casad|solter)\w+"),
        stems=("soy", "estoy"),
        named=(r"mi estado civil", r"que (?:estoy|soy) (?:casad|solter|divorciad)\w+"),
    ),
    "studies": Kind(
        says=(
            r"(?:estudio|estoy estudiando|ando estudiando|estudie|curse|estoy cursando|estoy haciendo la carrera de)",
            r"me (?:gradue|recibi|titule|licencie|forme) (?:de|en|como)",
            r"soy (?:licenciad[oa]|graduad[oa]|egresad[oa]|titulad[oa]|estudiante) (?:de|en)",
            rf"(?:tengo|hice|termine|estoy en) {_DEGREE}",
            r"mi carrera es",
        ),
        tells=(r"(?:estudia|esta estudiando|se graduo (?:de|en)|se recibio de)",),
        asked=(r"que (?:estudias|estudiaste|carrera|estas estudiando)", r"tus estudios"),
        stems=("estudio",),
        named=(r"mis estudios", r"mi carrera", r"(?:lo )?que estudi[oe]"),
        asked_of=(r"que estudia",),
        told_stems=("estudia",),
    ),
    "health": Kind(
        says=(
            r"(?:tengo|padezco(?: de)?|sufro(?: de)?|vivo con|convivo con|ando con)",
            r"(?:soy|fui)",
        ),
        tells=(r"(?:tiene|padece(?: de)?|sufre(?: de)?|es|vive con)",),
        asked=(
            r"(?:alguna|que) (?:enfermedad|condicion|problema de salud)\w*",
            r"problemas? de salud",
            r"(?:padeces|sufres)(?: de)? algo",
        ),
        stems=("tengo", "soy"),
        named=(r"mi salud", r"mis? (?:enfermedad|condicion)(?:es)?"),
        also=(
            cue(
                read.diagnosis,
                r"(?:me|el medico me|la medica me|los medicos me) (?:han )?(?:diagnostic|detect"
                r"|encontr)(?:aron|o|ado)(?: con)?",
                r"fui diagnosticad[oa] con",
            ),
            cue(read.medicine, r"(?:tomo|estoy tomando|uso|me recetaron|me cambiaron (?:a|por)|cambiaron por)"),
        ),
    ),
    "allergy": Kind(
        says=(
            r"(?:soy|somos) (?:\w+mente |muy |super |re )?alergic[oa]s? (?:al?|a l[ao]s?)",
            r"tengo (?:una )?(?:\w+ )?(?:alergia|intolerancia) (?:al?|a l[ao]s?)",
            r"soy (?:muy )?intolerante (?:al?|a l[ao]s?)",
            r"mi (?:cuerpo|estomago|organismo|panza) no (?:tolera|soporta|aguanta|procesa)",
        ),
        tells=(
            r"(?:es|son) (?:muy )?(?:alergic[oa]s?|intolerantes?) (?:al?|a l[ao]s?)",
            r"tiene (?:alergia|intolerancia) (?:al?|a l[ao]s?)",
        ),
        asked=(r"alergi[ac]\w*", r"intolerante"),
        stems=("soy alergico", "soy alergico a"),
        named=(r"mis? alergias?",),
    ),
    "diet": Kind(
        says=(r"(?:soy|me hice|me volvi|estoy siendo)(?: casi| ya)?",),
        tells=(r"(?:es|se hizo|se volvio)",),
        asked=(r"(?:eres|sos) (?:vegan|vegetarian|celiac)\w*", r"(?:alguna |que )?dieta", r"restriccion\w* alimen\w+"),
        stems=("soy",),
        named=(r"mi dieta", r"(?:lo )?que (?:no )?como"),
        also=(
            cue(
                read.abstinence,
                r"(?=(?:no|nunca) (?:como|consumo|pruebo) )",
                r"(?=no puedo (?:comer|consumir) )",
                r"(?=(?:no|nunca) (?:tomo|bebo) (?:alcohol|leche|lacteos|cafeina|gaseosas?|bebidas)(?!\w))",
            ),
            cue(read.diet_followed, r"(?:sigo|hago|llevo|estoy (?:con|en)|estoy haciendo) (?:una )?dieta(?= )"),
        ),
    ),
    "city": Kind(
        tells=(
            r"(?:vive|reside|radica|esta viviendo|se quedo a vivir)(?: ahora| sol[oa]| todavia| alla)? (?:en|por)",
            r"se (?:ha |han )?(?:mudo|mudado|traslado|trasladado|devolvio|devuelto|(?:fue|ido|vino|venido) a vivir)"
            r"(?: ahora)? (?:a|para|pa)",
        ),
        asked=(
            rf"(?:donde|en (?:que|cual) (?:ciudad|lugar|parte|pais|pueblo|zona)|ciudad) {_VIVES}",
            r"(?:cual es )?tu ciudad",
        ),
        stems=("vivo", "vivo en"),
        asked_of=(
            r"donde vive",
            r"en que ciudad vive",
        ),
        told_stems=(
            "vive",
            "vive en",
        ),
    ),
    "employer": Kind(
        tells=(r"(?:trabaja|labura|chambea|curra|esta trabajando|entro a trabajar)(?: ahora)? (?:en|para)",),
        asked=(
            rf"(?:donde|(?:para|con) quien|en (?:que|cual) (?:empresa|lugar|compania)) {_WORKS}",
            r"tu (?:empresa|empleador)",
        ),
        stems=("trabajo", "trabajo en"),
        asked_of=(r"(?:donde|para quien) trabaja",),
        told_stems=(
            "trabaja",
            "trabaja en",
        ),
    ),
    "job": Kind(
        tells=(r"(?:trabaja|labura|chambea|curra) (?:de|como)", r"es(?: una?| el| la)?", r"se dedica a"),
        asked=(
            r"a que te dedicas",
            rf"(?:de|en) que {_WORKS}",
            r"tu (?:profesion|puesto|oficio|cargo|ocupacion|trabajo)",
            r"que haces (?:para vivir|en el trabajo)",
        ),
        stems=("soy", "trabajo como"),
        asked_of=(
            r"a que se dedica",
            r"(?:de|en) que trabaja",
            r"que hace",
        ),
        told_stems=(
            "es",
            "trabaja de",
        ),
    ),
    "name": Kind(
        asked=(r"como (?:te llamas|se llama usted|te dicen|te llamo)", r"(?:cual es |dime )?tu nombre", r"quien eres"),
        stems=("me llamo",),
    ),
    "birthday": Kind(
        tells=(r"(?:cumple(?: anos)?|nacio)(?= (?:el|en) )", r"es del(?= \d)"),
        asked=(
            r"cuando (?:es tu cumple\w*|cumples|naciste|cumplis)",
            r"que dia (?:naciste|cumples)",
            r"tu (?:fecha de nacimiento|cumple\w*)",
        ),
        stems=("mi cumpleanos es",),
    ),
    "email": Kind(asked=(r"(?:tu|su) (?:\w+ )?(?:correo|mail|e-?mail)",), stems=("mi correo es",)),
    "phone": Kind(
        asked=(r"(?:tu|su) (?:\w+ )?(?:telefono|numero|celular|cel|celu|movil|whatsapp)",), stems=("mi telefono es",)
    ),
    "possession": Kind(
        says=(
            r"(?:tengo|tenemos|traigo|poseo|compre|compramos|(?:me|nos) (?:compre|compramos|regalaron)) (?=(?:una?"
            r"|mi|dos|tres) )",
            r"(?:(?:me|nos) )?(?:compre|compramos|he comprado|pille|pase a|cambie por)",
        ),
        asked=(r"que (?:coche|auto|carro|moto) (?:tienes|tenes|manejas|conduces)",),
        stems=("tengo",),
        named=(r"mi (?:coche|auto|carro|moto|bici(?:cleta)?|casa|piso|apartamento|departamento)",),
        also=(
            cue(read.driven, r"(?:manejo|conduzco|ando en) (?=una? |mi |el )"),
            cue(read.driven, r"mi (?:coche|auto|carro|moto|camioneta|bici) (?:nuev[oa] )?es (?=una? )"),
        ),
    ),
    "pet": Kind(
        asked=(rf"(?:tienes|tenes|tiene) (?:\w+ )?{ANIMALS}", rf"como se llaman? (?:tus?|su) {ANIMALS}"),
        stems=("tengo", "mi perro se llama"),
    ),
    "family": Kind(
        asked=(rf"como se llaman? (?:tus?|su) {RELATIVES}", rf"(?:tienes|tenes|tiene) {RELATIVES}"),
        stems=("mi pariente", "tengo", "mi hijo se llama"),
    ),
    "language": Kind(asked=(r"que (?:idiomas|lenguas) (?:hablas|sabes)",), stems=("hablo",)),
    "likes": Kind(
        tells=(r"(?:le (?:gusta|encanta|fascina|apasiona)n?|ama|adora)(?: mucho| tanto)?",),
        asked=(r"que (?:cosas )?te (?:gusta|encanta)n?", r"tu \w+ (?:favorit|preferid)[oa]"),
        stems=("me gusta",),
    ),
    "dislikes": Kind(tells=(r"(?:odia|detesta|no soporta|no aguanta)",)),
}
