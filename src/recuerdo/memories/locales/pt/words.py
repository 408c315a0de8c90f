"""Small words."""

from recuerdo.memories.extraction.language import SmallWords

WORDS = SmallWords(ands="e", ors="o|ou", buts="mas", thoughs="embora", wells="bom")
