"""Small words."""

from recuerdo.memories.extraction.wordlists import SmallWords

WORDS = SmallWords(
    ands="e",
    nors="nem",
    ors="o|ou",
    buts="mas",
    becauses="porque",
    thats="que|q",
    i="eu",
    my="meus?|minhas?|noss[oa]s?",
    nots="nao",
    they="ela|ele",
    of="de|da|do|das|dos",
    at="em",
    articles="o|a|os|as",
    an="uma?",
    thoughs="embora",
    wells="bom",
)
