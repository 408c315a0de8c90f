"""Guards that reject a statement: it is denied, supposed, reported, asked, or about a noun."""

from typing import Literal

from recuerdo.memories.extraction.language import Language
from recuerdo.memories.extraction.patterns import Pattern, not_after
from recuerdo.memories.extraction.statements import Statement
from recuerdo.memories.locales.joined import GUARDS, WORDS

_COMMA = Pattern(rf"[,()\[\]–—]|\s(?:{WORDS.buts}|{WORDS.thoughs})\s")
_JOINER = Pattern(rf"\s(?:{WORDS.ands}|{WORDS.ors})\s")
_REASON = Pattern(rf"{not_after(GUARDS.denies_reasons)}\s(?:{GUARDS.reasons})\s|{GUARDS.without_that}")
"""Where a reason or a result begins, which holds although what is before it is denied.

`Sin queso` `porque soy celíaca`, `they won't renew the lease` `so we're moving`.
"""

_LEAVES_ALONE = Pattern(rf"\b(?:{GUARDS.leaves_alone})\b")

NEARLY = Pattern(rf"\b(?:{GUARDS.nearly})\b")
"""Words before what has not happened: `almost` *quit*."""

THINKS_BETTER = Pattern(rf"\b(?:{GUARDS.thinks_better})\b")
"""Words behind what has not happened in the end: *I put the van up for sale* `but changed my mind`."""

Verdict = Literal["stated", "denied", "unsaid"]


def judge(statement: Statement, start: int, end: int, language: Language, *, verbs: bool = True) -> Verdict:
    """Whether the cue at [start, end) says something that the user holds to be true, or false, of themselves.

    Cues that are not `verbs` may stand after a preposition: `con mi hermana`.
    """
    if GUARDS.third_person_past.search(statement.text, start, end):
        return "unsaid"
    before = _LEAVES_ALONE.sub(lambda match: " " * len(match.group()), statement.folded[:start])
    clause = _last_end(_COMMA, before)
    if language.blockers.search(before[clause:]) or language.reports.search(before):
        return "unsaid"
    near = max(clause, _last_end(_JOINER, statement.text[:start].lower()))  # unfolded: `é` joins nothing
    if NEARLY.search(before, near) or (verbs and language.nouns.search(before[near:])):
        return "unsaid"
    return "denied" if language.negations.search(before[max(near, _last_end(_REASON, before)) :]) else "stated"


def _last_end(boundary: Pattern, text: str) -> int:
    end = 0
    for match in boundary.finditer(text):
        end = match.end()
    return end
