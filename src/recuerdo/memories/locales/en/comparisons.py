"""Words by which memories are compared, and found when they are to be forgotten."""

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.wordlists import ComparisonWords

COMPARISONS = ComparisonWords(
    small=word_set("the a an of to and or in on at for with my i me is am are"),
    denials=r"no|not|never|without|don't",
    saying=word_set("""
        about concerning regarding what ye yer say said told tell mention mentioned thing things stuff story whole
        business matter know bit fact memory information that this everything all anything please pls now also too when
        how u ur
    """),
    own=r"my|mine|i|i'm|what|our",
    known=r"(?:about )?(?:the|that|this)",
    after_orders=r"will y[ae]|can you|pls|plz|thanks|thank you|mate|lol|abeg|bro|sis|now|dear|hun|love",
    all_about=r"(?:everything|all|anything)(?: \w+){0,3} (?:about|of)",
    which=r"that|which|who|i|where|when",
    who=r"that|which|who",
    denies=r"(?:no|not) (?:is|was)",
    of_persons=r"has|is|turn\w*|with|aged|and",
    slots={
        "work": r"work|office|business|corporativ\w+",
        "personal": r"personal|private|home",
        "length": r"short|brief|concise|long|detailed|in detail",
        "formality": r"formal|informal|casual|formally|informally",
        "language": r"in (?:english|spanish|portuguese|french)",
        "format": r"lists?|bullets?|bullet points|tables?|paragraphs?|prose",
        "emoji": r"emojis?|emoticon\w*",
        "partner": r"wife|husband|partner|girlfriend|boyfriend|fiancee?|spouse",
        "mother": r"mother|mom|mum",
        "father": r"father|dad",
    },
    favourite=r"",
    favourite_before=r"(?:all-time )?fav(?:e|ou?rite)?",
    teams=r"team|club",
)
