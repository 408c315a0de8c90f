"""LangChain's messages, packed small, and kept in a form that makes new ones fast."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, cast

from langchain_core import messages
from langchain_core.messages import BaseMessage, RemoveMessage

_CONTAINERS = (dict, list)


class MessageKind(NamedTuple):
    """A class of messages: its number in stored data, and the default values of its fields."""

    number: int
    type: type[BaseMessage]
    fields: tuple[str, ...]
    defaults: Mapping[str, Any]
    usual: dict[str, Any]  # the same, with None for fields without a default
    containers: tuple[tuple[str, Callable[[], Any]], ...]
    names: set[str]  # of all fields, for pydantic; its messages only ever add one of these names to it


def _kind(number: int, type_: type[BaseMessage]) -> MessageKind:
    fields = type_.model_fields
    defaults: dict[str, Any] = {
        name: field.get_default(call_default_factory=True) for name, field in fields.items() if not field.is_required()
    }
    containers: tuple[tuple[str, Callable[[], Any]], ...] = tuple(
        (name, default.copy) for name, default in defaults.items() if default in ([], {})
    )
    usual = {name: defaults.get(name) for name in fields}
    return MessageKind(number, type_, tuple(fields), defaults, usual, containers, set(fields))


_TYPES: tuple[type[BaseMessage], ...] = (
    messages.HumanMessage,
    messages.AIMessage,
    messages.SystemMessage,
    messages.ToolMessage,
    messages.ChatMessage,
    messages.FunctionMessage,
    RemoveMessage,
    messages.AIMessageChunk,
    messages.HumanMessageChunk,
    messages.SystemMessageChunk,
    messages.ToolMessageChunk,
    messages.ChatMessageChunk,
    messages.FunctionMessageChunk,
)
"""Their places are in stored data: new ones go to the end."""

KINDS = {kind.type: kind for kind in (_kind(number, type_) for number, type_ in enumerate(_TYPES, 1))}
BY_NUMBER = {kind.number: kind for kind in KINDS.values()}


class MessageSnapshot:
    """A message as it was at one moment; an Entry of the checkpoints' logs."""

    __slots__ = ("extra", "fields", "kind", "plain")

    def __init__(
        self, kind: MessageKind, fields: dict[str, Any], extra: dict[str, Any] | None, *, plain: bool | None = None
    ) -> None:
        self.kind = kind
        self.fields = fields
        self.extra = extra
        self.plain = not extra and _is_flat(fields) if plain is None else plain

    @classmethod
    def of(cls, message: BaseMessage) -> "MessageSnapshot | None":
        """The message; None of one that has more than its class says, or parts that are not plain data."""
        kind = KINDS.get(type(message))
        state: dict[str, Any] = vars(message)
        if kind is None or message.__pydantic_private__ is not None or len(state) != len(kind.fields):
            return None
        extra = message.__pydantic_extra__
        try:
            return cls(kind, {name: _copy(state[name]) for name in kind.fields}, _copy(extra) if extra else None)
        except (KeyError, TypeError):
            return None

    @property
    def key(self) -> str | None:
        """See Entry: the message's id."""
        return self.fields["id"]

    def same(self, element: Any) -> bool:
        """Whether the element is still equal to this snapshot."""
        if type(element) is not self.kind.type or vars(element) != self.fields:
            return False
        extra: dict[str, Any] | None = element.__pydantic_extra__ or None
        if extra != self.extra or element.__pydantic_private__ is not None:
            return False
        return self.plain or (equals_exactly(vars(element), self.fields) and equals_exactly(extra, self.extra))

    def thaw(self) -> BaseMessage:
        """The message, with nothing in it that another one has too."""
        message = self.kind.type.__new__(self.kind.type)
        extra: dict[str, Any] = _copy(self.extra) if self.extra else {}
        if self.plain:
            state = self.fields.copy()
            for name, make in self.kind.containers:
                state[name] = make()
        else:
            state = {name: _copy(value) for name, value in self.fields.items()}
        _set(message, "__dict__", state)
        _set(message, "__pydantic_fields_set__", self.kind.names)
        _set(message, "__pydantic_extra__", extra)
        _set(message, "__pydantic_private__", None)
        return message

    def stored(self) -> list[Any]:
        """The stored row: the kind's number, the content, the id, what else is not as usual, and extra fields."""
        defaults = self.kind.defaults
        others = {
            name: value
            for name, value in self.fields.items()
            if name not in ("content", "id") and not (name in defaults and equals_exactly(value, defaults[name]))
        }
        row: list[Any] = [self.kind.number, self.fields["content"], self.fields["id"]]
        if others or self.extra:
            row.append(others)
        if self.extra:
            row.append(self.extra)
        return row

    @classmethod
    def restored(cls, row: list[Any]) -> "MessageSnapshot":
        """The message of a stored row. Fields that its class has got since have their usual values."""
        kind = BY_NUMBER[row[0]]
        fields = kind.usual.copy()  # its empty containers are shared, and must not be in a message that is returned
        fields["content"], fields["id"] = row[1], row[2]
        if len(row) == 3:
            return cls(kind, fields, None, plain=type(row[1]) is str)
        fields.update(row[3])
        return cls(kind, {name: fields[name] for name in kind.fields}, row[4] if len(row) > 4 else None)


_set = object.__setattr__


def _is_flat(fields: Mapping[str, Any]) -> bool:
    """Whether there are only texts in it, and empty containers."""
    for value in fields.values():
        kind = cast(Any, type(value))
        if value is not None and kind is not str and (value or kind not in _CONTAINERS):
            return False
    return True


def boxes_in(value: Any) -> Iterator[Any]:
    """All dicts and lists in the plain data."""
    if value.__class__ in _CONTAINERS:
        for each in value.values() if value.__class__ is dict else value:
            if each.__class__ in _CONTAINERS:
                yield each
                yield from boxes_in(each)


def _copy(value: Any) -> Any:
    """A copy of plain data, containers included. Raises TypeError for a type that decoding would not restore."""
    kind = value.__class__
    if kind is str or value is None or kind is bool or kind is int or kind is float:
        return value
    if kind is list:
        return [_copy(each) for each in value]
    if kind is dict and all(type(key) is str for key in value):
        return {key: _copy(each) for key, each in value.items()}
    raise TypeError(kind)


def equals_exactly(one: Any, other: Any) -> bool:
    """Equality that distinguishes 1, True and 1.0."""
    kind = one.__class__
    if kind is not other.__class__:
        return False
    if kind is dict:
        theirs: Iterator[Any] = map(other.get, one)
        return one.keys() == other.keys() and all(map(equals_exactly, one.values(), theirs))
    if kind is list:
        return len(one) == len(other) and all(map(equals_exactly, one, other))
    return one == other
