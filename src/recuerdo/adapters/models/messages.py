"""Our messages as LangChain's, for a prompt."""

import re
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from recuerdo.core.messages import Content, Message

_NOT_IN_NAMES = re.compile(r"[\s<|\\/>]+")
"""OpenAI refuses the whole prompt when a name has one of these."""


def to_langchain(messages: Sequence[Message]) -> list[BaseMessage]:
    """The same conversation in LangChain's classes: roles, parts, tool calls, ids and names.

    The time of a message goes into `additional_kwargs["created_at"]`, which providers don't send; metadata stays here.
    """
    return [_convert(message) for message in messages]


def _convert(message: Message) -> BaseMessage:
    content = _content(message.content)
    match message.role:
        case "system":
            return SystemMessage(content=content, **_common(message))
        case "user":
            return HumanMessage(content=content, **_common(message))
        case "assistant":
            return AIMessage(content=content, tool_calls=_tool_calls(message), **_common(message))
        case "tool":
            return ToolMessage(content=content, tool_call_id=message.tool_call_id or "", **_common(message))


def _content(content: Content) -> Any:
    return content if isinstance(content, str) else [*content]


def _tool_calls(message: Message) -> Any:
    return [{"type": "tool_call", "id": call.id, "name": call.name, "args": call.args} for call in message.tool_calls]


def _common(message: Message) -> dict[str, Any]:
    fields: dict[str, Any] = {"id": message.id or None}
    if message.name:
        fields["name"] = _NOT_IN_NAMES.sub("_", message.name)
    if message.created_at:
        fields["additional_kwargs"] = {"created_at": message.created_at.isoformat()}
    return fields
