"""The layers of a prompt: the thread's window, passages from before it, and parts of documents."""

import logging
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import repeat
from operator import attrgetter
from typing import Any

from msgspec.structs import replace

from recuerdo.core.contexts import ExecutionContext, Limits, RetrievalParameters
from recuerdo.core.errors import ConfigurationError
from recuerdo.core.library import ChunkHit
from recuerdo.core.memories import Memory, Source
from recuerdo.core.messages import Message, decode_all
from recuerdo.core.passages import MessageHit
from recuerdo.core.scope import Scope
from recuerdo.core.threads import Consistency, MessageQuery
from recuerdo.core.words import words_of
from recuerdo.history import History
from recuerdo.library import Library
from recuerdo.memories.forgetting import ToldMessage, offered_to_forget
from recuerdo.memories.search import Recollection, of_orders
from recuerdo.windowing import MessageWindow, WindowPolicy

_log = logging.getLogger(__name__)

THRESHOLD = 0.15
"""The least score of a part of a document that a model is shown, unless the assistant says another."""

_MOST = 200

MOST_PASSAGES = 6
MOST_CHARACTERS = 3_000
"""The maximum number of characters of all passages in a prompt."""

_LONGEST_PASSAGE = 600
_LOOKED_AT = 3 * MOST_PASSAGES
_LONGEST_QUERY = 1_000
_BEST = 3
_MOST_FOLLOW_UPS = 2
_RARE = 3
"""Passages: a word that more of those that were found have names nothing in particular."""

_SHORTEST_CONTENT = 4
_REPEATS = "offline"
"""The model whose answers are not passages: it only repeats what others said."""


async def read_window(
    history: History,
    scope: Scope,
    limits: Limits,
    policy: WindowPolicy,
    now: datetime,
    consistency: Consistency = "strong",
) -> tuple[int, list[Message]]:
    """The thread's epoch, 0 while it is absent, and its window: of the roles and as old as the limits let messages be.

    `policy` is for those who set no size. Archived messages are left out, and the system message is shown in any case.
    Raises Unavailable.
    """
    if limits.window is not None:
        policy = MessageWindow(limits.window)
    if not limits.roles and limits.days is None:
        head, window = await history.headed_window(scope, policy, consistency=consistency)
        return head.version.epoch, window
    since = None if limits.days is None else now - timedelta(days=limits.days)
    wanted = MessageQuery(limit=limits.window or _MOST, roles=frozenset(limits.roles), since=since)
    only_system = MessageQuery(limit=1, roles=frozenset({"system"}))
    system, page = [await history.page(scope, query, consistency=consistency) for query in (only_system, wanted)]
    rest = [message for message in decode_all(page.records) if message.role != "system"]
    return system.version.epoch, policy.apply([*decode_all(system.records), *rest])


async def find_passages(history: History, scope: Scope, text: str, limits: Limits, now: datetime) -> list[MessageHit]:
    """Find passages of the user's threads that the text may be about, best first, within the limits.

    None when it can't be looked for, or when the user has no memories: an answer goes on without.
    """
    query = " ".join(text[:_LONGEST_QUERY].replace("\0", " ").split())
    if scope.owner.is_anonymous or limits.memories == 0 or not query:
        return []
    try:
        found = await history.search(scope.owner, query, limit=_LOOKED_AT)
    except ConfigurationError:  # there is no search here
        return []
    except Exception as error:  # whatever it is, an answer without passages is better than none
        _log.warning("passages can't be looked for: %s", type(error).__name__, exc_info=error)
        return []
    since = None if limits.days is None else now - timedelta(days=limits.days)
    quotable: list[MessageHit] = []
    for hit in found:
        message = hit.message
        is_wanted = message.role in ("user", "assistant") and (not limits.roles or message.role in limits.roles)
        is_old = since is not None and message.created_at is not None and message.created_at < since
        if is_wanted and not is_old and message.metadata.get("model") != _REPEATS:
            quotable.append(hit)
    return quotable


def chosen_passages(
    found: Sequence[MessageHit], scope: Scope, message: Message, window: Sequence[Message]
) -> list[MessageHit]:
    """The best passages, shortened: none that the window shows, and none that repeats the message.

    The last places go to later statements about things that the best passages name: `quit the Mater`.
    """
    shown = {*zip(repeat(scope.thread), map(attrgetter("seq"), window), strict=False)}
    fresh: list[MessageHit] = []
    for hit in found:
        if (hit.thread, hit.seq) not in shown and hit.message.text != message.text:
            fresh.append(hit)
    chosen: list[MessageHit] = []
    left = MOST_CHARACTERS
    for hit in _with_follow_ups(fresh, message):
        cut = replace(hit.message, content=hit.message.text[: min(left, _LONGEST_PASSAGE)])
        chosen.append(hit._replace(message=cut))
        left -= len(cut.text)
        if len(chosen) == MOST_PASSAGES or left <= 0:
            break
    return chosen


def _with_follow_ups(found: Sequence[MessageHit], message: Message) -> Sequence[MessageHit]:
    """The passages, with later ones of the user's that share a rare word with the best ones moved up."""
    first, rest = found[:MOST_PASSAGES], found[MOST_PASSAGES:]
    if not rest:
        return first
    asked = _content(message.text)
    spread = Counter(word for hit in found for word in _content(hit.message.text))
    told = [
        (hit.message.created_at, {word for word in _content(hit.message.text) - asked if spread[word] <= _RARE})
        for hit in found[:_BEST]
    ]
    later = [hit for hit in rest if hit.message.role == "user" and any(_is_later(hit, *each) for each in told)]
    later = later[:_MOST_FOLLOW_UPS]
    return [*first[: MOST_PASSAGES - len(later)], *later]


def _is_later(hit: MessageHit, begun: datetime | None, named: set[str]) -> bool:
    at = hit.message.created_at
    return begun is not None and at is not None and at > begun and not named.isdisjoint(_content(hit.message.text))


def _content(text: str) -> set[str]:
    """The longer words of a text."""
    return {word for word in words_of(text[:_LONGEST_PASSAGE]) if len(word) >= _SHORTEST_CONTENT}


def hides(recollection: Recollection, message: Message, thread: str, seq: int) -> bool:
    """Whether a message must not be shown: it states a forgotten fact, or answers the message that does."""
    if recollection.hides(message.text, message.created_at, thread, seq):
        return True
    return message.role == "assistant" and recollection.hides("", message.created_at, thread, seq - 1)


def without_forgotten_messages(
    window: Sequence[Message], thread: str, recollection: Recollection | None
) -> list[Message]:
    """The window without messages that the user has asked to forget, and without their answers.

    An exchange, from a message of the user's up to the next one, leaves as a whole, so that no tool call is left
    without its results. The system message stays, and so does the last exchange if it asks which of several things is
    to be forgotten. Without a recollection the user's own messages tell what to forget.
    """
    if recollection is None:
        recollection = of_orders((each.text, each.created_at) for each in window if each.role == "user")
    exchanges: list[list[Message]] = [[]]
    for message in window:
        if message.role == "user":
            exchanges.append([])
        exchanges[-1].append(message)
    kept: list[Message] = []
    for exchange in exchanges:
        is_open = exchange is exchanges[-1] and any(offered_to_forget(each.text) for each in exchange[1:])
        hidden = not is_open and any(
            hides(recollection, each, thread, each.seq) for each in exchange if each.role != "system"
        )
        kept += [each for each in exchange if each.role == "system" or not hidden]
    return kept


def earlier_messages(scope: Scope, window: Sequence[Message], passages: Sequence[MessageHit]) -> list[ToldMessage]:
    """The statements of the user's in the window and the passages."""
    said = [(hit.thread, hit.message, hit.seq) for hit in passages]
    said += [(scope.thread, each, each.seq) for each in window]
    return [
        ToldMessage(message.text, Source(thread=thread, seq=seq))
        for thread, message, seq in said
        if message.role == "user" and "?" not in message.text
    ]


def summarises_window(scope: Scope, window: Sequence[Message], memory: Memory) -> bool:
    """Whether the memory is the summary of a thread that the window shows whole."""
    if memory.kind != "summary" or memory.source.thread != scope.thread:
        return False
    return any(message.seq == 1 for message in window)


async def look_up(library: Library | None, scope: Scope, text: str, context: ExecutionContext | None) -> list[ChunkHit]:
    """The parts of documents that the text is about, best first. None when that fails: an answer goes on without.

    The anonymous user's are public ones alone. Raises InvalidInput for what can't be looked up as it is wanted.
    """
    wanted = context.retrieval if context else RetrievalParameters()
    if library is None or not text.strip() or wanted.k < 1:
        return []
    library.check(wanted)
    try:
        return await library.search(
            scope.tenant,
            text,
            limit=wanted.k,
            public_only=scope.owner.is_anonymous,
            collections=wanted.collections,
            threshold=THRESHOLD if wanted.threshold is None else wanted.threshold,
            rerank=wanted.rerank,
        )
    except Exception as error:  # whatever it is, an answer without documents is better than none
        _log.warning("documents can't be looked up: %s", type(error).__name__, exc_info=error)
        return []


def retrieved(found: Sequence[ChunkHit]) -> str:
    """The chunks as one text, each under the number by which a reply cites it."""
    return "\n\n".join(f"[{number}] {hit.document.title}: {hit.chunk.text}" for number, hit in enumerate(found, 1))


def relevance_of(found: Sequence[ChunkHit]) -> float:
    """The score of the best chunk, from 0 to 1; 0 without any."""
    return max((hit.score for hit in found), default=0.0)


def sources_of(found: Sequence[ChunkHit]) -> list[dict[str, Any]]:
    """Return the sources for a reply, which cites them by `n`."""
    return [
        {
            "n": number,
            "document": hit.document.id,
            "title": hit.document.title,
            "collection": hit.document.collection,
            "access": hit.document.access,
            "heading": hit.chunk.heading,
            "start": hit.chunk.start,
            "end": hit.chunk.end,
            "score": hit.score,
        }
        for number, hit in enumerate(found, 1)
    ]
