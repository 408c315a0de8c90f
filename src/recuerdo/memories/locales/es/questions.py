"""Words by which questions are told from statements."""

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.wordlists import QuestionWords

QUESTIONS = QuestionWords(
    divided=r"por|entre",
    address=r"direccion|domicilio|calle",
    thousand=r"mil",
    idle=word_set("actualmente hoy todavia aun vivo trabajo actual anos numero direccion"),
    times=word_set("ahora ahorita antes anteriormente y eso tenia el ella"),
    and_what_of=r"y que hay de|y",
    then=r"ahora|antes|después",
    before_question_words=r"y|antes|ahora|a|d|de|del|en|con|por|para|hasta|desde|cada|contra|sobre",
    question_words=r"quien|quienes|cual|cuales|cuanto|cuanta|cuantos|cuantas|cuando|donde|(?<=\w )que",
    exclaims=(
        r"(?:y )?(?:que|q) (?:tal|onda|bueno|buena|bien|rico|rica|lindo|linda|padre|chulo|guay|asco|pena"
        r"|risa|miedo|lastima|suerte|frio|calor|mal|loco|locura|fuerte|maravilla|yo|ya|no|si|sea)\b"
        r"|(?:tengo|tiene|tenemos|hay) que "
    ),
    i_owe=r"debo|debemos|adeudo|(?:estoy|ando|sigo|quede) debiendo|(?:me|nos) (?:presto|prestaron)",
    owes_me=(
        r"(?:me|nos) (?:\w+ )?(?:debe|deben|debia|debian|adeuda|adeudan)|preste|prestamos"
        r"|me (?:esta|estan|anda|andan|sigue|siguen|quedo|quedaron) debiendo"
    ),
    endings=r"[aeiou]*s?|[aeiou]r|mos|[ai]d[oa]s?|[aei]ndo|[aei]mos|[aei]ron|[ai]ste",
    several=r"ciudades|lugares|sitios|paises",
    since=word_set("desde"),
    goals=word_set("para"),
    whats=r"",
)
