"""English."""

from recuerdo.core.memories import Attribute
from recuerdo.memories.detectors import readers as read
from recuerdo.memories.detectors.language import Language, cue, pattern
from recuerdo.memories.detectors.lexicon.dates import WHEN
from recuerdo.memories.detectors.lexicon.households import ANIMALS, RELATIVES
from recuerdo.memories.detectors.words import vocabulary

_AM = r"(?:i'm|i am|im)"
_STILL = r"(?: (?:now|currently|still|also|actually|presently|just|really|only|mainly|mostly))?"
_WORK = (
    rf"(?:i{_STILL} work|{_AM}{_STILL} working|i(?:'ve| have) been working|(?:i|i'm|im) [^,;:]{{1,60}}? and work)"
    r"(?: (?:remotely|full[- ]time|part[- ]time|nights|days|evenings|weekends|now|currently|mainly|mostly))?"
)
_TRADE = (
    r"(?:(?:do|handle|run|manage|lead|oversee) (?:the )?(?:payroll|accounts|accounting|bookkeeping|books|marketing"
    r"|sales|support|customer \w+|hr|it|research|design|data|logistics|procurement|operations|security|finances?|legal)"
    r"|teach \w+(?: \w+)?)"
)
_LIVE = (
    rf"(?:i{_STILL} live|{_AM}{_STILL} (?:living|based|located|residing)|i(?:'ve| have) been living|i{_STILL} reside"
    rf"|we{_STILL} live|(?:i|i'm|im) [^,;:]{{1,60}}? and live)(?: (?:now|currently|here|alone|permanently))?"
)
_MOVED = rf"(?:i|we)(?:'ve| have)?{_STILL}(?: recently)? (?:moved|relocated)(?: back)?(?: from [\w ]{{1,30}})? to"
_BETWEEN = r"(?: (?!(?:in|at|for|and|but|not|live|work|that|if)(?!\w))\w+){1,4}?"
_LOTS = (
    r"(?: (?:really|also|do|absolutely|totally|especially|particularly|always|just|genuinely|truly|still|both|simply))*"
)

_FORGETTABLE: dict[Attribute, str] = {
    "name": "name",
    "phone": "phone|number|mobile|cell",
    "email": "e-?mail|mail",
    "city": "city|address",
    "employer": "job|employer|company|workplace",
    "birthday": "birthday|date of birth",
}

ENGLISH = Language(
    cues=(
        cue(
            read.known_name,
            r"my (?:full |first |real )?name(?:'s| is)",
            r"(?<![a-z]\x20)(?:the )?name's",
            r"(?:you can|you may|people|friends|everyone|everybody|my friends|please|just) call me",
            r"i go by",
            r"(?:i'd rather|i prefer|i'd like|i want) you (?:to )?call me",
            rf"{_AM} (?:called|named)",
        ),
        cue(
            read.likely_name,
            _AM,
            r"call me",
            r"(?:hi|hello|hey),? this is",
            r"(?:hi|hello|hey),? it's",
            r"(?:hi|hiya|hello|hey(?: there)?|good (?:morning|evening)),? (?=\w+ here(?=\W*(?:$|[,.!;-]|and |from )))",
        ),
        cue(
            read.english_unit("department", "department", "dept", "division"),
            rf"(?:{_WORK}|{_AM}{_STILL}|i belong) (?:in|at|for|to|with) (?:the|our)",
        ),
        cue(
            read.english_unit("team", "team", "squad", "crew"),
            rf"(?:{_WORK}|{_AM}{_STILL}(?: part)?|i belong|i(?:'ve)? (?:just )?joined) (?:(?:on|in|of|to|for"
            rf"|with) )?(?:the|our)",
        ),
        cue(
            read.employer,
            rf"{_WORK} (?:at|for|in)",
            rf"{_AM}{_STILL} (?:employed|hired) (?:at|by)",
            rf"i(?:'ve| have)?{_STILL}(?: recently)? (?:joined|(?:started|begun|began)(?: working| work| a job"
            rf"| a new job| my new job)? (?:at|for))",
            r"i got (?:a|the|my) (?:new )?job (?:at|with)",
        ),
        cue(read.plainly(read.employer), rf"{_WORK}{_BETWEEN} (?:at|for)", rf"i{_STILL} {_TRADE} (?:at|for)"),
        cue(
            read.own_company,
            r"my (?:current )?(?:company|employer|workplace)(?:'s| is)(?: called| named)?",
            r"the company (?:that )?i work (?:for|at) is(?: called)?",
        ),
        cue(
            read.role,
            rf"{_WORK} as",
            r"my (?:current )?(?:profession|job title|title|role|occupation|position)(?:'s| is)(?: that of)?",
            rf"{_AM}{_STILL} employed as",
        ),
        cue(read.occupation, rf"{_WORK}(?: \w+){{1,4}}? as"),
        cue(
            read.occupation, rf"{_AM}{_STILL}(?: (?:an?|the))?", r"my (?:current )?job(?:'s| is)", r"by profession i am"
        ),
        cue(
            read.unit("department"),
            r"my (?:department|area|division)(?:'s| is)(?: called)?",
            rf"(?:{_WORK}|{_AM}{_STILL}) in (?:the )?(?:department|area|field) of",
        ),
        cue(read.unit("team"), r"my team(?:'s| is)(?: called| named)?"),
        cue(read.sure_city, rf"(?:i|we) live{_BETWEEN} in"),
        cue(
            read.city,
            rf"{_LIVE}(?: over| up| down| out)? (?:in|near)",
            _MOVED,
            r"my (?:home ?town|home|city) is(?: in)?",
            r"i live and (?:work|study) in",
        ),
        cue(
            read.email,
            r"my (?:\w+ )?(?:e-?mail|mail|email address|e-mail address)(?: address)?(?: is|'s)?",
            r"(?:you can )?(?:reach|contact|e-?mail|write to|write) me (?:at|on|here at)",
        ),
        cue(
            read.phone,
            r"my (?:\w+ )?(?:number|phone|phone number|mobile|cell|cellphone|telephone|whatsapp)(?: number)?(?: is"
            r"|'s)?",
            r"(?:you can )?(?:call|text|ring|phone|reach|whatsapp) me (?:at|on)",
        ),
        cue(
            read.birthday,
            r"my (?:birthday|bday|b-day|birth date|birthdate|date of birth|dob)(?: is|'s)(?: on| in)?",
            r"i was born",
        ),
        cue(
            read.tongue,
            rf"i{_STILL}(?: can)? speak",
            rf"{_AM} (?:fluent|a native speaker of|native) (?:in |of )?",
            r"my (?:native|first|mother|main) (?:language|tongue)(?:'s| is)",
        ),
        cue(
            read.named("family"),
            rf"my (?:\w+ )?{RELATIVES}(?:'s?)? names? (?:is|are)",
            rf"my (?:\w+ )?{RELATIVES}(?:'s| is| are) (?:called|named)",
            rf"(?:i|we)(?:'ve| have)?(?: got)? (?:have )?(?:an?|\w+) (?:\w+ )?{RELATIVES} (?:called|named)",
        ),
        cue(
            read.counted("family"),
            rf"(?:i have|i've got|we have|we've got) (?=(?:an?|one|two|three|four|five|six|\d) {RELATIVES}(?!\w))",
        ),
        cue(
            read.named("pet"),
            rf"(?:my|our) (?:\w+ )?{ANIMALS}(?:'s?)? names? (?:is|are)",
            rf"(?:my|our) (?:\w+ )?{ANIMALS}(?:'s| is| are) (?:called|named)",
            rf"(?:i|we)(?:'ve| have)?(?: got)? (?:have )?(?:an?|\w+) (?:\w+ )?{ANIMALS} (?:called|named)",
        ),
        cue(
            read.counted("pet"),
            rf"(?:i have|i've got|we have|we've got) (?=(?:an?|one|two|three|four|five|six|\d) {ANIMALS}(?!\w))",
        ),
        cue(
            read.undated,
            rf"(?:on |in )?{WHEN},? (?:i'm going to|i am going to|i plan to|we're going to|i intend to) ",
            rf"(?:on |in )?{WHEN},? i (?:have|'ve got) (?:an? )?(?=(?:job )?(?:interview|exam|flight|wedding|trip"
            r"|appointment|surgery)(?!\w))",
        ),
        cue(
            read.dated,
            rf"(?:{_AM} (?:going|planning|hoping) to|we're (?:going|planning) to|i (?:plan|intend|hope)"
            r" (?:on|to)|my plan is to)",
            rf"{_AM} (?=(?:getting married|moving to|flying to|travell?ing to|retiring|graduating|starting) )",
            r"i(?: have|'ve got) (?=(?:an? )?(?:job )?(?:interview|exam|flight|wedding|trip|appointment"
            r"|surgery)(?!\w))",
        ),
        cue(
            read.phrase("likes"),
            rf"i{_LOTS} (?:like|love|enjoy|adore)",
            rf"{_AM}(?: also| really| totally| very| so| quite| super)? (?:(?:a |such a )?(?:big|huge|massive"
            rf"|great)?\s?fan of|into|fond of|obsessed with|crazy about|keen on|passionate about)",
            r"my (?:all-time )?favou?rite [\w-]+(?: [\w-]+){0,2}? (?:is|are)",
        ),
        cue(
            read.phrase("dislikes"),
            r"i (?:really |just )?(?:don't|dont|do not|never)(?: really| particularly| even)? (?:like|enjoy)(?: any)?",
            rf"i{_LOTS} (?:hate|dislike|detest|despise|loathe)",
            rf"i{_LOTS} (?:can't|cant|cannot|can not) (?:stand|bear)",
            rf"{_AM} not (?:a (?:big |huge )?fan of|into|fond of|keen on)",
            r"i no longer (?:like|enjoy)",
        ),
        cue(
            read.preference,
            rf"i(?:'d)?{_LOTS} prefer",
            r"i would (?:much )?prefer",
            r"(?:i'd|i would)(?: much)? rather",
            r"my preference is(?: for)?",
        ),
        cue(
            read.instruction,
            r"(?:please )?always (?=(?:answer|reply|respond|speak|write|talk|address|call)(?!\w))",
        ),
        cue(
            read.everything,
            r"(?:remember|(?:don't|dont|do not|never) forget|keep in mind|bear in mind|note|make a note|take note"
            r"|take into account|be aware"
            r"|i want you to (?:remember|know))(?: also| please)?(?: of the fact)? that",
            r"(?:please )?(?:remember|note|keep in mind|don't forget|make a note)(?: this| the following)?(?=:)",
            r"(?:remember|don't forget|keep in mind) (?=(?:my|i|i'm|i've|we|our) )",
            r"(?:save|store) (?:this|the fact that)(?=:| )",
        ),
    ),
    denials=(
        cue(
            read.employer,
            r"i (?:don't|dont|do not|no longer)(?: actually| really)? work (?:at|for|in)",
            r"i(?:'ve| have)? (?:quit|left|resigned from|stopped working (?:at|for)|used to work (?:at|for))"
            r"(?: my job at)?",
            r"i (?:was|got) (?:fired|laid off) (?:from|by)",
            rf"{_AM} (?:not|no longer) (?:working )?(?:at|with|for)",
        ),
        cue(
            read.city,
            r"i (?:don't|dont|do not|no longer)(?: actually| really)? live (?:in|near)",
            r"i (?:used to live in|left|moved out of|moved away from)",
            r"(?:i|we)(?:'ve| have)? moved from",
            rf"{_AM} (?:not|no longer) (?:living |based )in",
        ),
        cue(read.occupation, rf"{_AM} no longer an?", r"i used to be an?", r"i stopped being an?"),
        cue(read.known_name, r"my name (?:isn't|is not|is no longer)"),
        cue(read.phrase("likes"), r"i (?:don't|dont|do not|no longer) (?:like|love|enjoy)"),
        cue(read.phrase("dislikes"), r"i (?:don't|dont|do not|no longer) (?:hate|dislike|mind)"),
        cue(read.tongue, r"i (?:don't|dont|do not|no longer) speak"),
        cue(read.preference, r"i (?:don't|dont|do not|no longer) prefer"),
    ),
    gone=(
        (
            "employer",
            pattern(
                r"i (?:don't|do not|no longer) (?:work|have a job)(?: anymore| any more)?(?=\W*(?:$|,|and ))",
                r"i (?:quit|resigned|retired)(?: my job)?(?=\W*(?:$|,|and |yesterday|today|last))",
                r"i (?:was|got) (?:fired|laid off)(?=\W*(?:$|,|and |yesterday|today|last))",
                r"i lost my job|(?:i'm|i am) (?:unemployed|out of work|between jobs)",
            ),
        ),
        ("pet", pattern(rf"(?:my|our) {ANIMALS}(?: \w+)? (?:died|passed away)|i no longer have an? {ANIMALS}")),
        *(
            (
                attribute,
                pattern(
                    rf"(?<!don't\x20)(?<!not\x20)(?<!never\x20)(?:forget|delete|remove|erase|i no longer use)"
                    rf" (?:my|that|this) "
                    rf"(?:\w+ )?(?:{nouns})"
                ),
            )
            for attribute, nouns in _FORGETTABLE.items()
        ),
    ),
    forget=pattern(r"(?<!don't\x20)(?<!dont\x20)(?<!not\x20)(?<!never\x20)forget that"),
    tails={
        "country": (cue(read.sure_city, r"in"),),
        "employer": (
            cue(read.role, r"as"),
            cue(read.english_unit("team", "team", "squad"), r"(?:on|in) (?:the|our)"),
            cue(read.english_unit("department", "department"), r"in (?:the|our)"),
            cue(read.sure_city, r"in|based in"),
        ),
        "job": (
            cue(read.english_unit("team", "team", "squad"), r"(?:on|in) (?:the|our)"),
            cue(read.english_unit("department", "department"), r"in (?:the|our)"),
            cue(read.employer, r"at|for|with"),
            cue(read.company, r"of"),
            cue(read.sure_city, r"in|based in"),
        ),
        "department": (cue(read.own_company, r"at|of|for"),),
        "team": (cue(read.own_company, r"at|of|for"),),
        "name": (cue(read.occupation, r"(?=\w)(?:(?:an?|the)(?= ))?"),),
    },
    articles=vocabulary("the"),
    joiners=vocabulary("and or nor &"),
    links=vocabulary("of the for de la del"),
    stops=vocabulary("""
        in at on as for from since with without by to into near around who which that where when while because so but
        although though
        if than then now currently today also too is am are was were be been has have had i i'm i've i'd my we our it
        it's he she
        they you your his her their not no here there right again still just only really very doing until till before
        after
        yesterday tomorrow always never thanks please and/or via over under about against between during except like
        plus
        im a an based remotely full-time part-time working living nice pleased can could would will btw lol
    """),
    breaks=vocabulary("because but although though thanks"),
    turns=vocabulary("that which since when while where if i i'm my_name"),
    starters=vocabulary("""
        i i'm i've i'd i'll im my we we're our it it's that that's this he she they you your his her their work live
        love hate like am
        was were is are do don't have had want need can could would will should currently now also then please just not
        never always sometimes looking working living trying there there's here what where when who why how which if
        so but maybe
        because in at on for with from to hope looking got prefer enjoy dislike study play speak use call remember let
        let's
        thanks thank moved born
    """),
    fillers=vocabulary("""
        too also at please thanks lot a so much very more most ever now currently though tho btw lol haha really
        actually as well
        all the time thank you
    """),
    vacuous=pattern(
        r"\W*(?:it|its|it's|that|that's|this|these|those|how|what|when|where|who|why|if|your|you|yours|his|her|him"
        r"|them|their"
        r"|to (?:think|say|see|hear|know|believe|be|ask|bother|admit|break)"
        r"|(?:the )?(?:idea|way|fact|sound|look|thought|answer|first|second|third|last|other|latter|former|one"
        r"|ones)|not|my|our|is|are|was|were"
        r"|about|all|everything|anything|nothing|something|some|so|and|or|but|because|most|best|doing (?:this|that"
        r"|it)|being here|me|myself)(?![\w'-]).*"
    ),
    blockers=pattern(
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
    ),
    reports=pattern(
        r"(?:he|she|they|who|people|someone|somebody|everyone|everybody|nobody|it|\w+'s|my \w+|the \w+"
        r"|[a-z]+)(?: always| once| just)? (?:said|says|thinks|believes|told me|tells|asked|asks|claims|claimed"
        r"|wrote|writes|goes|sings|lied|shouted|replied)",
        r"according to",
        r"(?:they|people|they all) (?:say|think|believe|claim)",
        r"the (?:phrase|title|lyrics?|song|line)",
    ),
    negations=pattern(
        r"no",
        r"not",
        r"never",
        r"don't",
        r"doesn't",
        r"didn't",
        r"isn't",
        r"no longer",
        r"neither",
        r"nor",
        r"without",
        r"doubt",
        r"false that",
        r"used to",
    ),
    nouns=pattern(
        r"(?:i|we|they|you|he|she|who|to|will|can|can't|cannot|must|not|that's what|the (?:thing|things|music|food"
        r"|people|person|place|one|reason)s?"
        r"|something|anything|everything|nothing|things|all|ones)\s*$"
    ),
)
