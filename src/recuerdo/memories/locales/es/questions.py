"""Words by which questions are told from statements."""

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.wordlists import QuestionWords

QUESTIONS = QuestionWords(
    divided=r"por|entre",
    idle=word_set("actualmente hoy todavia aun vivo trabajo actual anos numero direccion"),
    times=word_set("ahora ahorita antes anteriormente y eso tenia el ella"),
    and_what_of=r"y que hay de|y",
    then=r"ahora|antes|después",
    before_question_words=r"y|antes|ahora|a|d|de|del|en|con|por|para|hasta|desde|cada|contra|sobre",
    question_words=r"quien|quienes|cual|cuales|cuanto|cuanta|cuantos|cuantas|cuando|donde|(?<=\w )que",
    counts=r"cuant[oa]s?",
    begins_with_what=r"(?:y )?(?:q\b|que \w+ (?:el|la|mi)\b|(?:(?:el|la) )?(?:nombre|edad) (?:d|de|del)\b)",
    exclaims=(
        r"(?:y )?(?:que|q) (?:tal|onda|bueno|buena|bien|rico|rica|lindo|linda|padre|chulo|guay|asco|pena"
        r"|risa|miedo|lastima|suerte|frio|calor|mal|loco|locura|fuerte|maravilla|me|te|se|le|les|nos|lo"
        r"|la|los|las|yo|ya|no|si|sea)\b|(?:tengo|tiene|tenemos|hay) que "
    ),
    embeds_question=("se ", "sé ", "sabe ", "sabes ", "saber ", "ver ", "idea ", "segun "),
    asks_on_the_way=(
        r"\b(?:qué|cuál(?:es)?|quién(?:es)?|dónde|cuándo|cuánt[oa]s?)\b|\b(?:en|con) (?:q|que) \w+\Z"
        r"|\b(?:tiene|habla|juega|hace) (?:que|q) (?!\w+[aei]r\b)\w+\Z"
    ),
    ends_asking=r"(?:a|de|en|con) (?:que|quien|donde|cual)",
    endings=r"[aeiou]*s?|[aeiou]r|mos|[ai]d[oa]s?|[aei]ndo|[aei]mos|[aei]ron|[ai]ste",
    several=r"ciudades|lugares|sitios|paises",
    since=word_set("desde"),
    goals=word_set("para"),
    whats=r"",
)
