"""Words by which a statement is accepted or not."""

from recuerdo.memories.extraction.patterns import NEVER
from recuerdo.memories.extraction.wordlists import GuardWords

GUARDS = GuardWords(
    denies_reasons=(r"\bnot", r"n't", r"\bjust", r"\bonly"),
    reasons=r"because|cuz|coz|cos|(?:since|as|so)(?=\s\Z)",
    without_that="",
    third_person_past=NEVER,
    leaves_alone=(
        r"no problem|no worries|never mind|(?:don't|dont|do not|never) forget|why not|not only|not gonna lie"
        r"|if you (?:must|want to|wanna|need to) know|if you're wondering|in case you(?:'re| are) wondering"
        r"|if you (?:want|need|wanna)[a-z ]{0,20}|not that it matters|no (?:way|lie|cap|joke|offen[sc]e|kidding)"
        r"|(?:not sure|don't know|dunno) if i(?:'ve)? (?:mentioned|told you|said)(?: this| it| that)?"
    ),
    nearly=r"(?:almost|nearly|nrly)(?! (?:all|always|every|never)\b)",
    thinks_better=(
        r"but (?:then |in the end )?(?:i )?(?:(?:have )?changed my mind|backed out|thought better of it"
        r"|decided (?:not to|against it))"
    ),
    still=r"still",
    reminds=r"i(?:'ve)? (?:just |already )?told (?:you|u|ya)",
    taken_back=r"(?:not any ?more|no longer)(?=\W*(?:$|[,.;]))|(?:i )?(?:just )?sold (?:it|them)\b",
    names_oneself=r"name'?s?|call(?:s|ed)?|known|i'?m|i am|it'?s|go by",
    remembers=r"remember|record\w+|don'?t forget|note|keep in mind|bear in mind|fyi|save",
    wishes=r"prefer\w*|rather|always|like|want|please|answer|reply|treat\w+",
)
