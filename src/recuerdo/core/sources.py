"""Other systems' conversations: where they are stored, what their fields mean, and the port that reads them."""

from collections.abc import AsyncGenerator, Iterator, Mapping
from typing import Any, Literal, NamedTuple, Protocol, cast

import msgspec

from recuerdo.core.checks import UNREADABLE
from recuerdo.core.messages import Role

Format = Literal["fields", "langchain", "langchain4j"]
"""How one message is written: in fields that the mapping names, or as one of these libraries serialises it."""


class OwnerMapping(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where conversations name their owners, if their messages don't: a second table, collection or key pattern."""

    source: str
    conversation: str = "id"
    user: str | None = None
    tenant: str | None = None
    title: str | None = None


class SourceMapping(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The meaning of another system's fields.

    `source` is the table, the collection, or the pattern of keys (`chat:{user}:{conversation}`, whose parts count as
    fields). A row holds one message; with `message` as JSON in one field, with `messages` a whole list of them. `order`
    are the fields by which a conversation's rows are sorted, where the source does not sort them. Names with dots
    lead into objects. `roles` translates what the system calls roles.
    """

    source: str
    format: Format = "fields"
    conversation: str = "conversation"
    user: str | None = None
    tenant: str | None = None
    order: list[str] = []
    newest_first: bool = False
    message: str | None = None
    messages: str | None = None
    id: str | None = None
    role: str = "role"
    content: str = "content"
    created_at: str | None = None
    name: str | None = None
    tool_calls: str | None = None
    tool_call_id: str | None = None
    metadata: list[str] = []
    roles: dict[str, Role] = {}
    owners: OwnerMapping | None = None

    def row_fields(self) -> list[str]:
        """The fields of a row that a reader needs, each once: those of its conversation, and of its message."""
        holder = self.message or self.messages
        named = [self.conversation, self.user, self.tenant, *self.order, holder, self.id, self.created_at]
        if self.format == "fields" and not holder:
            named += [self.role, self.content, self.name, self.tool_calls, self.tool_call_id]
        if not self.messages:
            named += self.metadata
        return list(dict.fromkeys(field.partition(".")[0] for field in named if field))


class SourceRow(NamedTuple):
    """A row, a document, or an entry of a list. `place` names it to people; `parts` are those of its key."""

    place: str
    value: Any
    parts: Mapping[str, Any] = {}


class MessageSource(Protocol):
    """Another system's conversations. Reading changes nothing there."""

    def rows(self) -> AsyncGenerator[SourceRow]:
        """All rows, those of a conversation one after the other and in their order. Raises Unavailable."""
        ...

    async def count(self) -> int:
        """How many rows there are now."""
        ...

    async def owner(self, conversation: Any) -> Mapping[str, Any]:
        """The fields in which `mapping.owners` has the conversation's owner; none when it is not there."""
        ...


def field_of(value: Any, path: str) -> Any:
    """The part of a value under a name with dots, which lead into objects and into JSON texts; None if it is absent."""
    for name in path.split("."):
        value = decoded(value)
        if not isinstance(value, Mapping):
            return None
        value = cast(Mapping[str, Any], value).get(name)
    return value


def decoded(value: Any) -> Any:
    """The value, read as JSON if it is a text; a text that is not JSON stays as it is."""
    if not isinstance(value, str | bytes):
        return value
    try:
        return msgspec.json.decode(value)
    except UNREADABLE:
        return value


def owner_fields(owners: OwnerMapping) -> Iterator[str]:
    """The fields that an owner is read from."""
    return (field for field in (owners.user, owners.tenant, owners.title) if field)
