"""Our messages as the dicts of the chat protocol, which LangChain takes for a prompt."""

import re
from collections.abc import Sequence
from typing import Any

from recuerdo.core.messages import Message

_NOT_IN_NAMES = re.compile(r"[\s<|\\/>]+")
"""OpenAI refuses the whole prompt when a name has one of these."""


def to_chat(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The same conversation: roles, parts, tool calls, ids and names.

    The time of a message stands beside them as `created_at`, which providers are not sent; metadata stays here.
    """
    return [_convert(message) for message in messages]


def _convert(message: Message) -> dict[str, Any]:
    content = message.content if isinstance(message.content, str) else [*message.content]
    chat: dict[str, Any] = {"role": message.role, "content": content, "id": message.id or None}
    if message.role == "assistant":
        chat["tool_calls"] = _tool_calls(message)
    if message.role == "tool":
        chat["tool_call_id"] = message.tool_call_id or ""
    if message.name:
        chat["name"] = _NOT_IN_NAMES.sub("_", message.name)
    if message.created_at:
        chat["created_at"] = message.created_at.isoformat()
    return chat


def _tool_calls(message: Message) -> list[dict[str, Any]]:
    return [{"type": "tool_call", "id": call.id, "name": call.name, "args": call.args} for call in message.tool_calls]
