"""Words around values."""

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.wordlists import ExtractionWords

EXTRACTION = ExtractionWords(
    oneself=word_set("eu meu minha sou estou tenho moro"),
    ours=word_set("me meus minhas nosso nossa nossos nossas to temos moramos gente"),
    between=word_set("e nem dois duas tres tambem"),
    ends_no_value=word_set("e de da do das dos em no na a com para por o"),
    amends=r"quer dizer|desculpa|ou melhor|na verdade|na vdd|na real",
    when_that="que|q|quando",
    subjects="eu|a gente|e",
    asks_back="e(?: com)? (?:voce|tu|vos)",
    offers_help="ajud",
    yes="sim",
    one="uma?",
    before_day="o|dia",
    calls="se chama|chama-se",
    after_correction=r"nao|agora|kkk+",
    exclaims="que|ah",
    clause_ends="para|com|desde",
    about="de|a",
    of_another=word_set(""),
    theirs=("dele ", "dela ", "deles ", "delas "),
    having=word_set("com tem"),
    units="anos|aninhos|meses",
    before_towns="de|da|do",
    before_names="o|a|meu|minha",
    whence="d[aeo]|para|pra",
    i_am="sou",
)
