"""Words by which the readers find where a value begins and ends."""

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.wordlists import ReaderWords

READERS = ReaderWords(
    fused=word_set(""),
    at=word_set("in at"),
    places=word_set("in"),
    of_employers=word_set("at of for"),
    an=word_set("a an"),
    my=word_set("my"),
    new=word_set("new"),
    lately=(
        r"these days|nowadays|lately|recently|at the moment|right now|with (?:a passion|all my heart)|so much"
        r"|more than anything|to death|to bits|at all|any ?more|the most|a lot"
        r"|to be (?:honest|fair|frank)|honestly|if i'?m honest|in fairness|i must say"
    ),
    asks_assistant=word_set("you u"),
    people=word_set("people"),
    so_much=word_set(""),
    consequences=word_set("so_please so_don't so_dont so_no so_you so_u so_avoid so_pls"),
    without=word_set("without not"),
    vague=word_set(
        "try think see know send call ask tell let check find sleep rest wait finish need be have do continue"
    ),
    errands=word_set("gym store shop grocery groceries bank pharmacy office work school bed shopping cinema"),
    reasons=word_set("for"),
    before_time=r"on|at|in|the|next|this",
    to_time=r"on|to|till|until|in|for|the|this",
    on_day=r"on|in|the",
    first_day=r"",
    slang=word_set("""
        tbh ngl fr frfr imo imho idk smh haha heh btw fyi yall y'all man dude bruh sis folks innit pal luv xx xo pls
        plz thx ty cheers ok okay bro
    """),
    times=word_set("week weekend month year summer yesterday"),
    before_times=word_set("last this the in"),
    no_subject=word_set(
        "how what why when where which who the a an this that these those my your our if for to hard everything at"
    ),
    not_eaten=word_set("out at with before after until too so that it this much here lunch dinner breakfast"),
    eats=word_set("eat drink eats drinks"),
    diet_leads=word_set(""),
    strict=word_set("convinced strict"),
    ages=word_set("age"),
    parents=word_set(""),
    married_to=word_set("with to in"),
)
