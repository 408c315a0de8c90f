"""One message on its way to an answer."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple

from recuerdo.agents.events import HistoryState
from recuerdo.agents.why import Recipe
from recuerdo.core.contexts import OWN_ASSISTANT, ExecutionContext
from recuerdo.core.library import ChunkHit
from recuerdo.core.memories import Memory
from recuerdo.core.messages import Message
from recuerdo.core.passages import MessageHit
from recuerdo.core.ports import ChatModel
from recuerdo.core.scope import Scope
from recuerdo.core.threads import NOWHERE, Appended, Version
from recuerdo.memories.changes import Beginning
from recuerdo.memories.remember import Remembered

CheckNotErased = Callable[..., Awaitable[object]]
"""Raises when the run or the action that a turn is part of was erased or taken back.

A chat calls it after it has read where the thread and the memories stand, and before it stores anything: it sees an
erasure that came earlier, and the epochs refuse what comes after a later one.
"""


class Turn(NamedTuple):
    """One message on its way to an answer.

    `beginning` and `expected_epoch` are where the user's memories and the thread stood when the turn began, the thread
    perhaps earlier, as the caller has seen it: what the turn writes is refused when they were erased since. They are
    None while they are not known; the thread's also while it is absent. A turn that could not read where the memories
    stood has a `presumed` beginning instead.
    `begun_at` is a time of `time.perf_counter`.
    `unstored` is the message as long as the history has refused it, or is `storing` it, and `answer` the reply that an
    earlier try left. A message without a key `may_be_stored` when the answer to its append was lost.
    """

    scope: Scope
    message: Message
    window: list[Message]
    recalled: list[Memory] | None
    key: str | None
    expected_epoch: int | None
    model: ChatModel
    begun_at: float
    history: HistoryState = "ok"
    beginning: Beginning | None = None
    presumed: Beginning | None = None
    remembered: Remembered | None = None
    version: Version = NOWHERE
    unstored: Message | None = None
    may_be_stored: bool = False
    storing: "asyncio.Task[Appended] | None" = None
    answer: Message | None = None
    context: ExecutionContext | None = None
    assistant_id: str = OWN_ASSISTANT
    found: Sequence[ChunkHit] = ()
    passages: Sequence[MessageHit] = ()
    scores: Mapping[str, float] = {}
    turn_id: str | None = None
    recipe: Recipe | None = None
