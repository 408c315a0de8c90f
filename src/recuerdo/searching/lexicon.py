"""Words of three languages with a special role in searches, without case and accents."""

from itertools import filterfalse

from recuerdo.core.words import word_set

STOP_WORDS = word_set(
    # English
    " a about above after again against all am an and any are aren as at be because been before being below"
    " between both but by can cannot could couldn d did didn do does doesn doing don down during each few for"
    " from further had hadn has hasn have haven having he her here hers herself him himself his how i if in"
    " into is isn it its itself just ll me more most my myself nor not now o of off on only or other our ours"
    " ourselves out over own re s same shan she should shouldn so some such t than that the their theirs them"
    " themselves then there these they this those through to too under until up ve very was wasn we were weren"
    " what when where which while who whom why will with won would wouldn y you your yours yourself yourselves"
    # Spanish
    " al algo ante aquel aquella como con cual cuales cuando cuanta cuantas cuanto cuantos de del desde donde"
    " el ella ellas ellos en entre era eran eres es esa esas ese eso esos esta estaba estaban estan estar"
    " estas este esto estos estoy fue fueron ha haber habia habian han hasta hay he la las le les lo los mas"
    " me mi mis mucho muy nada ni no nos nosotros nuestra nuestras nuestro nuestros o os otra otras otro otros"
    " para pero poco por porque pues que quien quienes se sea ser si sido sobre solo son soy su sus suya suyo"
    " tambien tanto te tenia tengo tiene tienen todo todos tu tus tuve tuvo un una unas uno unos usted ustedes"
    " va vos y ya yo"
    # Portuguese
    " a ao aos aquela aquele aquilo as ate com como da das dela dele deles do dos e ela elas ele eles em entre"
    " era eram essa essas esse esses esta estao estas estava estavam este estes estou eu foi foram ha isso"
    " isto ja lhe lhes mais mas me mesmo meu meus minha minhas muito na nao nas nem no nos nossa nosso num"
    " numa o onde os ou para pela pelas pelo pelos por qual quais quando quanta quantas quanto quantos que"
    " quem sao se seja sem ser seu seus sua suas so sou tambem te tem tenho teve tinha tu tua um uma umas uns"
    " vai voce voces vos"
)
"""Stop words, which say nothing about a text's subject."""

FIRST_PERSON = word_set(
    "i my we our me us mine yo mi mis me nos nuestra nuestro nosotros eu meu minha meus minhas nossa nosso"
)
"""First-person words."""

SECOND_PERSON = word_set("you your yours yourself tu tus te ti vos usted ustedes voce voces teu tua teus tuas contigo")
"""Second-person words."""

TIMES = word_set(
    "yesterday today tomorrow ago last next week weekend month year tonight recently monday tuesday wednesday thursday"
    " friday saturday sunday january february march april may june july august september october november december"
    " morning evening night since"
    " ayer hoy manana anteayer anoche hace pasado pasada proximo proxima semana mes ano noche tarde lunes martes"
    " miercoles jueves viernes sabado domingo enero febrero marzo abril mayo junio julio agosto septiembre setiembre"
    " octubre noviembre diciembre desde"
    " ontem hoje amanha anteontem atras passado passada semana mes ano noite tarde segunda terca quarta quinta sexta"
    " janeiro fevereiro marco maio junho julho setembro outubro novembro dezembro"
)
"""Words for times."""

WHEN = word_set("when date cuando fecha quando data dia")
"""Words of questions about a time."""

MONTHS = (
    "january enero janeiro",
    "february febrero fevereiro",
    "march marzo marco",
    "april abril",
    "may mayo maio",
    "june junio junho",
    "july julio julho",
    "august agosto",
    "september septiembre setembro",
    "october octubre outubro",
    "november noviembre novembro",
    "december diciembre dezembro",
)
"""The names of months in all languages."""

MONTHS_AND_MORE = word_set("may march marco august")
"""Ambiguous names of months."""

BEFORE_MONTHS = word_set("in on of by since until during last next early late mid en de desde em este esta ate")
"""Words that precede a month."""

ENDINGS = (
    *("amientos", "imientos", "amiento", "imiento", "amente", "mente", "aciones", "iciones", "acion", "icion"),
    *("ciones", "cion", "acoes", "coes", "acao", "cao", "ando", "iendo", "endo", "indo", "ados", "adas", "ado", "ada"),
    *("idos", "idas", "ido", "ida", "aron", "ieron", "aram", "eram", "ings", "ing", "edly", "ed", "ies", "ied", "ly"),
    *("es", "s"),
)
"""Inflectional endings of the three languages; a longer ending comes before its own suffixes."""


def significant(words: list[str]) -> list[str]:
    """The significant words of a text; all words if it has only stop words."""
    return [*filterfalse(STOP_WORDS.__contains__, words)] or words
