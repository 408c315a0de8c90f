"""When plans are: expressions of time over folded text."""

from recuerdo.memories.extraction.lexicon.months import MONTH

_UNIT = (
    r"(?:dias?|semanas?|mes(?:es)?|anos?|fin de semana|finde|verano|invierno|otono|primavera|trimestre|semestre|curso"
    r"|verao|inverno|outono|fim de semana|feriado"
    r"|days?|weeks?|months?|years?|weekends?|summer|winter|autumn|fall|spring|quarter|semester)"
)
WEEKDAY = (
    r"(?:lunes|martes|miercoles|jueves|viernes|sabado|domingo"
    r"|(?:segunda|terca|quarta|quinta|sexta)(?:-feira| feira)?"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
)
_FEAST = (
    r"(?:navidad(?:es)?|semana santa|vacaciones|ano nuevo|carnaval|natal|pascoa|ferias|christmas|easter|thanksgiving)"
)

WHEN = (
    rf"(?:dia \d{{1,2}}(?! de )"
    rf"|(?:\d{{1,2}} (?:de )?)?{MONTH}(?: \d{{1,2}}(?:st|nd|rd|th)?(?!\w))?|{WEEKDAY}(?: (?:que viene"
    r"|que vem|proxim[oa]"
    rf"|de la (?:proxima )?semana(?: que viene)?|da semana que vem))?|{_FEAST}|manana|pasado manana|amanha"
    rf"|depois de amanha|tomorrow|tonight"
    rf"|(?:este|esta|proxim[oa]|el proximo|la proxima|o proximo|a proxima|siguiente|neste|nesta|no proximo|na proxima"
    rf"|next|this|the coming) (?:{_UNIT}|{MONTH}|{WEEKDAY})"
    rf"|{_UNIT} (?:que viene|que entra|que vem|proxim[oa])"
    rf"|(?:en|dentro de|em|daqui a|in) (?:\w+|un par de|a couple of) {_UNIT}"
    r"|(?:en|em|in|para|by) (?:el |o )?20\d\d|20\d\d|\d{1,2}[/.-]\d{1,2}(?:[/.-]\d{2,4})?)"
)

TIME = (
    rf"(?:{WHEN}|(?:las?|as|o) (?:\d|una?\b|meio-dia)|\d{{1,2}}(?!\w)|mediodia|noche|tarde|tardecita|noite|mas tarde)"
)
"""A day or an hour, as it follows `to` where a plan moves."""
