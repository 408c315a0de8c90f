"""Words by which questions are told from statements."""

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.wordlists import QuestionWords

QUESTIONS = QuestionWords(
    divided=r"by",
    address=r"address|street",
    thousand=r"thousand|k",
    idle=word_set("""
        currently nowadays today still exactly live work full complete please years number address
    """),
    times=word_set("now before previously that then and it had"),
    and_what_of=r"(?:and|so)(?: (?:what|how) about)?|(?:what|how) about",
    then=r"now|then|before",
    before_question_words=r"and|so|before|now|since|until|till|to|from|with|for|of|on|in|at|about|by",
    question_words=r"what|who|whom|whose|when|where|which|how",
    exclaims=r"",
    i_owe=r"(?:i|we)(?: \w+)? (?:owe|owed|owes|borrow|borrowed)(?! (?:me|us))|(?:im|i m) (?:still )?owing",
    owes_me=r"ow(?:e|es|ed|ing) (?:me|us)|(?:due|owed) (?:to )?(?:me|us)|(?:lent|lend)(?! (?:me|us))",
    endings=r"ing|ed|ies",
    several=r"cities|towns|places|countries",
    since=word_set("since"),
    goals=word_set(""),
    whats=r"what is|whats|what s",
)
