"""Words by which memories are compared, and found when they are to be forgotten."""

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.wordlists import ComparisonWords

COMPARISONS = ComparisonWords(
    small=word_set("""
        el la los las un una unos unas lo al del de a y e o u en con por para que mi mis me se es su sus yo
    """),
    denials=r"no|nunca|jamas|sin|ni|ya",
    saying=word_set("""
        dije dijo dijiste conte hable mencione sabes sepas cosa tema dato recuerdo memoria informacion eso esto lo
        todo ese esa tambien tb tmb ser cuento asunto historia rollo ya ahora mis tus favor porfa porfis sobre
        respecto acerca
    """),
    own=r"mis?|mia|que|lo del?|lo que|nuestr[oa]s?",
    known=r"(?:de |sobre )?(?:el|la|los|las|es[eao]|est[eao]|aquel\w*)",
    after_orders=r"anda|chico|mijo|pana|porfis|plis|gracias|si|ya|quieres|queres|jaja\w*",
    all_about=r"todo (?:\w+ ){0,3}?(?:de|del|sobre)",
    which=r"que|q|donde|cuando",
    who=r"que|q|quien",
    denies=r"no (?:es|era)",
    of_persons=r"tiene|cumpl\w+|del?|con|y|e",
    slots={
        "work": r"trabajo|laboral|empresa|oficina",
        "personal": r"personal|particular|privad\w+|casa",
        "length": (
            r"cort[oa]s?|breves?|larg[oa]s?|detallad[oa]s?|concis[oa]s?|extens[oa]s?|resumid[oa]s?|al grano"
            r"|direct[oa]s?|objetiv[oa]s?"
        ),
        "formality": r"tute\w+|de usted|de tu|de vos|(?:in)?formal(?:es|mente)?",
        "language": r"en (?:espanol|castellano|ingles|portugues|frances)",
        "format": r"listas?|vinetas|tablas?|parrafos?|topicos|prosa",
        "emoji": r"emojis?|emoticon\w*",
        "partner": (
            r"espos[oa]|marido|mujer|novi[oa]|pareja|conyuge|prometid[oa]|polol[oa]|senora"
            r"|companer[oa] sentimental"
        ),
        "mother": r"madre|mama",
        "father": r"padre|papa",
    },
    favourite=r"favorit[oa]|preferid[oa]|predilet[oa]",
    favourite_before=r"",
    teams=r"equipo|cuadro|club",
)
