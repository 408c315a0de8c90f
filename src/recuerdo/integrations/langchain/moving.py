"""From LangChain's older memories into a thread, and back out."""

import hashlib
from collections.abc import Sequence
from typing import Any, cast

import msgspec
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import BaseMessage

from recuerdo.core.errors import InvalidInput
from recuerdo.core.messages import Message, encode
from recuerdo.history import ThreadHistory
from recuerdo.integrations.langchain.histories import append_new
from recuerdo.integrations.langchain.messages import from_langchain, to_langchain

Memory = Any
"""A `ConversationBufferMemory` or another memory with a `chat_memory`, a chat message history, or messages."""


async def move_in(memory: Memory, thread: ThreadHistory) -> int:
    """Append an old memory's messages to the thread; returns how many are new there.

    Messages without an id get one that is made of their place and content, so that moving the same memory again, also
    when it has grown meanwhile, adds only what is new. Raises InvalidInput for what is no memory.
    """
    ours = [from_langchain(message) for message in await _messages(memory)]
    return await append_new(thread, [_identified(place, message) for place, message in enumerate(ours)])


async def move_out(thread: ThreadHistory, memory: Memory) -> int:
    """Add the thread's messages, without archived ones, to an old memory or chat history; returns how many."""
    messages = [to_langchain(message) for message in await thread.read() if not message.archived]
    await _history(memory).aadd_messages(messages)
    return len(messages)


async def _messages(memory: Memory) -> Sequence[BaseMessage]:
    if isinstance(memory, Sequence):
        return cast(Sequence[BaseMessage], memory)
    return await _history(memory).aget_messages()


def _history(memory: Memory) -> BaseChatMessageHistory:
    history = getattr(memory, "chat_memory", memory)
    if not isinstance(history, BaseChatMessageHistory):
        raise InvalidInput(
            "memory",
            "must be a chat message history, or have one as its `chat_memory`, as ConversationBufferMemory has",
        )
    return history


def _identified(place: int, message: Message) -> Message:
    if message.id:
        return message
    digest = hashlib.sha256(encode(message)).hexdigest()[:24]
    return msgspec.structs.replace(message, id=f"moved-{place}-{digest}")
