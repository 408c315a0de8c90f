"""Words by which memories are compared, and found when they are to be forgotten."""

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.wordlists import ComparisonWords

COMPARISONS = ComparisonWords(
    small=word_set("""
        a o e os as um uma uns umas do da dos das de no na nos nas em com por para pra pro que me se meu minha
        meus minhas eu ao aos
    """),
    denials=r"nao|nunca|jamais|sem|nem",
    saying=word_set("""
        esse essa aquele aquela sendo cuento lance disse contei falei coisa tema dado isso isto aquilo tudo td
        memoria lembranca informacao historia assunto parada negocio papo ser tambem tb tbm agora sobre respeito favor
        pfv pf pfvr
    """),
    own=r"meus?|minhas?|eu|que",
    known=r"(?:de |sobre )?(?:[oa]s?|d[oa]s?|ess[ea]|est[ea]|dess[ea]|aquel[ea]|aquilo d[aeo]s?)",
    after_orders=r"viu|mano|cara|faxfavor|pfv|obrigad[oa]|kkk\w*",
    all_about=r"(?:tudo|td) (?:\w+ ){0,3}?(?:d[aeo]s?|sobre|acerca)",
    which=r"que|q|onde|quando",
    who=r"que|q|quem",
    denies=r"nao (?:e|era)",
    of_persons=r"tem|fez|faz|del?|com|e",
    slots={
        "work": r"trabalho|empresa|escritorio",
        "personal": r"particular|pessoal|privad\w+|casa",
        "length": (
            r"curt[oa]s?|breves?|long[oa]s?|detalhad[oa]s?|concis[oa]s?|extens[oa]s?|resumid[oa]s?"
            r"|diret[oa]s?|objetiv[oa]s?"
        ),
        "formality": r"de voce|por tu|(?:in)?formal(?:mente)?|(?:in)?formais",
        "language": r"em (?:espanhol|ingles|portugues|frances)",
        "format": r"listas?|tabelas?|topicos|paragrafos?|prosa",
        "emoji": r"emojis?|emoticon\w*",
        "partner": r"espos[oa]|marido|mulher|namorad[oa]|parceir[oa]|companheir[oa]|noiv[oa]|conjuge",
        "mother": r"mae|mama",
        "father": r"pai|papa",
    },
    favourite=r"favorit[oa]|preferid[oa]|predilet[oa]",
    favourite_before=r"",
    teams=r"time|club|equipo",
)
