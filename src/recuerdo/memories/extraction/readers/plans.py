"""Readers of plans and their dates."""

from itertools import pairwise

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.language import ReaderInput, Reading
from recuerdo.memories.extraction.lexicon import organisations
from recuerdo.memories.extraction.lexicon.dates import WEEKDAY, WHEN
from recuerdo.memories.extraction.lexicon.months import MONTH
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.extraction.readers.phrases import preference
from recuerdo.memories.extraction.readers.spans import skip
from recuerdo.memories.extraction.words import fold

_VAGUE = word_set("""
ver verlo verte tentar tentarlo intentar intentarlo try think see know pensar pensarlo probar hacerlo esperar decir
decirte decirle avisar avisarte hablar hablarte llamar llamarte ligar falar te dizer mandar mandarte mandarlo enviar
enviarte send call ask tell let check find preguntar perguntar responder contestar revisar revisarlo checar olhar
descansar dormir sleep rest wait terminar terminarlo acabar seguir continuar continue finish need be have do
""")
"""Verbs that begin what is not a plan worth keeping: `voy a ver mañana`."""

_ERRANDS = word_set("""
mercado supermercado super tienda mandado banco farmacia oficina trabajo curro laburo chamba pega escuela colegio gym
gimnasio cine casa cama bano feira padaria shopping trabalho escritorio escola academia cinema banheiro loja store
shop grocery groceries bank pharmacy office work school bed
""")
"""Where people go on any day: no plan worth keeping either."""

_REASONS = word_set("por de pelo pela for")

_WHEN = Pattern(rf"(?<!\w){WHEN}(?!\w)")


_BEFORE_TIME = Pattern(
    r"\W*\b(?:(?:on|at|el|la|los|las|o|a|os|as|no|na|nos|em|en|in|para|pra|the|next|this|dia|proxim[oa]"
    r"|este|esta|a las)"
    r"\W+)*$"
)


_NUMBER = r"(?<![\d:/.,])(?:[12]?\d|3[01])(?:st|nd|rd|th)?(?![\d:/]|\.\d|\w)"
_OTHER_TIME = Pattern(
    r"\W*(?P<leads>(?:(?:el|la|o|a|al|on|no|na|pro|pra|para|to|till|until|hasta|ate|en|em|in|for|the|dia|este|esta|this)"
    r" )*)"
    rf"(?P<time>(?P<day>{_NUMBER})|{_NUMBER} (?:de |of )?{MONTH}|{WHEN})\W*$"
)
_DAY = Pattern(
    rf"(?:(?<=\bel )|(?<=\bdia )|(?<=\bthe )|\b{MONTH} |(?P<weekday>\b{WEEKDAY},? (?:el |dia |the )?)"
    rf"|(?={_NUMBER} (?:de |of )?{MONTH}(?!\w)))(?P<day>{_NUMBER})"
)
_DATE = Pattern(rf"(?<!\w)(?:{_NUMBER} (?:de |of )?{MONTH}(?!\w)|{WHEN}(?!\w))")


def names_time(words: str) -> bool:
    """Whether the words name a day or an hour, if only by a number."""
    return any(map(str.isdigit, words)) or _WHEN.search(fold(words)) is not None


def is_day(words: str) -> bool:
    """Whether the words are a day and nothing else: `el 14`, `on Monday`."""
    found = _OTHER_TIME.match(fold(words))
    return found is not None and (bool(found["leads"]) or not (found["day"] or "").isdigit())


def moved_plan(said: str, words: str) -> str | None:
    """Put the day that the words give in place of the one in what was said of a plan: a day of a month keeps the month.

    None when the words are not a day, or when it names none or several.
    """
    folded, other = fold(said), _OTHER_TIME.match(fold(words))
    if other is None:
        return None
    days = [*_DAY.finditer(folded)]
    if other["day"] and len(days) == 1:
        start = days[0].start("weekday") if days[0]["weekday"] else days[0].start("day")
        return said[:start] + words[other.start("time") : other.end("time")] + said[days[0].end() :]
    dates = [*_DATE.finditer(folded)]
    if len(dates) != 1 or other["day"]:
        return None
    return said[: dates[0].start()] + words[other.start("time") : other.end("time")] + said[dates[0].end() :]


def plan_itself(value: str) -> str:
    """The plan without its time: `reunión con Ana` of `reunión con Ana el jueves a las 10`."""
    folded = fold(value)
    found = _WHEN.search(folded)
    if found is None:
        return value
    before = _BEFORE_TIME.search(folded, 0, found.start())
    kept = value[: before.start() if before else found.start()].strip(" ,;:")
    return kept or value


def dated(input_: ReaderInput) -> Reading | None:
    """Read the rest of the clause, if it names a time."""
    reading = undated(input_)
    if reading is None:
        return None
    said = " ".join(word.folded for word in input_.words[reading.first : reading.last])
    return reading if _WHEN.search(said) else None


def undated(input_: ReaderInput) -> Reading | None:
    """Read the rest of the clause, after words that named a time."""
    reading = preference(input_)
    if reading is None or reading.last < 2:
        return None
    said = [word.folded for word in input_.words[: min(reading.last, 5)]]
    places = {place for before, place in pairwise(said) if before not in _REASONS}
    if said[0] in _VAGUE or not _ERRANDS.isdisjoint(places):
        return None
    first = skip(input_.words[: reading.last], organisations.INDEFINITE)
    return Reading("plan", first, reading.last)
