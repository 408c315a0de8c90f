"""Readers of plans and their dates."""

from itertools import pairwise

from recuerdo.memories.extraction.language import ReaderInput, Reading
from recuerdo.memories.extraction.lexicon import organisations
from recuerdo.memories.extraction.lexicon.dates import WHEN
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.extraction.readers.phrases import preference
from recuerdo.memories.extraction.readers.spans import skip
from recuerdo.memories.extraction.words import fold, vocabulary

_VAGUE = vocabulary("""
ver verlo verte tentar tentarlo intentar intentarlo try think see know pensar pensarlo probar hacerlo esperar decir
decirte decirle avisar avisarte hablar hablarte llamar llamarte ligar falar te dizer mandar mandarte mandarlo enviar
enviarte send call ask tell let check find preguntar perguntar responder contestar revisar revisarlo checar olhar
descansar dormir sleep rest wait terminar terminarlo acabar seguir continuar continue finish need be have do
""")
"""Verbs that begin what is no plan worth keeping: `voy a ver mañana`."""

_ERRANDS = vocabulary("""
mercado supermercado super tienda mandado banco farmacia oficina trabajo curro laburo chamba pega escuela colegio gym
gimnasio cine casa cama bano feira padaria shopping trabalho escritorio escola academia cinema banheiro loja store
shop grocery groceries bank pharmacy office work school bed
""")
"""Where people go on any day: no plan worth keeping either."""

_REASONS = vocabulary("por de pelo pela for")

_WHEN = Pattern(rf"(?<!\w){WHEN}(?!\w)")


_BEFORE_TIME = Pattern(
    r"\W*\b(?:(?:on|at|el|la|los|las|o|a|os|as|no|na|nos|em|en|in|para|pra|the|next|this|dia|proxim[oa]"
    r"|este|esta|a las)"
    r"\W+)*$"
)


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
    """Read the rest of the clause, behind words that named a time."""
    reading = preference(input_)
    if reading is None or reading.last < 2:
        return None
    said = [word.folded for word in input_.words[: min(reading.last, 5)]]
    places = {place for before, place in pairwise(said) if before not in _REASONS}
    if said[0] in _VAGUE or not _ERRANDS.isdisjoint(places):
        return None
    first = skip(input_.words[: reading.last], organisations.INDEFINITE)
    return Reading("plan", first, reading.last)
