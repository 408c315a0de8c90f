"""Small words."""

from recuerdo.memories.extraction.language import SmallWords

WORDS = SmallWords(ands="y|e", ors="o|u", buts="pero", thoughs="sino|aunque", wells="bueno")
