"""From a message to the statements in it: without code, addresses, quotations, questions and other people's texts.

All patterns here are linear: a character is looked at a bounded number of times, whatever the text is.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from recuerdo.memories.extraction.patterns import Pattern, not_after
from recuerdo.memories.extraction.words import fold
from recuerdo.memories.locales.joined import QUESTIONS, STATEMENTS

_LONGEST_SIDE = 4_000
"""People write their own words before or after what they paste: only the two ends of a long message are read."""

_LONGEST_STATEMENT = 600
_WORD = re.compile(r"\w")

_NOT_PROSE = Pattern(
    r"```.*?(?:```|\Z)"  # code
    r"|`[^`\n]{1,400}`"
    r"|^[ \t]*>[^\n]*"  # a quoted reply
    r"|^(?: {4}|\t)[^\n]*[{}();=][^\n]*"
    r"|(?:https?://|www\.)\S+"
    r"|<[^<>\n]{1,200}>"
    r"|\{[^{}]{0,2000}\}",  # JSON
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_QUOTED = Pattern(r'"([^"\n]{1,600})"|“([^”\n]{1,600})”|«([^»\n]{1,600})»|(?<!\w)[\'‘]([^\'’\n]{1,600})[\'’](?!\w)')
_NAME_IN_QUOTES = Pattern(
    r"(?:[^\W\d_][\w.&'-]*"
    rf"|[A-Z0-9][\w.&'-]*(?:\s(?:{STATEMENTS.name_links}|&|[A-Z0-9][\w.&'-]*)){{0,5}})"
)
_TELLING = Pattern(rf"\b(?:{STATEMENTS.tells})\W*$|[:=]\s*$")

# Text after such a request is another person's, or is to be written in another person's name.
_TASK = Pattern(
    rf"(?:^\W*|[,:(]\s*|\b(?:{STATEMENTS.before_tasks})\s+(?:me\s+)?)(?:{STATEMENTS.tasks}"
    rf"|(?:{STATEMENTS.replies})(?: (?:{STATEMENTS.to}))?(?: (?:{STATEMENTS.this}))?(?: (?:{STATEMENTS.texts}))?"
    rf"(?: (?:{STATEMENTS.on_behalf}))?(?=\s?:))\b"
)
_HEADER = Pattern(
    rf"^(?:{STATEMENTS.forwards})(?: \w+){{0,3}}\s?:|^(?:{STATEMENTS.headers})\s?:\s"
    rf"|^-{{2,}}\s?(?:{STATEMENTS.originals})|\b(?:{STATEMENTS.wrote})\s?:\s*$"
)
_SPEAKER = Pattern(r"^\s{0,4}(?:\[?\d[\d:/., apm-]{2,20}\]?\s*-?\s*)?([A-ZÀ-Ý][\w.-]*(?:\s[A-ZÀ-Ý][\w.-]*){0,2})\s?:\s")
_OWN_LABELS = Pattern(rf"\b(?:{STATEMENTS.own_labels})\b")
_LETTER = Pattern(rf"^\W*(?:{STATEMENTS.letters})[^\n]*[,:.]")
_JOKE = Pattern(rf"[🎵🎶♪♫]|\b(?:{STATEMENTS.jokes})\b")

_SARCASM = Pattern(
    rf"\W*(?:(?:{STATEMENTS.laughs_first})\W+)*(?:{STATEMENTS.agrees})\b"
    rf"(?:\W+(?:{STATEMENTS.agrees_again}))?[,.!\s].{{0,200}}\b(?:{STATEMENTS.laughs})\b"
)
"""`yeah sure, I work at NASA, obviously lol`: so much agreement, and a laugh."""

_END = Pattern(
    r"(?P<question>\?+[!?]*)|(?P<opening>¿)"
    r"|(?<![.!…])[.!…]++(?=[\s\"'”»)|]|$)|[\n;|¡•]+|\s[-–—*]+\s"
    r"|[\u2600-\u27bf\U0001f000-\U0001faff\ufe0f\u200d]+"
)
_ABBREVIATION = Pattern(rf"(?:^|\W)(?:{STATEMENTS.abbreviations}|[a-z])$")
_TAG = Pattern(rf"\s*(?:{STATEMENTS.tags})\s*\?")
_NOD = Pattern(
    rf"(?:,\s*|\s)(?:{STATEMENTS.courtesies}|{STATEMENTS.disbeliefs})\s*\Z|,\s*(?:{STATEMENTS.fillers})\s*\Z"
)

KEPT_IN = rf"(?:{STATEMENTS.from_your}) (?:{STATEMENTS.keepers})"
"""Where an order to forget says that a thing is kept: `delete my number` `from your records`."""

FILLER = Pattern(rf"(?:{STATEMENTS.courtesies}|{STATEMENTS.fillers})\Z")
"""A folded tag that wants no answer."""

_ASKING_PART = Pattern(
    rf"(?:[,:]\s*(?:(?:{STATEMENTS.joins_question}) )?"
    rf"|{not_after(STATEMENTS.not_joined)}\s(?:{STATEMENTS.joins_question}) )"
    rf"(?:{STATEMENTS.asks})\b|{STATEMENTS.asks_inside}"
)
_LEADS = rf"\W*(?:(?:{STATEMENTS.leads})\W+)"
_REQUEST = Pattern(
    rf"{_LEADS}*(?:{STATEMENTS.requests})".replace("{mine}", f"(?:{STATEMENTS.mine})").replace(" ", r"\s+")
)
"""The beginning of a question that asks to remember or to forget something."""

_ASKING_START = Pattern(rf"{_LEADS}*(?:{STATEMENTS.asks})\b")
QUESTION_WORD = Pattern(rf"(?:(?:{QUESTIONS.before_question_words}) ){{0,3}}(?:{QUESTIONS.question_words})\b")
"""The folded beginning of a question that has a question word: `de quién era`, `hasta cuándo`, `since when`."""

_UNMARKED = Pattern(rf"{_LEADS}{{0,3}}(?:{STATEMENTS.unmarked})\b")
_OR_NOT = Pattern(rf"\b(?:{STATEMENTS.or_not})(?:\W+(?:(?:ja|ha|je|he|rs)+|k{{2,}}|lol|xd+)(?!\w))?\W*$")
_UNMARKED_PART = Pattern(rf",\s(?:{STATEMENTS.unmarked_parts})\b")


class Statement(NamedTuple):
    """A sentence that the user states, and the same folded."""

    text: str
    folded: str


def statements(message: str) -> Iterator[Statement]:
    """Yield the user's statements in the message, in order."""
    text = _prose(message)
    if _JOKE.search(fold(text)) or is_letter(text):
        return
    for line in _own_lines(text):
        for sentence in _sentences(" ".join(line.split())):  # many patterns may begin at each space of a gap
            if _SARCASM.match(sentence.folded):
                continue
            task = _TASK.search(sentence.folded)
            yield from _pieces(sentence if task is None else _before(sentence, task.start()))
            if task and ":" in sentence.folded[task.end() :]:
                return


def told_in(message: str) -> str:
    """Return what the user tells in the message, a statement a line: no questions, nothing by others, no joke."""
    return "\n".join([" ".join(each.text.split()) for each in statements(ends(message))])


def is_letter(message: str) -> bool:
    """Whether it is a pasted letter to another person."""
    return _LETTER.search(fold(message)) is not None


def asks_without_mark(folded: str) -> bool:
    """Whether the folded sentence asks by the order of its words."""
    return _UNMARKED.match(folded) is not None or _OR_NOT.search(folded) is not None


def asks_for_memory(question: str) -> bool:
    """Whether it asks politely to remember or to forget something."""
    return _REQUEST.match(fold(question)) is not None


def ends(message: str) -> str:
    """The two ends of a long message, the whole of any other."""
    if len(message) <= 2 * _LONGEST_SIDE:
        return message
    return f"{message[:_LONGEST_SIDE]}\n{message[-_LONGEST_SIDE:]}"


def _prose(text: str) -> str:
    """Code, addresses and quotations replaced by bars, which end every value."""
    text = text.replace("\r", "\n").replace("|", "/")
    text = _NOT_PROSE.sub(lambda match: "|" * len(match.group()), text)
    return _QUOTED.sub(lambda match: _unquote(match, text), text)


def _unquote(match: re.Match[str], text: str) -> str:
    inside = next(group for group in match.groups() if group is not None)
    told = _TELLING.search(fold(text[max(0, match.start() - 40) : match.start()]))
    if not told and _NAME_IN_QUOTES.fullmatch(inside):
        return f" {inside} "
    return "|" * len(match.group())


def _own_lines(text: str) -> Iterator[str]:
    """Yield the user's own lines: nothing from a mail's header on, no lines of a transcript."""
    for line in text.split("\n"):
        if _HEADER.search(fold(line[:120]).strip()):
            return
        speaker = _SPEAKER.match(line)
        if speaker is None or _OWN_LABELS.search(fold(speaker.group(1))):
            yield line


def _sentences(line: str) -> Iterator[Statement]:
    """The sentences of a line that are not questions, or ask to remember or to forget."""
    folded = fold(line)
    start, asking = 0, False
    for end in _END.finditer(folded):
        if end.group().startswith(".") and _ABBREVIATION.search(folded, max(0, end.start() - 6), end.start()):
            continue
        yield _stated(Statement(line[start : end.start()], folded[start : end.start()]), end, asking=asking)
        start, asking = end.end(), bool(end["opening"])
    yield _stated(Statement(line[start:], folded[start:]), None, asking=asking)


def _stated(sentence: Statement, end: re.Match[str] | None, *, asking: bool) -> Statement:
    """Return the stated part; of `can you forget my name` the request. `asking`: it begins as a question."""
    if request := _REQUEST.match(sentence.folded):
        return Statement(sentence.text[request.end() :], sentence.folded[request.end() :])
    if asking or (end and end["opening"] and _TAG.match(end.string, end.end())):
        return _before(sentence, 0)
    return _before_question(sentence) if end and end["question"] else _without_question(sentence)


def _before_question(sentence: Statement) -> Statement:
    """Return the part before the question that ends the sentence; nothing when the whole is a question."""
    if _ASKING_START.match(sentence.folded):
        return _before(sentence, 0)
    asking = _NOD.search(sentence.folded) or _ASKING_PART.search(sentence.folded)
    return _before(sentence, asking.start() if asking else 0)


def _without_question(sentence: Statement) -> Statement:
    """Return the sentence without a question that has no mark; after its comma people tell something again."""
    if asks_without_mark(sentence.folded):
        comma = sentence.folded.find(",")
        start = comma + 1 if comma >= 0 else len(sentence.folded)
        return Statement(sentence.text[start:], sentence.folded[start:])
    asking = _UNMARKED_PART.search(sentence.folded)
    return _before(sentence, asking.start()) if asking else sentence


def _before(sentence: Statement, end: int) -> Statement:
    return Statement(sentence.text[:end], sentence.folded[:end])


def _pieces(sentence: Statement) -> Iterator[Statement]:
    for start in range(0, len(sentence.text), _LONGEST_STATEMENT):
        end = start + _LONGEST_STATEMENT
        if _WORD.search(sentence.text, start, end):  # `!!!` says nothing to hundreds of patterns
            yield Statement(sentence.text[start:end], sentence.folded[start:end])
