"""The small words that values are cut by, and what takes a statement back."""

from recuerdo.memories.extraction.language import pattern
from recuerdo.memories.extraction.words import vocabulary

ARTICLES = vocabulary("the")

JOINERS = vocabulary("and or nor & n")

LINKS = vocabulary("of the for de la del")

STOPS = vocabulary("""
im ive id u ur w bc cuz rn wbu
this next last every
        in at on as for from since with without by to into near around who which that where when while because so but
        although though
        if than then now currently today also too is am are was were be been has have had i i'm i've i'd my we our it
        it's he she
        they you your his her their not no here there right again still just only really very doing until till before
        after
        yesterday tomorrow always never thanks please and/or via over under about against between during except like
        plus
        im a an based remotely full-time part-time working living nice pleased can could would will btw lol
    """)

BREAKS = vocabulary("because but although though thanks")

TURNS = vocabulary("that which since when while where if i i'm my_name")

STARTERS = vocabulary("""
        i i'm i've i'd i'll im my we we're our it it's that that's this he she they you your his her their work live
        love hate like am
        was were is are do don't have had want need can could would will should currently now also then please just not
        never always sometimes looking working living trying there there's here what where when who why how which if
        so but maybe
        because in at on for with from to hope looking got prefer enjoy dislike study play speak use call remember let
        let's
        thanks thank moved born
    """)

FILLERS = vocabulary("""
        too also at please thanks lot a so much very more most ever now currently though tho btw lol haha really
        actually as well
        all the time thank you
    """)

VACUOUS = pattern(
    r"\W*(?:both|(?:the )?(?:two|three)(?: of them| options)|it|its|it's|that|that's|this|these|those|how"
    r"|what|when|where|who|why|if|your|you|yours|u|ya|yall|y'all|ur|his|her|him"
    r"|them|their"
    r"|to (?:think|say|see|hear|know|believe|be|ask|bother|admit|break)"
    r"|(?:the )?(?:idea|way|fact|sound|look|thought|answer|first|second|third|last|other|latter|former|one"
    r"|ones)|not|my|our|is|are|was|were"
    r"|about|all|everything|anything|nothing|something|some|so|and|or|but|because|most|best|doing (?:this|that"
    r"|it)|being here|me|myself)(?![\w'-]).*"
)

BLOCKERS = pattern(
    r"if",
    r"when(?:ever)?",
    r"unless",
    r"suppos\w+",
    r"imagin\w+",
    r"pretend\w*",
    r"maybe",
    r"perhaps",
    r"wish",
    r"as though",
    r"what if",
    r"assum\w+",
    r"until",
    r"whether",
    r"before",
    r"(?:where|what|why|how|who|which)(?: do| did| does| is| are| was)?\s*$",
    r"(?:do|did|does|am|is|are|was|were|should|would|could|can|will|have|has)\s*$",
    r"(?:do|did|does|would|could|can) you (?:know|think|remember|believe)(?: that)?",
)

REPORTS = pattern(
    r"(?:he|she|they|who|people|someone|somebody|everyone|everybody|nobody|it|\w+'s|my \w+|the \w+"
    r"|[a-z]+)(?: always| once| just)? (?:said|says|thinks|believes|told me|tells|asked|asks|claims|claimed"
    r"|wrote|writes|goes|sings|lied|shouted|replied)",
    r"according to",
    r"(?:they|people|they all) (?:say|think|believe|claim)",
    r"the (?:phrase|title|lyrics?|song|line)",
)

NEGATIONS = pattern(
    r"no",
    r"not",
    r"never",
    r"don'?t",
    r"doesn'?t",
    r"didn'?t",
    r"isn'?t",
    r"ain'?t",
    r"wasn'?t",
    r"won'?t",
    r"no longer",
    r"neither",
    r"nor",
    r"without",
    r"doubt",
    r"false that",
    r"(?:a lie|not true|a myth) that",
    r"used to",
)

NOUNS = pattern(
    r"(?:i|we|they|you|he|she|who|to|will|can|can't|cannot|must|not|that's what|the (?:thing|things|music|food"
    r"|people|person|place|one|reason)s?"
    r"|something|anything|everything|nothing|things|all|ones)\s*$"
)
