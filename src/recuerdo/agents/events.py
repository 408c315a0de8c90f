"""The events of a chat that is answering. Each event encodes as JSON with a `type`."""

from typing import Literal

import msgspec

from recuerdo.core.memories import Memory
from recuerdo.core.messages import Message
from recuerdo.core.passages import MessageHit
from recuerdo.core.threads import Version
from recuerdo.memories.changes import Beginning

HistoryState = Literal["ok", "unavailable"]
"""`unavailable`: the prompt was built without the history, or a message of this turn could not be stored at once."""


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """One finished turn. A message that could not be stored has the seq 0.

    `message` is what the user said and `reply` what the model answered, as they stand in the history; `memories_used`
    were shown to the model, `memories_saved` were learnt from this message, `memories_ended` hold no longer since, and
    `memories_waiting` are in quarantine until the user approves of them; `model` is the model's name; `version` is
    the thread's just after the turn, (0, 0) when nothing was stored.
    """

    thread_id: str
    message: Message
    reply: Message
    memories_used: list[Memory]
    memories_saved: list[Memory]
    model: str
    history: HistoryState
    version: Version
    memories_ended: list[Memory] = []
    memories_waiting: list[Memory] = []


class Started(msgspec.Struct, frozen=True, kw_only=True, tag="started"):
    """The prompt is built and the `model` is about to be asked.

    `window` is the part of the thread's history that it sees, and `passages` are quoted from what was said before.
    `epoch` is the thread's, None where it is not known, and `beginning` is how the user's memories stood when the turn
    began, None where there are none: `Chat.stands` compares both with those of later.
    """

    thread_id: str
    message: Message
    memories_used: list[Memory]
    window: list[Message]
    history: HistoryState
    model: str
    passages: list[MessageHit] = []
    epoch: int | None = None
    beginning: Beginning | None = None


class Token(msgspec.Struct, frozen=True, tag="token"):
    """The next piece of the reply; the pieces joined are the reply."""

    text: str


class Finished(msgspec.Struct, frozen=True, tag="finished"):
    """The reply is complete and stored. Nothing follows."""

    reply: Reply


ChatEvent = Started | Token | Finished
