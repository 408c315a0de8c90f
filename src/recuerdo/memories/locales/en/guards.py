"""Words by which a statement is accepted or not."""

from recuerdo.memories.extraction.language import GuardWords
from recuerdo.memories.extraction.patterns import NEVER

GUARDS = GuardWords(
    denies_reasons=(r"\bnot", r"n't", r"\bjust", r"\bonly"),
    reasons=r"because|cuz|coz|cos|(?:since|as)(?=\s\Z)",
    without_that="",
    third_person_past=NEVER,
    leaves_alone=(
        r"no problem|no worries|never mind|(?:don't|dont|do not|never) forget|why not|not only|not gonna lie"
        r"|if you (?:must|want to|wanna|need to) know|if you're wondering|in case you(?:'re| are) wondering"
        r"|if you (?:want|need|wanna)[a-z ]{0,20}|not that it matters|no (?:way|lie|cap|joke|offen[sc]e|kidding)"
        r"|(?:not sure|don't know|dunno) if i(?:'ve)? (?:mentioned|told you|said)(?: this| it| that)?"
    ),
)
