"""Patterns of requests to forget."""

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.language import Forgetting, ask, pattern
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.extraction.statements import KEPT_IN

_POLITE = (
    r"please|pls|kindly|now|aye|nah|oh|well|yeah|actually|ok|okay|hey|hi|hello|recuerdo"
    r"|just|also|you can|(?:i (?:told|asked)|i want|i need|i'd like|i would like|i(?:'d| would| must) ask) you to"
)
_FORGET = (
    r"forget(?: about)?|disregard|ignore(?= (?:what|everything|all|the (?:thing|bit|stuff|part)) )"
    r"|(?:don't|do not) (?:keep|save|store|record)(?= (?:my|what i) )"
)
_DELETE = rf"delete|remove|erase|wipe|(?:scrub|strike|take)(?=[^.,;:!?]{{2,60}} {KEPT_IN})"
_MY = r"(?:my|that|this) (?:\w+ )?"
_TOLD = r"(?:that )?i(?:'ve)? (?:ever )?(?:said|told you|mentioned)"
_KNOWN = r"(?:that |what )?you (?:know|remember|have|learned|learnt|(?:have )?(?:saved|stored))"

FORGETTING = Forgetting(
    verbs=Pattern(rf"(?<!\w)(?:{_FORGET}|{_DELETE}|i no longer)"),
    asks=Pattern(rf"{ask(_POLITE, _FORGET, _DELETE)}|(?<!\w)i no longer use(?!\w)"),
    may_ask=Pattern(
        r"\b(?:forget|figet|drop|delete|wipe|erase|remove|clear|scrub|scratch|expunge|keep|kept|take|comot|bin|strike|lose"
        r"|leave (?:it|that)|scrap|hold on to|off the record)\b"
    ),
    behind=Pattern(
        r"\W*(?:(?:oh|and|please|so)\W+){0,2}(?P<value>(?:that|the|what|everything|all that)"
        r" (?:(?:thing|stuff|bit|part|business|i (?:said|told you)) )?(?:about|with) [^.;:!?|]{2,60}?)"
        r"(?: (?:that )?i (?:told you|mentioned|said))?,? (?:(?:please|just|can you|you can) )?"
        r"(?:forget|delete|erase|remove|scrap)(?: it| that| them)?(?!\w)"
    ),
    called={
        "age": word_set("age"),
        "birthday": word_set("birthday bday"),
        "job": word_set("job work trade"),
        "employer": word_set("job work workplace"),
        "studies": word_set("study school college university course"),
        "city": word_set("live lives living"),
        "phone": word_set("phone mobile cell number"),
        "email": word_set("mail email"),
        "health": word_set("med medicine medication pill tablet health illness condition"),
        "allergy": word_set("allergy"),
        "plan": word_set("trip holiday"),
        "pet": word_set("pet"),
    },
    objects=(
        (("name",), pattern(rf"{_MY}name|what i'?m called|who i am")),
        (("phone",), pattern(rf"{_MY}(?:phone|number|mobile|cell)")),
        (("email",), pattern(rf"{_MY}(?:e-?mail|mail)")),
        (
            ("city", "country"),
            pattern(r"(?:the (?:place|city|town|country) )?where i(?:'m)? (?:live|living|am living)"),
        ),
        (("city",), pattern(rf"{_MY}(?:city|town|address)")),
        (("country",), pattern(rf"{_MY}country|where i(?:'m| am| come) from")),
        (("employer", "job"), pattern(rf"{_MY}job")),
        (("employer",), pattern(rf"{_MY}(?:employer|company|workplace)|(?:where|who) i work(?: for| at)?")),
        (("job",), pattern(rf"{_MY}(?:profession|occupation|job title)|what i do(?: for (?:a|my) living| for work)")),
        (("department",), pattern(rf"{_MY}department|(?:which|what) department i(?:'m| am| work) in")),
        (("team",), pattern(rf"{_MY}team|(?:which|what) team i(?:'m| am| work) (?:in|on)")),
        (("birthday",), pattern(rf"{_MY}(?:birthday|date of birth)|the date of my birthday|when i was born")),
        (("language",), pattern(r"my languages|(?:which|what|the) languages (?:that )?i speak")),
        (("family",), pattern(r"my family")),
        (("pet",), pattern(r"my pets?")),
        (("likes", "dislikes"), pattern(r"my likes and dislikes|my tastes?")),
        (("dislikes",), pattern(r"(?:what|the things|everything) (?:that )?i (?:don'?t|do not) like|my dislikes")),
        (
            ("likes",),
            pattern(r"(?:what|the things|everything) (?:that )?i (?:like|love|enjoy)|my (?:likes|hobbies|interests)"),
        ),
        (("preference",), pattern(r"my preferences|what i prefer")),
        (("plan",), pattern(r"my plans")),
        (("remember",), pattern(r"(?:what|everything) i (?:asked|told) you to remember|my (?:notes|reminders)")),
    ),
    everything=Pattern(
        (
            rf"(?:(?:{ask(_POLITE, _FORGET)}) (?:(?:everything|it all|all)(?: {_KNOWN})?(?: about me| {_TOLD})?"
            rf"|what you know about me|(?:about )?me)"
            rf"|{ask(_POLITE, _DELETE)} (?:(?:everything|all|what) (?:{_KNOWN} about me|about me|{_TOLD})"
            r"|everything|all of it|(?:all )?(?:of )?my (?:data|memories|information)|your memories of me))"
            r"\W*(?:(?:please|pls|now|and (?:let'?s )?(?:start|begin).*)\W*)?$"
        ).replace(" ", r"\s+")
    ),
    offers=Pattern(r"\bforg"),
    confirms=Pattern(
        r"\W*(?:yes|yeah|yeh|yep|yup|aye|ok(?:ay)?|sure|right|correct|exactly|please|go on|do it|do that|that one"
        r"|that's (?:it|the one))\b"
    ),
    all_of_them=Pattern(r"\b(?:both|all|every ?(?:one|thing)|the lot)\b"),
    places=(word_set("first 1st 1"), word_set("second 2nd 2"), word_set("third 3rd 3"), word_set("last")),
)
