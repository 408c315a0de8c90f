"""Small words."""

from recuerdo.memories.extraction.wordlists import SmallWords

WORDS = SmallWords(
    ands="y|e",
    nors="ni",
    ors="o|u",
    buts="pero",
    becauses="porque",
    thats="que|q",
    i="yo",
    my="mis?|nuestr[oa]s?",
    nots="no",
    they="ella|el",
    of="de|del",
    at="en",
    articles="el|la|los|las|lo",
    an="una?",
    thoughs="sino|aunque",
    wells="bueno",
)
