"""Words around values."""

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.wordlists import ExtractionWords

EXTRACTION = ExtractionWords(
    oneself=word_set("i i'm i've im ive my me we our"),
    ours=word_set("us mine"),
    between=word_set("and n nor two three both"),
    ends_no_value=word_set("and in at to of with for the"),
    amends=r"sorry|i mean|i meant|or rather|actually",
    when_that="that|when",
    subjects="i|i'm|we|we're|it's",
    asks_back="(?:and|what about|how about) you",
    offers_help="help",
    yes="yes|yeah|yep",
    one="one",
    before_day="the",
    calls="(?:it )?is (?:called|named)|called|(?:her|his|its) name is",
    after_correction=r"no|not|now|sorry|haha\w*|lol",
    exclaims="ah|oh",
    clause_ends="with",
    about="about",
    of_another=word_set("her his their s"),
    theirs=(),
    having=word_set("with has got"),
    units="years? old|years|yrs|months",
    before_towns="",
    before_names="my",
    whence="from|of|for",
    i_am="i'?m|i am",
)
