"""How times are spoken of in this language."""

from recuerdo.core.words import numbered
from recuerdo.memories.extraction.times import TimeWords

TIMES = TimeWords(
    months=numbered("""
        enero febrero marzo abril mayo junio julio agosto septiembre/setiembre octubre noviembre diciembre
    """),
    weekdays=numbered("lunes martes miercoles jueves viernes sabado domingo", 0),
    days={"hoy": 0, "esta noche": 0, "manana": 1, "pasado manana": 2, "ayer": -1, "anteayer": -2},
    numbers=numbered("un/una dos/un_par_de tres cuatro cinco seis siete ocho nueve diez once doce")
    | {"quince": 15, "veinte": 20},
    units={
        "dia": "day",
        "dias": "day",
        "finde": "weekend",
        "semana": "week",
        "semanas": "week",
        "mes": "month",
        "meses": "month",
        "fin de semana": "weekend",
        "ano": "year",
        "anos": "year",
    },
    points=(
        r"(?:el )?(?:dia )?(?P<day>\d{{1,2}})(?: de)? {month}(?:,? (?:de |del )?{year})?",
        r"(?:el |este )?(?:proximo )?{weekday}(?: (?:que viene|proximo|pasado))?",
        r"(?<!la ){offset}",
        r"(?:el |la )?{unit} (?P<next>que viene|que entra|proxim[oa]|siguiente)",
        r"(?:el |la )?(?P<next>proxim[oa]|siguiente) {unit}",
        r"(?:el |la )?{unit} (?P<last>pasad[oa])",
        r"(?P<this>est[ea]) {unit}",
        r"(?P<ahead>en|dentro de) {number} {unit}",
        r"(?P<ago>hace) {number} {unit}",
    ),
    spans=(r"(?:el )?(?:mes de )?{month}(?: (?:pasado|que viene|(?:de |del )?{year}))?", r"(?:el )?(?:ano )?{year}"),
    at="en|para|hasta|desde|a (?:finales|principios|mediados) de",
    since=r"desde",
    until=r"hasta(?: (?:el final|finales|fines) de)?",
    begun=r"(?:mud(?:e|amos|ado) (?:a|para)|(?:vine|llegue) a|(?:entre|empece)(?: a trabajar)? (?:en|a))"
    r" \w+(?: \w+){0,3}?(?: en)?",
    lasting=r"(?:(?:desde )?hace|llevo) (?:(?:ya|como|unos|unas|casi|mas de) )?{number} {unit}",
    every=r"(?<!\w)(?:cada|tod[oa]s|diario|diariamente|semanal(?:es|mente)?|los (?:lunes|martes|miercoles|jueves"
    r"|viernes)|sabados|domingos|(?:lunes|martes|miercoles|jueves|viernes|sabado|domingo) (?:del|de) mes)(?!\w)",
)
