"""Messages as other libraries serialise them.

LangChain: `message_to_dict` of langchain-core 1. LangChain4j: `ChatMessageSerializer.messageToJson` of langchain4j-core
1, whose results of tools are a `text`, or from version 1.13 on `contents`.
"""

import json
from collections.abc import Mapping
from typing import Any, cast

import msgspec

from recuerdo.core.errors import InvalidInput, needing
from recuerdo.core.messages import Content, Message, Part, Role, ToolCall

ROLES: Mapping[str, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
}
"""The names of roles that need no mapping, in small letters."""

_IMAGE = "image"
_BESIDE = ("thinking", "attributes", "isError")


def langchain(written: Mapping[str, Any]) -> Message:
    """The message of one that LangChain has written. Raises InvalidInput."""
    with needing("Reading LangChain's messages", "langgraph"):
        from recuerdo.integrations.langchain.messages import from_langchain
        from recuerdo.integrations.langchain.moving import read_message
    return from_langchain(read_message("message", written))


def langchain4j(written: Mapping[str, Any]) -> Message:
    """The message of one that LangChain4j has written. Raises InvalidInput for a custom message."""
    match written.get("type"):
        case "SYSTEM":
            return Message.system(_text(written))
        case "USER":
            return Message.user(_contents(written), name=written.get("name") or None, metadata=_beside(written))
        case "AI":
            calls = tool_calls(written.get("toolExecutionRequests"))
            return Message.assistant(_text(written), tool_calls=calls, metadata=_beside(written))
        case "TOOL_EXECUTION_RESULT":
            content = _contents(written) if written.get("contents") else _text(written)
            name, answered = written.get("toolName") or None, written.get("id") or written.get("toolName")
            return Message.tool(content, tool_call_id=str(answered or ""), name=name, metadata=_beside(written))
        case _:
            raise InvalidInput("type", "must be SYSTEM, USER, AI or TOOL_EXECUTION_RESULT")


def tool_calls(written: Any) -> list[ToolCall]:
    """The calls of tools, each `{id, name, args}`, `{id, name, arguments}` or OpenAI's `{id, function: {...}}`.

    Arguments may be JSON texts. Raises InvalidInput.
    """
    if not isinstance(written, list | None):
        raise InvalidInput("tool_calls", "must be a list")
    return [_tool_call(each) for each in cast(list[Any], written or [])]


def json_value(value: Any) -> Any:
    """The value as JSON can hold it: times, UUIDs, ids of documents as texts."""
    try:
        return msgspec.to_builtins(value, str_keys=True, enc_hook=str)
    except (TypeError, ValueError, RecursionError):
        raise InvalidInput("value", "can't be written as JSON") from None


def _tool_call(written: Any) -> ToolCall:
    call = cast(dict[str, Any], written) if isinstance(written, dict) else {}
    function = cast(dict[str, Any], call.get("function") or call)
    name, arguments = function.get("name"), function.get("arguments", function.get("args"))
    if not isinstance(name, str) or not isinstance(call.get("id") or name, str):
        raise InvalidInput("tool_calls", "must each have an `id`, a `name` and `arguments`")
    try:
        read = json.loads(arguments or "{}") if isinstance(arguments, str) else json_value(arguments or {})
    except (ValueError, RecursionError):
        read = None
    if not isinstance(read, dict):
        raise InvalidInput("tool_calls", "must have an object as their arguments, or the JSON of one")
    return ToolCall(call.get("id") or name, name, cast(dict[str, Any], read))


def _text(written: Mapping[str, Any]) -> str:
    text = written.get("text")
    if text is not None and not isinstance(text, str):
        raise InvalidInput("text", "must be a text")
    return text or ""


def _beside(written: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of a message that ours has no fields for."""
    kept = {name: written[name] for name in _BESIDE if written.get(name)}
    return {"langchain4j": kept} if kept else {}


def _contents(written: Mapping[str, Any]) -> Content:
    """A single text as that; several contents, or others than texts, as parts."""
    contents = written.get("contents")
    if not isinstance(contents, list) or not all(isinstance(each, dict) for each in cast(list[Any], contents)):
        raise InvalidInput("contents", "must be a list of objects with a `type`")
    parts = [_part(each) for each in cast(list[dict[str, Any]], contents)]
    is_one_text = len(parts) == 1 and parts[0]["type"] == "text"
    return str(parts[0]["text"]) if is_one_text else parts


def _part(content: dict[str, Any]) -> Part:
    kind = str(content.get("type", "")).lower()
    if kind == "text":
        return {"type": "text", "text": _text(content)}
    image = content.get(_IMAGE)
    if kind == _IMAGE and isinstance(image, dict):
        fields = cast(dict[str, Any], image)
        url = fields.get("url") or f"data:{fields.get('mimeType') or 'image/png'};base64,{fields.get('base64Data')}"
        return {"type": "image_url", "image_url": {"url": url}}
    return {**content, "type": kind or "unknown"}
