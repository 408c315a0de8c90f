"""Words around values."""

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.wordlists import ExtractionWords

EXTRACTION = ExtractionWords(
    oneself=word_set("yo mi mis soy estoy tengo vivo"),
    ours=word_set("me nos nuestro nuestra nuestros nuestras tenemos vivimos"),
    between=word_set("y e ni dos tres tambien"),
    ends_no_value=word_set("y e de del en a con para por el la los las"),
    amends=r"perdon|digo|mejor dicho|quise decir|corrijo|o mejor|en realidad|o sea",
    when_that="que|q|cuando",
    subjects="yo|nos|es",
    asks_back="y (?:tu|vos|usted|contigo)",
    offers_help="ayud",
    yes="si",
    one="un[oa]?",
    before_day="el|dia",
    calls="se llama",
    after_correction=r"no|ahora|perdon|jaja\w*",
    exclaims="que|ah|ay",
    clause_ends="para|con|desde",
    about="de|a",
    of_another=word_set("su sus"),
    theirs=("de ellos ", "de ellas ", "de el ", "de ella "),
    having=word_set("con tiene"),
    units="anos|anitos|meses",
    before_towns="de",
    before_names="el|la|mi",
    whence="de|del|para",
    i_am="soy",
)
