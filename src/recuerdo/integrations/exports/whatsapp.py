"""WhatsApp's export of a chat: lines of text, in the form that the phone's system and language have chosen.

`[24/11/26, 13:45:12] Emi: Hola` (iOS) or `24/11/2026, 13:45 - Emi: Hola` (Android); a line without a time continues
the message before. Words of the app in the name of a person begin with a mark (iOS), or are one of a few sentences
(Android). The order of day and month is not said: the dates of the whole chat show it, or its language does, or the
caller tells.
"""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import PurePath
from typing import NamedTuple

from recuerdo.core.errors import InvalidInput
from recuerdo.core.identifiers import derived_id
from recuerdo.core.messages import Message
from recuerdo.integrations.exports.shapes import ExportedConversation, ForeignExport, ReadingOptions, said, unpacked

_APP = "\u200e"
"""On iOS it stands before what the app says itself: a notice, the name of a file, that a message was edited."""
_NOT_SAID = re.compile(f"(?:^{_APP}|{_APP}<).*", re.MULTILINE)
_MARKS = re.compile("[\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_SPACES = re.compile("[\u00a0\u202f]")
_WHEN = (
    r"(?P<a>\d{1,4})[./-](?P<b>\d{1,2})[./-](?P<c>\d{1,4}),? (?:\w{1,4} )?"
    r"(?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.](?P<second>\d{2}))?(?: ?(?P<half>[AaPp])\.? ?[Mm]\.?)?"
)
_LINE = re.compile(rf"(?:\[{_WHEN}\]|{_WHEN.replace('?P<', '?P<x')} [-–]) (?P<rest>.*)")
_AUTHOR = re.compile(r"(?P<author>[^:]{1,100}): (?P<text>.*)", re.DOTALL)
_MEDIA = re.compile(
    r"<[^<>]{1,200}>|[\w .-]{1,200} \((?:file attached|archivo adjunto|arquivo anexado)\)"
    r"|(?:image|video|audio|sticker|GIF|document|imagen|documento|imagem|vídeo|áudio|figurinha|Contact card)"
    r" (?:omitted|omitid[oa]|ocult(?:ad)?[oa])"
    r"|(?:This message was deleted|You deleted this message|Se eliminó este mensaje|Eliminaste este mensaje"
    r"|(?:Esta )?mensagem (?:foi )?apagada|Você apagou esta mensagem|null)\.?",
    re.IGNORECASE,
)
_EDITED = re.compile(r" <(?:This message was edited|Se editó este mensaje\.?|Mensagem editada)>$", re.IGNORECASE)
_FILE = re.compile(r"^(?:WhatsApp Chat(?: with| -)?|Chat de WhatsApp con|Conversa do WhatsApp com) | ?\(\d+\)$")
ORDERS = ("dmy", "mdy", "ymd")
_DAY_FIRST = re.compile(
    r"Chat de WhatsApp con |Conversa do WhatsApp com |cifrad[oa]s de extremo a extremo|criptografia de ponta a ponta"
    r"|<Multimedia omitido>|<M[ií]dia oculta>|\d\s[ap]\.\sm\.|^\[?\d{1,2}[.-]\d{1,2}[.-]\d{2,4}\b",
    re.MULTILINE,
)
"""Signs that the day comes first: words of the app in Spanish and Portuguese, and no slashes in dates."""

_OLDEST = 2009  # when WhatsApp began


class _ChatLine(NamedTuple):
    date: tuple[int, int, int]
    clock: tuple[int, int, int]
    author: str
    text: str


def read(data: bytes, name: str, reading: ReadingOptions) -> ForeignExport:
    """See read_export."""
    try:
        text = unpacked(data, "_chat.txt", "*.txt")[0].decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidInput("FILE", "is not text in UTF-8") from None
    lines, skipped = _lines(text)
    if not lines:
        raise InvalidInput("FILE", "has no line that begins with a date, a time and a name, as WhatsApp writes them")
    spoken = [line for line in lines if line.text]
    authors = list(Counter(line.author for line in spoken or lines))
    if reading.me not in authors:
        known = ", ".join(repr(each) for each in authors[:10])
        raise InvalidInput("--me", f"must say which of those who speak is you: {known}")
    others = [each for each in authors if each != reading.me]
    chat = others[0] if len(others) == 1 else _FILE.sub("", PurePath(name).name.partition(".")[0]).strip() or "chat"
    day_first = _DAY_FIRST.search(f"{name}\n{text}") is not None
    order, seen = _order(lines, reading.dates, day_first=day_first), Counter[tuple[object, ...]]()
    found: list[Message] = []
    for line in spoken:
        at = _time(line, order, reading)
        key = (at.isoformat(), line.author, line.text)
        seen[key] += 1
        message_id = derived_id("whatsapp", chat, *key, str(seen[key]))
        role = "user" if line.author == reading.me else "assistant"
        about = {"service": "whatsapp", "conversation": chat}
        found.append(said(role, line.text, message_id, at, name=line.author, **about))
    conversations = [ExportedConversation(chat, chat, found)] if found else []
    return ForeignExport(conversations, skipped=skipped + len(lines) - len(spoken))


def _lines(text: str) -> tuple[list[_ChatLine], int]:
    """The messages, and the number of notices, which have no author."""
    lines: list[_ChatLine] = []
    skipped, is_notice = 0, False
    for raw in _SPACES.sub(" ", _MARKS.sub("", text)).splitlines():
        begun = _LINE.fullmatch(raw.lstrip(_APP))
        if begun is None:
            if lines and not is_notice:
                lines[-1] = lines[-1]._replace(text=f"{lines[-1].text}\n{raw}")
            continue
        spoken = _AUTHOR.fullmatch(begun["rest"])
        is_notice = spoken is None
        if spoken is None:
            skipped += 1
        else:
            author = spoken["author"].replace(_APP, "").strip()
            lines.append(_ChatLine(*_numbers(begun), author, spoken["text"]))
    return [line._replace(text=_said(line.text)) for line in lines], skipped


def _said(text: str) -> str:
    """The words of a message, without the app's own; empty for media and the like."""
    words = _EDITED.sub("", _NOT_SAID.sub("", text).replace(_APP, "").strip())
    first, _, rest = words.partition("\n")
    return rest.strip() if _MEDIA.fullmatch(first) else words


def _numbers(begun: re.Match[str]) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    prefix = "" if begun["a"] else "x"
    date, clock = (tuple(int(begun[prefix + each] or 0) for each in names) for names in ("abc", _CLOCK))
    hour, minute, second = clock
    if half := begun[f"{prefix}half"]:
        hour = hour % 12 + 12 * (half in "Pp")
    return (date[0], date[1], date[2]), (hour, minute, second)


_CLOCK = ("hour", "minute", "second")


def _order(lines: Sequence[_ChatLine], told: str | None, *, day_first: bool) -> str:
    """The order of the numbers in the dates: the given one, or the only plausible one with dates that ascend to today.

    A year of two digits comes last, unless nothing else is possible.
    """
    if told is not None:
        if told not in ORDERS:
            raise InvalidInput("--dates", f"must be one of {', '.join(ORDERS)}")
        return told
    possible = [order for order in ORDERS if _goes_forward(lines, order)]
    likely = [order for order in possible if order != "ymd" or lines[0].date[0] > 99]
    if day_first and "dmy" in likely:
        likely = ["dmy"]
    if len(found := likely or possible) == 1:
        return found[0]
    shown = "/".join(map(str, lines[0].date))
    raise InvalidInput("--dates", f"must say how to read {shown}: dmy, mdy or ymd")


def _goes_forward(lines: Sequence[_ChatLine], order: str) -> bool:
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    dates = list[tuple[int, int, int]]()
    for line in lines:
        year, month, day = (line.date[order.index(part)] for part in "ymd")
        if not (1 <= month <= 12 and 1 <= day <= 31 and _in_full(year) >= _OLDEST):
            return False
        dates.append((_in_full(year), month, day))
    dates.append((tomorrow.year, tomorrow.month, tomorrow.day))
    return all(earlier <= later for earlier, later in pairwise(dates))


def _in_full(year: int) -> int:
    return year + 2000 * (year < 100)


def _time(line: _ChatLine, order: str, reading: ReadingOptions) -> datetime:
    year, month, day = (line.date[order.index(part)] for part in "ymd")
    try:
        local = datetime(_in_full(year), month, day, *line.clock)  # noqa: DTZ001
        return (local.replace(tzinfo=reading.zone) if reading.zone else local.astimezone()).astimezone(UTC)
    except (ValueError, OverflowError):
        shown = "/".join(map(str, line.date))
        raise InvalidInput("FILE", f"has a date that can't be: {shown}; name its order with --dates") from None
