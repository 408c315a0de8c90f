"""Threads of several lengths, which the topics read and write."""

from benchmarks.rounds import Contestant
from recuerdo import Message, Recuerdo
from recuerdo.history import ThreadHistory

SIZES = (200, 2_000)
"""Characters of a message."""

LENGTHS = (10, 100, 1_000, 100_000)
"""Messages of a thread."""

_LARGEST_APPEND = 1_000


async def thread_of(memory: Recuerdo, length: int, size: int) -> ThreadHistory:
    """A thread of that many messages of that size."""
    thread = memory.thread(tenant="acme", user="emi", thread=f"of-{length}-{size}")
    for first in range(0, length, _LARGEST_APPEND):
        count = min(length - first, _LARGEST_APPEND)
        await thread.append(*[Message.user("x" * size) for _ in range(count)])
    return thread


def appending(thread: ThreadHistory, text: str, count: int = 1) -> Contestant:
    """An append of so many messages with that text."""

    async def append() -> None:
        await thread.append(*[Message.user(text) for _ in range(count)])

    return append


def named(length: int, size: int) -> str:
    """How the table calls such a thread."""
    return f"{size:,} B, thread of {length:,}"
