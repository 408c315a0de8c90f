"""The words around a value that the tagger found."""

from recuerdo.memories.extraction.language import ValueChecks
from recuerdo.memories.extraction.patterns import Pattern

TAGGED = ValueChecks(
    turns=Pattern(r"(?<!hoje )\b(?:completa|faz|faco|fazer|fara)(?: os|[^.;!?]{0,30}\bja)?\s+\Z"),
    once=Pattern(r"(?<!estou )(?<!to )(?<!tou )\b(?:com|aos|quando tinha)\s+\Z"),
    cancelled=Pattern(r"\b(?:cancel\w*|nao vai (?:mais )?rolar\b)"),
    taken_away=Pattern(r"\b(?:tirou|cortou|suspendeu|tiraram|suspenderam)(?: (?:o|a|os|as|meu|minha))?\s+\Z"),
    # `aniversario de mi boda` is Spanish
    day_of_another=Pattern(r"\b(?:niver|aniversario) d(?:(?:[oae]s?) (?!meu|minha|mi\b)|el[ae]s?\b)"),
    titled=Pattern(r"\W*(?:seu|dona?|sra?|senhora?)\.? [a-z]+\b"),
    oneself=Pattern(r"\b(?:eu|sou)\b"),
    no_relative=Pattern(r"(?:dra?|doutora?|prof|profe|professora?|padre|pastor)\b"),
    moves_away=Pattern(r"\b(?:se mudou|foi embora)\b"),
    seeks=Pattern(r"\b(?:busc(?:o|ando)|procur(?:o|ando)|quer(?:o|ia))\b"),
    lives=Pattern(r"\b(?:resid\w+|mor(?:o|ando)|viv(?:o|endo))(?: \w+)?\s+\Z"),
    until_retired=Pattern(r"[^.;!?]{0,40}\b(?:ate|antes d[aeo])\b[^.;!?]{0,20}\b(?:aposent|reform|jubil)"),
    averse=Pattern(r"[^,.;:!?]{0,40}?\s(?:eu )?(?:nao|n) (?:\w+ )?(?:aguent|suport|gost|curt|toler)\w*"),
    before_name=Pattern(r"e|o|a"),
    clause_start=Pattern(r"\s(?:e|mas|que|porque|entao)\s+"),
    allergy=Pattern(r"\b(?:alerg|intoler)\w*"),
    also=Pattern(r"\W*(?i:e)\s"),
    own=Pattern(r"\W*(?i:(?:[oa] )?(?:meus?|minhas?))\s"),
)
