"""How times are spoken of in this language."""

from recuerdo.core.words import numbered
from recuerdo.memories.extraction.times import TimeWords

_WEEKDAYS = numbered("segunda terca quarta quinta sexta", 0)

TIMES = TimeWords(
    months=numbered("janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro"),
    weekdays={
        **_WEEKDAYS,
        **{f"{day}{end}": number for day, number in _WEEKDAYS.items() for end in ("-feira", " feira")},
        "sabado": 5,
        "domingo": 6,
    },
    days={"hoje": 0, "amanha": 1, "depois de amanha": 2, "ontem": -1, "anteontem": -2},
    numbers=numbered("um/uma dois/duas/um_par_de tres quatro cinco seis sete oito nove dez onze doze")
    | {"quinze": 15, "vinte": 20},
    units={
        "dia": "day",
        "dias": "day",
        "semana": "week",
        "semanas": "week",
        "mes": "month",
        "meses": "month",
        "ano": "year",
        "anos": "year",
        "fim de semana": "weekend",
        "fds": "weekend",
    },
    points=(
        r"(?:[oa] )?(?:dia )?(?P<day>\d{{1,2}})(?: de)? {month}(?:,? (?:de |do )?{year})?",
        r"proxim[oa] {weekday}",
        r"{weekday} (?:que vem|proxim[oa]|passad[oa])",
        r"{offset}",
        r"(?:[oa] )?{unit} (?P<next>que vem|seguinte)",
        r"(?:[oa] )?(?P<next>proxim[oa]) {unit}",
        r"(?:[oa] )?{unit} (?P<last>passad[oa])",
        r"(?P<this>est[ea]|nest[ea]) {unit}",
        r"(?P<ahead>em|daqui a) {number} {unit}",
        r"(?P<ago>ha) {number} {unit}",
    ),
    spans=(
        r"(?:[oa] )?{weekday}",
        r"(?:o mes de )?{month}(?: (?:passado|que vem|(?:de |do )?{year}))?",
        r"(?:o ano de )?{year}",
    ),
    at="em|na|no|nest[ae]|para|pra|ate|desde|(?:no )?(?:fim|comeco|final) de",
    since=r"desde",
    until=r"ate(?: o (?:fim|final) (?:de|do))?",
    begun=r"(?:mud(?:ei|amos) (?:pra|para)|(?:vim|cheguei) (?:pra|para|em|no|na|a)|(?:entrei|comecei) (?:em|no|na))"
    r" \w+(?: \w+){0,3}?(?: em| no| na)?",
    lasting=r"(?:ha|faz|aqui tem|tem(?=[^,.;]{{1,30}} que )) (?:(?:ja|uns|umas|quase|mais de) )?{number} {unit}",
    every=r"(?<!\w)(?:cada|tod[oa]s?|diariamente|semanal(?:mente)?|semanais|as segundas|tercas|quartas|quintas|sextas"
    r"|sabados|domingos|(?:segunda|terca|quarta|quinta|sexta)(?:-feira)? do mes|(?:sabado|domingo) do mes)(?!\w)",
)
