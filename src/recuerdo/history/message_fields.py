"""Standard fields of messages: what programs that look at single messages expect in the metadata of each."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, get_args

from msgspec.structs import replace

from recuerdo.core.checks import check_choice
from recuerdo.core.messages import Message
from recuerdo.core.scope import Scope
from recuerdo.core.thread_metadata import AGENT_ID

MessageField = Literal["agent_id", "tenant_id", "timestamp"]
MESSAGE_FIELDS = get_args(MessageField)


class MessageFields:
    """Fills these fields into the metadata of new messages that have none of the name."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        """Raises InvalidInput for a name that is not a standard field."""
        self.names = frozenset(names)
        for name in sorted(self.names):
            check_choice("message_fields", name, MESSAGE_FIELDS)

    def filled(self, messages: Sequence[Message], scope: Scope, now: datetime, agent_id: str | None) -> list[Message]:
        """The messages with the fields; `agent_id` is left out where no agent is known."""
        return [self._filled(message, scope, message.created_at or now, agent_id) for message in messages]

    def _filled(self, message: Message, scope: Scope, at: datetime, agent_id: str | None) -> Message:
        timestamp = at.astimezone(UTC).isoformat().replace("+00:00", "Z")
        known: dict[str, Any] = {AGENT_ID: agent_id, "tenant_id": scope.tenant, "timestamp": timestamp}
        fields = {name: known[name] for name in MESSAGE_FIELDS if name in self.names and known[name] is not None}
        return replace(message, created_at=at, metadata={**fields, **message.metadata})


NO_FIELDS = MessageFields()
"""Leaves messages as they are given."""
