"""Small words."""

from recuerdo.memories.extraction.language import SmallWords

WORDS = SmallWords(ands="and", ors="or", buts="but", thoughs="although", wells="well")
