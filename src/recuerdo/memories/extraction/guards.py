"""Guards that reject a statement: it is denied, supposed, reported, asked, or about a noun."""

from typing import Literal

from recuerdo.memories.extraction.language import Language
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.extraction.statements import Statement

_COMMA = Pattern(r"[,()\[\]–—]|\s(?:pero|but|mas|sino|aunque|embora|although)\s")
_JOINER = Pattern(r"\s(?:y|e|and|or|o|ou)\s")
_REASON = Pattern(
    r"(?<!\bno)(?<!\bnot)(?<!\bnao)(?<!\bnao e)(?<!\bno es)(?<!n't)(?<!\bsino)(?<!\bjust)(?<!\bonly)(?<!\bsolo)"
    r"(?<!\bso)\s(?:porque|porq|pq|xq|ya que|dado que|puesto que|pois|ja que|because|cuz|coz|cos"
    r"|(?:since|as)(?=\s\Z))\s"
    r"|(?<!\w)(?:sin|sem) \w{1,20}(?: \w{1,20}){0,2}? que\s(?:(?:yo|eu)\s)?\Z"
)
"""Where a reason begins, which holds although what stands before it is denied: `sin queso` `porque soy celíaca`."""

_THIRD_PERSON_PAST = Pattern(
    r"(?<!\bs)(?<!\bav)(?<!\bp)(?<!\bn)(?<!me encontr)(?<!me diagnostic)(?<!me detect)(?<=\w)[óÓ](?!\w)"
)
"""`trabajó en` and `me llamó` are about another person: without their accents they look like first persons."""

_LEAVES_ALONE = Pattern(
    r"\b(?:no (?:te |se te |lo |se )?olvid\w+|no te preocupes|no pasa nada|no hay problema|no problem|no worries"
    r"|never mind"
    r"|(?:don't|dont|do not|never) forget|nao (?:se |te )?esque\w+|nao ha problema|sem problema|why not|not only"
    r"|no solo|nao so|no dudes"
    r"|if you (?:must|want to|wanna|need to) know|if you're wondering|in case you(?:'re| are) wondering|si "
    r"(?:quieres|queres) saber"
    r"|por si (?:acaso|no sabias|te sirve|no lo sabias|las dudas)|se quer(?:es)? saber|caso nao saibas?|a veces no"
    r"|(?:por |x )?si (?:quieres|kieres|queres|necesitas|ocupas|gustas|hace falta)[a-z ]{0,20}|if you (?:want"
    r"|need|wanna)[a-z ]{0,20}"
    r"|se (?:quiser|precisar|puder)[a-z ]{0,20}"
    r"|not that it matters|no (?:manches?|mames|inventes|jodas|veas|me digas|way|lie|cap|joke|offen[sc]e"
    r"|kidding)|not gonna lie"
    r"|no (?:se si (?:te |ya te )?(?:dije|conte|sabes|sabias|mencione)|te (?:dije|conte)|sabes)(?: que)?"
    r"|nao (?:sei se (?:te |ja te |eu )?(?:disse|contei|falei|sabe)|te (?:contei|disse|falei))(?: que)?"
    r"|(?:not sure|don't know|dunno) if i(?:'ve)? (?:mentioned|told you|said)(?: this| it| that)?)\b"
)


Verdict = Literal["stated", "denied", "unsaid"]


def judge(statement: Statement, start: int, end: int, language: Language, *, verbs: bool = True) -> Verdict:
    """Whether the cue at [start, end) says something that the user holds to be true, or false, of themselves.

    Cues that are not `verbs` may stand after a preposition: `con mi hermana`.
    """
    if _THIRD_PERSON_PAST.search(statement.text, start, end):
        return "unsaid"
    before = _LEAVES_ALONE.sub(lambda match: " " * len(match.group()), statement.folded[:start])
    clause = _last_end(_COMMA, before)
    if language.blockers.search(before[clause:]) or language.reports.search(before):
        return "unsaid"
    near = max(clause, _last_end(_JOINER, statement.text[:start].lower()))  # unfolded: `é` joins nothing
    if verbs and language.nouns.search(before[near:]):
        return "unsaid"
    return "denied" if language.negations.search(before[max(near, _last_end(_REASON, before)) :]) else "stated"


def _last_end(boundary: Pattern, text: str) -> int:
    end = 0
    for match in boundary.finditer(text):
        end = match.end()
    return end
