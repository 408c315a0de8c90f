"""The small words that values are cut by, and what takes a statement back."""

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.language import SentenceChecks, pattern

ARTICLES = word_set("the")

JOINERS = word_set("and or nor & n")

LINKS = word_set("of the for de la del")

STOPS = word_set("""
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

BREAKS = word_set("because but although though thanks")

TURNS = word_set("that which since when while where if i i'm my_name")

STARTERS = word_set("""
        i i'm i've i'd i'll im my we we're our it it's that that's this he she they you your his her their work live
        love hate like am
        was were is are do don't have had want need can could would will should currently now also then please just not
        never always sometimes looking working living trying there there's here what where when who why how which if
        so but maybe
        because in at on for with from to hope looking got prefer enjoy dislike study play speak use call remember let
        let's support
        thanks thank moved born
    """)

FILLERS = word_set("""
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
    r"|[a-z]+)(?: always| once| just)? (?:said|says|thinks|believes|reckons?|reckoned|told me|tells|asked|asks"
    r"|claims|claimed"
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

_DOES = (
    r"(?:(?:'s|is|are|was|were|lives?|works?|has|have|had|studies|studied|said|says|wants?|prefers?|hates?|loves?|likes?"
    r"|eats?|uses?|speaks?|moved|married|goes|go|went|comes?|turns?|turned|earns?|can|should|must|costs?|needs?|knows?)"
    r"(?!\w))"
)

HEARSAY = SentenceChecks(
    oneself=pattern(r"(?:i|i'?m|i'?ve|i'?d|i'?ll|me|my|mine|myself|we|we'?re|we'?ve|our|us|call me)"),
    others=pattern(
        r"(?:my|our|his|her|their|your|the|an?|this|that|these|those|some) (?!name|(?:\w+ )?(?:number|address"
        r"|email|birthday"
        rf"|city|job|age)(?: is|'s))(?:[\w-]+ ){{0,5}}?[\w-]+ ?{_DOES}",
        rf"(?:he|she|they|it|who|someone|somebody|everyone|everybody|people|you|[a-z]+ and [a-z]+) ?{_DOES}",
        r"(?:my|our|his|her|their|your) [\w-]+(?:'s|s') \w+",
        r"of (?:my|his|her|their) (?:boss|friend|neighbou?r|colleague|partner|client|wife|husband|brother|sister)",
    ),
    past=pattern(
        r"(?:used to|lived|worked|was|were|had|before|previously|formerly|former|ex|once|ago|back when|back in|as a kid"
        r"|growing up|in (?:19|20)\d\d|did|studied|until)"
    ),
    wishes=pattern(
        r"(?:want|wants|wanted|would|could|might|may|wish|hope|dream\w*|thinking|consider\w*|plan\w*|going|gonna|will|'ll|i'd"
        r"|looking|appl(?:y|ied|ying)|interview\w*|visit\w*|trip|travel\w*|vacation|holiday|passing|flying|if|suppose"
        r"|imagine|maybe|perhaps|almost|nearly|should)"
    ),
    over=pattern(
        r"(?:no|not|never|n't|don'?t|isn'?t|quit|left|leaving|gone|over|former|used to|ex|stopped|moved|fired|laid off"
        r"|lost|sold|died|passed|divorced|broke|split|cancel\w*|forget|done|behind|dropped|gave up|retired|resigned)"
    ),
)
