"""LangChain's messages as ours and back, without loss.

Each is what the other framework's readers expect of it: roles, texts, parts, tool calls, names and ids. Everything that
our form can't say (usage, artifacts, response metadata, invalid tool calls ...) is kept beside it, in
`metadata["langchain"]`; what theirs can't say (times, metadata) travels in `additional_kwargs["recuerdo"]`.
"""

import json
from typing import Any, cast

import msgspec
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    BaseMessageChunk,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    message_chunk_to_message,
)

from recuerdo.core.checks import read_time
from recuerdo.core.errors import InvalidInput
from recuerdo.core.messages import ROLES, Content, Message, Part, Role, ToolCall
from recuerdo.core.scope import check_id
from recuerdo.integrations.langchain.values import pack, unpack

_OURS = "recuerdo"
_THEIRS = "langchain"
_UNKNOWN = "unknown"

_CLASSES: dict[str, type[BaseMessage]] = {
    "human": HumanMessage,
    "ai": AIMessage,
    "system": SystemMessage,
    "tool": ToolMessage,
    "function": FunctionMessage,
    "chat": ChatMessage,
}
_ROLES: dict[str, Role] = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "tool"}
_TYPES: dict[Role, str] = {"user": "human", "assistant": "ai", "system": "system", "tool": "tool"}


def to_langchain(message: Message) -> BaseMessage:
    """The message in LangChain's class: the one that `from_langchain` took, or the nearest equivalent."""
    note = _note(message)
    stamp = _stamp(message, born_here=note is None)
    if note is None:
        return _build(_TYPES[message.role], _plain_fields(message, _TYPES[message.role]) | stamp)
    plain = _plain_fields(message, note["type"]) | stamp
    try:
        return _build(note["type"], plain | unpack(note.get("fields", {})))
    except (ValueError, TypeError, LookupError, AttributeError):  # this metadata is not from our pen
        return _build(_TYPES[message.role], _plain_fields(message, _TYPES[message.role]) | stamp)


def from_langchain(message: BaseMessage) -> Message:
    """The message as ours; a chunk is taken as the message that it is a part of.

    Raises InvalidInput for what is not a message (`RemoveMessage`), and for values that can't be kept for good.
    """
    if isinstance(message, BaseMessageChunk):
        message = message_chunk_to_message(message)
    if message.type not in _CLASSES:
        raise InvalidInput("message", f"a {type(message).__name__} is an order to a graph's state and nothing was said")
    stamp = message.additional_kwargs.get(_OURS)
    plain = _stamped(_plain(message), stamp, message.type)
    kept = _kept(message, to_langchain(plain))
    if not kept:
        return plain
    note: dict[str, Any] = {"type": message.type, "fields": kept}
    return msgspec.structs.replace(plain, metadata=plain.metadata | {_THEIRS: note})


def _plain(message: BaseMessage) -> Message:
    """The message in our form, fit to be appended."""
    role = _role(message)
    return Message(
        role=role,
        content=_content(message.content),
        id=message.id if message.id and _is_id(message.id) else "",
        name=message.name if message.name and _is_id(message.name) else None,
        tool_calls=_tool_calls(message) if role == "assistant" else [],
        tool_call_id=_tool_call_id(message) if role == "tool" else None,
    )


def _role(message: BaseMessage) -> Role:
    if not isinstance(message, ChatMessage):
        return _ROLES[message.type]
    return message.role if message.role in ROLES else "user"


def _content(content: object) -> Content:
    if isinstance(content, str):
        return content
    return [_part(part) for part in cast(list[Any], pack(content, "content"))]


def _part(part: Any) -> Part:
    if not isinstance(part, dict):
        return {"type": "text", "text": str(part)}
    fields = cast(Part, part)
    return fields if isinstance(fields.get("type"), str) else {**fields, "type": _UNKNOWN}


def _tool_calls(message: BaseMessage) -> list[ToolCall]:
    """The tool calls with ids; and the function call of messages from before there were tools."""
    if not isinstance(message, AIMessage):
        return []
    named = {call["id"]: call for call in message.tool_calls if _is_id(call["id"]) and _is_id(call["name"])}
    calls = [ToolCall(str(id_), call["name"], pack(call["args"], "tool_calls.args")) for id_, call in named.items()]
    function = message.additional_kwargs.get("function_call")
    if calls or not isinstance(function, dict) or not _is_id(name := cast(Part, function).get("name")):
        return calls
    return [ToolCall(cast(str, name), cast(str, name), _arguments(cast(Part, function).get("arguments")))]


def _arguments(text: object) -> dict[str, Any]:
    try:
        arguments = json.loads(str(text))
    except ValueError:
        return {}
    return pack(arguments, "function_call") if isinstance(arguments, dict) else {}


def _tool_call_id(message: BaseMessage) -> str:
    call_id = message.tool_call_id if isinstance(message, ToolMessage) else message.name
    return call_id if call_id and _is_id(call_id) else _UNKNOWN


def _is_id(text: object) -> bool:
    try:
        check_id("id", text)
    except InvalidInput:
        return False
    return True


def _stamped(plain: Message, stamp: object, kind: str) -> Message:
    """The message with the times and metadata that it had with us; with LangChain's mark if it was never here."""
    if not isinstance(stamp, dict):
        return msgspec.structs.replace(plain, metadata={_THEIRS: {"type": kind}})
    fields = cast(dict[str, Any], stamp)
    metadata = fields.get("metadata")
    return msgspec.structs.replace(
        plain,
        created_at=read_time(fields.get("created_at")),
        metadata=cast(dict[str, Any], metadata) if isinstance(metadata, dict) else {},
    )


def _stamp(message: Message, *, born_here: bool) -> dict[str, Any]:
    """The fields that LangChain's form can't say, as one of its fields."""
    fields: dict[str, Any] = {}
    if born_here and message.created_at:
        fields["created_at"] = message.created_at.isoformat()
    if others := {name: value for name, value in message.metadata.items() if born_here or name != _THEIRS}:
        fields["metadata"] = others
    return {"additional_kwargs": {_OURS: fields}} if fields or born_here else {}


def _note(message: Message) -> dict[str, Any] | None:
    """The note of `from_langchain` about the message, or None."""
    note = message.metadata.get(_THEIRS)
    if not isinstance(note, dict):
        return None
    fields = cast(dict[str, Any], note)
    is_ours = fields.get("type") in _CLASSES and isinstance(fields.get("fields", {}), dict)
    return fields if is_ours else None


def _plain_fields(message: Message, kind: str) -> dict[str, Any]:
    """The fields of LangChain's class that our form knows."""
    content = message.content if isinstance(message.content, str) else [*message.content]
    fields: dict[str, Any] = {"content": content, "id": message.id or None, "name": message.name}
    match kind:
        case "ai":
            calls = message.tool_calls
            fields["tool_calls"] = [{"type": "tool_call", "id": c.id, "name": c.name, "args": c.args} for c in calls]
        case "tool":
            fields["tool_call_id"] = message.tool_call_id or _UNKNOWN
        case "function":
            fields["name"] = message.name or _UNKNOWN
        case "chat":
            fields["role"] = message.role
        case _:
            pass
    return fields


def _build(kind: str, fields: dict[str, Any]) -> BaseMessage:
    return _CLASSES[kind](**fields)


def _kept(message: BaseMessage, restored: BaseMessage) -> dict[str, Any]:
    """The fields, packed, that the restored message does not have, or has otherwise."""
    have = {name: pack(value, name) for name, value in _fields(restored).items()}
    want = {name: pack(value, name) for name, value in _fields(message).items()}
    return {name: value for name, value in want.items() if name not in have or have[name] != value}


def _fields(message: BaseMessage) -> dict[str, Any]:
    named = {name: getattr(message, name) for name in type(message).model_fields if name != "type"}
    return named | (message.model_extra or {})
