"""Patterns that depend on earlier statements: answers, corrections, returns, endings and relatives."""

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.language import Dialogue, not_so, opening, pattern, swap
from recuerdo.memories.extraction.lexicon.households import ANIMALS, RELATIVES
from recuerdo.memories.locales.en.phrases import UNOWNED

_THING = r"(?:(?:the|my|our|a|an) )?(?P<value>[^,.;:!?|]{2,60})"
_BESIDE = "up|so|and|but|because|after|when|since|in|on|at|last|this|over"
_PARTED = (
    "(?:(?:have |just )*(?:broke(?:n)? up|split(?: up)?|separated|divorced)|are no longer together|called it quits)"
)
_SOMEBODY = rf"(?P<value>(?!(?:{_BESIDE}) )(?:(?! (?:{_BESIDE}) )[^,.;:!?|]){{2,40}})"
_I = r"(?:i|i'm|im|i've|ive|we|we've)"
_OWNED = (
    r"(?:(?:the|my|our) )?(?P<value>[^,.;:!?|]{2,40}?)"
    r"(?=\s+(?:and|for|but|on|in|last|this|too|also|as|yesterday|to)(?!\w)"
    r"|[,.;:!?|]|$)"
)

_DIED = (
    r"(?:kicked the bucket|croaked|carked it|snuffed it|popped (?:his|her|their) clogs|bit the dust|no longer with us"
    r"|passed on|(?:crossed|went over|gone over|gone to|over) the rainbow(?: bridge)?|(?:gone|went) to"
    r" (?:heaven|doggy heaven)"
    r"|didn'?t make it|no more(?=\W*$)|dead(?=\W*(?:$|[,.;!])| now))"
)

DIALOGUE = Dialogue(
    lead=opening(
        r"(?:\W*(?:yes+|yeah|yep|yup|sure|well|so|oh|ok|okay|um+|uh|hmm+|lol|it's|its|it is"
        r"|currently)(?!\w)[\s,.!]*)+"
    ),
    refusals=opening(r"\W*(?:no|nope|nah|never|none|nothing|nobody|neither|why|not|i'd rather not|rather not)(?!\w)"),
    corrects=opening(
        r"\W*(?:(?:(?:oh|oops|ah|no|wait|hang on),?\s+)?(?:sorry|i (?:correct|must correct) myself|nvm|never ?mind"
        r"|my bad|correction|i mean|i meant|oops|my mistake"
        r"|scratch that|(?:i )?(?:do )?beg (?:your )?pardon|pardon me|i (?:stand corrected|misspoke|made a mistake)"
        r"|whoops|silly me"
        r"|apologies|i was wrong|typo)(?!\w)[\s,:.!]*(?:it's|its|it is|that's|i mean|i meant|i meant to say)?"
        r"|(?:no|wait)(?:,? (?:no|wait))?,(?: (?:it's|its|it is|the|make that))?|make that"
        r"|(?:it's|it is) actually|(?:no,? )?(?:actually|rather|in the end),?(?: (?:it's|its|it is|that's|make it))?"
        r")(?!\w)\s*"
    ),
    restates=opening(
        r"(?:(?:i )?(?:said|wrote|put) (?P<old1>[^,.;:!?|]{2,30}?),? (?:but|when)(?: it's| its"
        r"| it is)?(?: really| actually)?(?: it's| is)?|(?:my|the) (?P<old2>[^,.;:!?|]{2,30}?)(?:'s"
        r"| is)) (?:the )?(?P<value>[^,.;:!?|]{2,40})"
    ),
    moves=pattern(
        r"(?:(?:they|i|we|he|she)(?:'ve| have|'ve had to| had to)? (?:moved|pushed|changed|rescheduled"
        r"|postponed|brought|bumped|put)(?: it| (?:the|my|our) [\w ]{2,30}?)?(?: back| forward| off)?"
        r"|(?:has been|have been"
        r"|was|is|got|been) (?:moved|pushed|changed|rescheduled|postponed|brought forward"
        r"|bumped|put)(?: back| forward| off)?) (?:to|till|until) (?P<value>[^,.;!?|]{2,40})",
        r"(?:flight|meeting|appointment|wedding|trip|interview|exam)(?:'s| is) (?:on|at) (?P<value>[^,.;!?"
        r"|]{2,40}?) now",
    ),
    moves_house=opening(r"mov\w"),
    dated=pattern(
        r"(?:the|my|our|that|this) (?P<what>[^,.;:!?|]{2,40}?)"
        r"(?: (?:has |have |had |was |got |been )*(?:moved|changed|shifted|postponed|rescheduled|brought forward))?,?"
        r"(?: (?:and |but |so )?it)?(?:'s| is| are| will be|'ll be| falls)(?: (?:now|actually|really|going to be))?"
        r" (?P<value>(?:(?:on|for|the) ){0,3}[^\s,.;:!?|]{1,12}(?: (?:of )?[^\s,.;:!?|]{3,12})?)"
        r"(?=\W*(?:$|[,.;:!?|])| (?:now|actually|instead|not|and not)(?!\w))"
    ),
    updates=pattern(
        r"(?:it's|its|it is|i'm|im|that's|thats|we're|were)(?: now)? (?P<value>[^,;!?|]{2,60}?)(?: now| these days"
        r"| from now on)(?=\W*$)",
        r"(?:now it's|now its|it's now|new one is|new one's|changed (?:it|(?:my|the) (?:e-?mail|mail|phone"
        r"|number|name|job|address)) to|i go by|changed to)"
        r" (?P<value>[^,;!?|]{2,60})",
        r"(?:my |^)new \w+(?: address| number)?(?:'s| is|:) (?P<value>[^,;!?|]{2,60})",
    ),
    returns=pattern(
        rf"(?:{_I} (?:back|moved back|went back|returned|going back|gone back|came back)|back)"
        r"(?: (?:living|working|now|home|again))* (?:in|at|to|with) (?P<value>[^,.;:!?|]{2,40})"
    ),
    ends=(
        (
            ("employer", "studies"),
            pattern(
                rf"(?:(?:i|i've|ive|we) |^|(?<=[,.;]\x20)|(?<=and\x20))(?:(?:just|finally|recently|have|also) )*(?:quit"
                r"|left|dropped out of|dropped|resigned from|gave up|(?:jacked|packed|chucked) (?:it )?in(?: at)?"
                r"|walked out of"
                rf"|(?:handed|put|gave) (?:in )?(?:my )?notice (?:at|with|to)) {_THING}"
            ),
        ),
        (
            ("employer",),
            pattern(
                r"(?:(?:i|we|i was|i got|i've been|ive been|i'm|just got|i just got) )?(?:(?:fired|sacked"
                r"|let go|laid off|dismissed|made redundant|canned|axed)(?: me)? (?:from|by|at)"
                rf"|they (?:fired|sacked|canned) me (?:from|at)) {_THING}"
            ),
        ),
        (
            ("family",),
            pattern(
                r"(?:(?:i|we|i've|we've|ive|i just|we just|i recently) )?(?:broke up|split up|split|broken up"
                r"|finished things|called it off|separated|divorced|parted ways)"
                rf"(?: with| from)? {_SOMEBODY}",
                rf"(?P<value>[^,.;:!?|\s]{{2,30}}) and (?:i|me) {_PARTED}",
                rf"(?:i|me) and (?P<value>[^,.;:!?|]{{2,30}}?) {_PARTED}",
                r"(?P<value>[^,.;:!?|\s]{2,30}) (?:dumped|left) me",
                r"(?P<value>[^,.;:!?|\s]{2,30})(?: is|'s) my ex(?: now)?",
                rf"(?:i'm|im|i am) no longer with {_SOMEBODY}",
            ),
        ),
        (
            ("pet", "family"),
            pattern(
                rf"(?:(?:my|our|the) )?(?:{ANIMALS} )?(?P<value>[^,.;:!?|\s]{{2,30}}) (?:just |sadly )?"
                r"(?:died|passed away|has died|has passed|passed)",
                rf"(?P<value>[^,.;:!?|\s]{{2,30}}?)(?:'s| is| has|s)? (?:just |sadly |finally |now )?{_DIED}",
                r"(?:(?:i|we)(?:'ve)? )?(?:(?:had|have) to )?put (?P<value>[^,.;:!?|]{2,30}?) (?:down|to"
                r" sleep)(?= (?:yesterday|today|last|this|on"
                r"|in|because|two|a|after)(?!\w)|\W*$)",
                r"(?P<value>[^,.;:!?|\s]{2,30}) (?:had to be|has been|was|got|is being) "
                r"(?:put down|put to sleep|euthani[sz]ed)",
                r"(?:(?:i|we)(?:'ve)? )?had (?:to have )?(?P<value>[^,.;:!?|]{2,30}?) put (?:down|to sleep)",
                rf"(?:(?:i|we)(?:'ve)? |^|(?<=[,.;]\x20))(?:lost|buried|put down|had to put down) "
                rf"(?:(?:my|our|poor|old) )*{_SOMEBODY}",
            ),
        ),
        (
            ("pet",),
            pattern(
                r"(?:fox(?:es)?|coyotes?|hawk|dogs?|weasel|snake|car|truck|lorry|van|bus) (?:just |has |have )?"
                r"(?:got|ate|eaten|took|taken|killed) (?P<value>[^,.;:!?|\s]{2,30})",
            ),
        ),
        (
            ("possession",),
            pattern(
                rf"(?:(?:i|we|i've|ive|we've|and) |^|(?<=[,.;]\x20))(?:(?:just|finally|recently) )*(?:sold"
                rf"|traded in|traded|got rid of|scrapped|crashed|wrecked|totall?ed|gave away) {_OWNED}",
                r"(?:(?:the|my|our) )?(?P<value>[^,.;:!?|\s]{2,30}) (?:got|was|has been|is) "
                r"(?:stolen|nicked|totall?ed|written off|scrapped|sold)",
                rf"(?:some(?:one|body)|they)(?:'ve| has| have)? (?:stole|stolen|nicked|pinched) {_OWNED}",
                rf"(?:i|we) (?:don't|no longer) (?:have|own|drive) (?:an? )?{_OWNED}",
            ),
        ),
        (
            ("likes",),
            pattern(
                r"(?:(?:i'm|im|i am) (?:so |totally )?(?:over|done with|tired of|bored of|bored with"
                r"|through with|sick of)"
                rf"|(?:i've|ive|i have|i) (?:gone|went) off|(?:i )?(?:got|grew|get) (?:tired|bored|sick) of"
                rf"|i(?:'ve)? lost interest in) {_THING}",
                r"i (?:don't|dont|no longer) (?P<value>[a-z]{3,12})(?= (?:any ?more|any longer|these days)|\W*$)",
                r"i(?:'ve)? (?:stopped|quit|gave up|given up) (?P<value>[a-z]{2,12}ing)",
            ),
        ),
        (
            ("diet", "allergy", "health", "studies", "plan", "marital_status", "preference", "pet"),
            pattern(
                r"(?:i'm|im|i am|we're|i've|i do|i) (?:not|no longer|don't|dont)(?: going to"
                r"| to)? (?P<value>[^,.;:!?|]{2,60}?)"
                r" (?:anymore|any more|any longer)",
                rf"(?:i'm|im|i am|we're|i) no longer {_THING}",
                rf"i(?:'ve)? (?:stopped|quit) (?:being |having )?{_THING}",
            ),
        ),
        (
            ("plan",),
            pattern(
                rf"(?:i|we|they)(?:'ve)?(?: had to)? (?:cancel(?:l?ed)?|called off|postponed|scrapped) {_THING}",
                r"(?P<value>[^,.;:!?|]{2,60}) (?:is|was|got|has been) (?:cancell?ed|called off)",
                r"(?P<value>[^,.;:!?|]{2,60}) (?:(?:is|'s) (?:all )?off(?=\W*$|,| now| after| then| i)|fell through"
                r"|(?:isn't|is not|won't be|'s not) happening|is a no-go)",
            ),
        ),
    ),
    now_at=opening(
        r"[\s,;]*(?:(?:and|but|so) )?(?:(?:now|just) )?(?:i'm|im|i am|i(?:'ve)? (?:just )?(?:work|started|moved|joined"
        r"|gone|went)|started|joined|working)(?: (?:now|working|over))* (?:at|with|for|to)(?= )"
    ),
    denied=not_so(
        r"(?:(?:'s|'re|\bis|\bare) not|\b(?:is|are|was)n't)(?: (?:called|named|an?|the))*\s+",
        r"(?:(?:it|he|she|they|that)(?:'s|'re| is| are)|its)(?: (?:called|named))?(?: actually)?",
        "an?|the",
    ),
    swapped=swap(
        "switched|swapped|changed|traded|replaced|ditched",
        "me|him|her|from|out|of|the|my|his|her|our|their|an?",
        "for|to|with",
        links="and|but",
    ),
    begins_no_value=word_set("""
        my our his her their at true false fine ok okay so just only right wrong not no for with in of another something
        too very more less all nothing here there today
    """),
    earns=opening(
        r"(?:i|we)(?:'ve| have| also| still| now){0,2} (?:run|own|opened|have|work|teach|tutor|do|clean|code|design"
        r"|cook|drive|manage|sell|bartend|build|fix|install|paint|nurse|landscape|practi[sc]e|perform|volunteer)(?!\w)"
        r"(?! an? (?:\w+ )?(?:house|place|flat|home|apartment)(?!\w))"
    ),
    inquires=opening(
        r"(?:and |but |so )?i(?: am|'m| was)? (?:just )?wonder(?:ing)?"
        r"(?! (?:about|at) (?:nothing|it|that)(?!\w))(?!\w)",
        r"(?:and |but |so )?i(?:'d (?:like|love)| (?:want|wanted|would like|would love)) to know(?!\w)",
        r"(?:and |but |so )?i (?:forget|forgot|(?:can't|cannot|don't) (?:recall|remember))"
        r" (?:if|what|which|when|where|how|who)(?!\w)",
    ),
    about=opening(
        r"\W*(?:about |(?:everything|anything|all|what|whatever|the (?:thing|stuff|bit|part)) "
        r"(?:that )?(?:i (?:said|told you|mentioned)|you know)?\s*(?:about|on|regarding)|(?:the )?(?:thing"
        r"|stuff|bit) about)"
        r"(?!\w)\s*"
    ),
    mine=pattern(
        r"(?:(?<!of\x20)(?:my|our) (?:(?:little|big|older|younger|elder|eldest|oldest|youngest|twin|dear"
        rf"|middle) )?|(?<!of\x20)the (?=(?:wife|missus|hubby)(?! of(?!\w)))"
        rf"|(?:^|(?<=[,;]\x20))(?={UNOWNED}))(?P<who>{RELATIVES})(?:'?s(?= (?:name|birthday|bday)))?",
        possessed=True,
    ),
    relative=pattern(rf"(?P<who>{RELATIVES})"),
    having=word_set("have got ve married to we i"),
    my="my",
    yours=pattern(rf"(?:your|ur) (?:(?:little|big|older|younger) )?(?P<who>{RELATIVES})"),
    called=opening(r"(?:\s*,\s*|\s+(?:(?:name is|name's|names|called|is called|is named|named|is)\s+)?)"),
    who=opening(
        r"(?:\s*,)?(?:\s+(?:who|that)(?=\W))?(?:\s+(?:also|now|still|currently|really)(?= ))?(?:(?=')|\s*(?=\s))"
    ),
    denies=opening(r" (?:no longer|doesn't|does not|isn't|is not|never|doesnt|isnt)(?= )"),
)
