"""From LangChain's older memories into a thread, and back out."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import BaseMessage, convert_to_messages, messages_from_dict

from recuerdo.core.errors import InvalidInput
from recuerdo.core.messages import Message, encode
from recuerdo.history import ThreadHistory
from recuerdo.integrations.langchain.histories import append_new
from recuerdo.integrations.langchain.messages import from_langchain, to_langchain

Memory = Any
"""A `ConversationBufferMemory` or another memory with a `chat_memory`, a chat message history, messages, or what the
`dict()` of one of these wrote."""


async def move_in(memory: Memory, thread: ThreadHistory) -> int:
    """Append an old memory's messages to the thread; returns how many are new there.

    Messages without an id get one that is made of their place and content, so that moving the same memory again, also
    when it has grown meanwhile, adds only new messages. Raises InvalidInput for anything but a memory.
    """
    ours = [from_langchain(message) for message in await _messages(memory)]
    return await append_new(thread, [_identified(place, message) for place, message in enumerate(ours)])


async def move_out(thread: ThreadHistory, memory: Memory) -> int:
    """Add the thread's messages, without archived ones, to an old memory or chat history; returns how many."""
    messages = [to_langchain(message) for message in await thread.read() if not message.archived]
    await _history(memory).aadd_messages(messages)
    return len(messages)


async def _messages(memory: Memory) -> Sequence[BaseMessage]:
    found = memory
    if isinstance(found, Mapping):  # what `memory.dict()` wrote, or its history alone
        found = cast(Mapping[str, Any], found).get("chat_memory", memory)
    if isinstance(found, Mapping):
        found = cast(Mapping[str, Any], found).get("messages", memory)
    if isinstance(found, Sequence) and not isinstance(found, str):
        return [read_message(f"messages[{place}]", each) for place, each in enumerate(cast(Sequence[Any], found))]
    return await _history(found).aget_messages()


def read_message(field: str, written: Any) -> BaseMessage:
    """The message, or the one of its dict. Raises InvalidInput, naming the field."""
    if isinstance(written, BaseMessage):
        return written
    try:
        if isinstance(written, Mapping) and "data" in written:
            [message] = messages_from_dict([cast(dict[str, Any], written)])
        else:
            [message] = convert_to_messages(cast(list[Any], [written]))
    except (KeyError, TypeError, ValueError, NotImplementedError):
        raise InvalidInput(
            field, "must be a message of LangChain's, or a dict of one with `type` (or `role`) and `content`"
        ) from None
    return message


def _history(memory: Memory) -> BaseChatMessageHistory:
    history = getattr(memory, "chat_memory", memory)
    if not isinstance(history, BaseChatMessageHistory):
        raise InvalidInput(
            "memory",
            "must be a chat message history, have one as its `chat_memory`, as ConversationBufferMemory has, or be "
            "messages, or the dict of one of these",
        )
    return history


def _identified(place: int, message: Message) -> Message:
    if message.id:
        return message
    digest = hashlib.sha256(encode(message)).hexdigest()[:24]
    return msgspec.structs.replace(message, id=f"moved-{place}-{digest}")
