"""Imports the exports of other services: conversations and memories."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from recuerdo.app.recuerdo import Recuerdo
from recuerdo.core.errors import NotFound
from recuerdo.core.identifiers import derived_id
from recuerdo.core.memories import Ending, Memory, Source
from recuerdo.core.messages import Message
from recuerdo.core.scope import Owner
from recuerdo.history.requests import MOST_TITLE, one_line
from recuerdo.integrations.exports import ForeignExport
from recuerdo.integrations.exports.shapes import ExportedConversation, ExportedFact
from recuerdo.memories.extraction import gate

_PORTION = 100
_HEARSAY = 0.8
"""How far what another service's model has made of its user's words is trusted."""

_LATEST = datetime.max.replace(tzinfo=UTC)


class ImportOutcome(NamedTuple):
    """The result of an import: new messages, those that were there, and the memories that are new, over, or wait."""

    conversations: int
    messages: int
    known: int
    remembered: Sequence[Memory]
    ended: Sequence[Memory]
    waiting: Sequence[Memory]


async def import_export(memory: Recuerdo, owner: Owner, service: str, export: ForeignExport) -> ImportOutcome:
    """Store the conversations as threads of the owner, remember what the owner said in them, and take the facts over.

    Messages and facts that are there already, from an earlier import of the same or an older export, stay as they are,
    so that an import can be repeated. Conversations are read by their time, and none ends a memory that began since.
    Raises InvalidInput, and Unavailable.
    """
    messages = known = 0
    remembered: list[Memory] = []
    ended: list[Memory] = []
    waiting: list[Memory] = []
    for conversation in sorted(export.conversations, key=_begun):
        thread = memory.thread(tenant=owner.tenant, user=owner.user, thread=f"{service}:{conversation.id}")
        there = await thread.read()
        ids = {message.id for message in there}
        new = [message for message in _titled(conversation) if message.id not in ids]
        messages, known = messages + len(new), known + len(conversation.messages) - len(new)
        seq, question = len(there), None
        for start in range(0, len(new), _PORTION):
            portion = new[start : start + _PORTION]
            for message in portion:  # before it is stored: an import that is cut off here does the portion again
                seq += 1
                if message.role == "user":
                    about = Source(thread=thread.scope.thread, seq=seq, author="user")
                    heard = await memory.memories.remember(
                        owner, message.text, about, question=question, said_at=message.created_at
                    )
                    remembered += heard
                    ended += heard.ended
                    waiting += heard.waiting
                question = message.text if message.role == "assistant" else None
            await thread.append(*portion)
        if new and not there and (title := one_line(conversation.title)[:MOST_TITLE].strip()):
            with suppress(NotFound):  # an append that waits in the spool makes the thread later
                await thread.rename(title)
    saved = await _take_over(memory, owner, service, export.facts)
    remembered += [each for each in saved if each.status == "approved"]
    waiting += [each for each in saved if each.status != "approved"]
    return ImportOutcome(len(export.conversations), messages, known, remembered, ended, waiting)


async def preview(memory: Recuerdo, owner: Owner, service: str, export: ForeignExport) -> ImportOutcome:
    """Show the effect of `import_export` without storing it: this works on a copy of the data it touches."""
    async with Recuerdo.open("memory://", embeddings="none", clock=memory.clock) as copy:
        if not owner.is_anonymous:
            await copy.memories.import_lines(owner, memory.memories.export(owner))
        for conversation in export.conversations:
            thread_id = f"{service}:{conversation.id}"
            whole = memory.thread(tenant=owner.tenant, user=owner.user, thread=thread_id)
            copied = copy.thread(tenant=owner.tenant, user=owner.user, thread=thread_id)
            there = await whole.read()
            for start in range(0, len(there), _PORTION):
                await copied.append(*there[start : start + _PORTION])
        return await import_export(copy, owner, service, export)


async def _take_over(memory: Recuerdo, owner: Owner, service: str, facts: Sequence[ExportedFact]) -> list[Memory]:
    """Save the facts that are not there yet, with the times that the service says; returns those that are new."""
    now = memory.clock()
    made = [_made(owner, service, fact, now) for fact in facts]
    known = {each.id for each in made if await _find(memory, each) is not None}

    async def lines() -> AsyncGenerator[bytes]:
        for each in made:
            yield msgspec.json.encode(each)

    await memory.memories.import_lines(owner, lines())
    kept = [await _find(memory, each) for each in made if each.id not in known]
    return [each for each in kept if each is not None]


async def _find(memory: Recuerdo, wanted: Memory) -> Memory | None:
    try:
        return await memory.memories.get(wanted.owner, wanted.id)
    except NotFound:
        return None


def _made(owner: Owner, service: str, fact: ExportedFact, now: datetime) -> Memory:
    made = Memory(
        id=derived_id(owner.tenant, owner.user, service, fact.id),
        owner=owner,
        text=fact.text.replace("\x00", ""),
        source=Source(extractor=service),
        trust=_HEARSAY,
        valid_from=fact.since,
        valid_until=fact.until,
        ending=Ending("outdated") if fact.until else None,
        created_at=fact.since or now,
        updated_at=now,
    )
    if gate.reads_like_an_order(made.text):
        return gate.quarantined(made, "reads like an order to the assistant", now)
    return made


def _begun(conversation: ExportedConversation) -> datetime:
    return conversation.messages[0].created_at or _LATEST


def _titled(conversation: ExportedConversation) -> list[Message]:
    """The messages, the first with the title that the service shows."""
    first, *others = conversation.messages
    about = {**first.metadata["imported"], "title": conversation.title}
    return [replace(first, metadata={**first.metadata, "imported": about}), *others]
