"""Small words."""

from recuerdo.memories.extraction.wordlists import SmallWords

WORDS = SmallWords(
    ands="and",
    nors="nor",
    ors="or",
    buts="but",
    becauses="because",
    thats="that|who",
    i="i",
    my="my|our",
    nots="no|not",
    they="she|he|they",
    of="of",
    at="in",
    articles="the",
    an="an?",
    thoughs="although",
    wells="well",
)
