"""200 payloads in messages, tool outputs, pages and documents: none gains a role, reaches another user, or is promoted.

`tests/data/poison.jsonl` has them in three languages: what each is after (`aim`), and whose words carry it (`author`).
"""

import json
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from recuerdo.adapters.local import LocalDatabase, LocalMemories
from recuerdo.agents.prompts import build_prompt, recalled_memories
from recuerdo.core.memories import MemoryQuery, Source
from recuerdo.core.messages import Message
from recuerdo.core.scope import Owner, TenantOwner
from recuerdo.memories import Memories
from recuerdo.memories.extraction.gate import reads_like_an_order
from recuerdo.testing.clock import FakeClock

DATA = Path(__file__).parents[1] / "data" / "poison.jsonl"
PAYLOADS = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
MALLORY, EVA, OTHER = Owner("acme", "mallory"), Owner("acme", "eva"), Owner("other", "mallory")
SAID = Source(thread="t-1", seq=7)
FREE = ("name", "likes", "dislikes", "preference", "plan", "remember")


@pytest.fixture
def memories():
    return Memories(LocalMemories(LocalDatabase()), None, FakeClock(tick=timedelta(milliseconds=1)))


def test_the_corpus_is_as_large_and_as_mixed_as_it_says():
    assert len({payload["text"] for payload in PAYLOADS}) == len(PAYLOADS) == 200
    for field, fewest in (("aim", 30), ("language", 50), ("author", 35)):
        counts = Counter(payload[field] for payload in PAYLOADS)
        assert len(counts) >= 3
        assert min(counts.values()) >= fewest, counts


@pytest.mark.parametrize("author", ["user", "tool", "web", "document"])
async def test_no_payload_is_promoted_without_its_provenance(memories, author):
    """Texts of others are never approved; of the user's own words no order is, and all else says where it is from."""
    for payload in PAYLOADS:
        await memories.remember(MALLORY, payload["text"], replace(SAID, author=author))
    approved = await memories.list(MALLORY, MemoryQuery(limit=1000))
    if author != "user":
        assert approved == []
    for memory in approved:
        assert memory.source == replace(SAID, extractor="detectors")
        assert memory.attribute not in FREE or not reads_like_an_order(memory.text), memory
    for memory in await memories.list(MALLORY, MemoryQuery(limit=1000, status="quarantined")):
        assert (memory.trust, memory.review.by) == (0.0, "gate")


async def test_no_payload_reaches_another_user_or_what_a_tenant_shares(memories):
    for payload in PAYLOADS:
        await memories.remember(MALLORY, payload["text"], replace(SAID, author=payload["author"]))
        proposed = await memories.propose(TenantOwner("acme"), payload["text"], by=f"mallory-{len(payload['text'])}")
        assert proposed.status == "proposed"
    for owner in (EVA, OTHER, TenantOwner("acme")):
        assert await memories.list(owner) == []
        for payload in PAYLOADS[::20]:
            assert await memories.search(owner, payload["text"], limit=100) == []
            assert await memories.recall(owner, payload["text"]) == []


async def test_a_payload_in_a_prompt_stays_quoted_data(memories):
    """Even one that somebody saved by hand: it can't close the block that quotes it."""
    for payload in PAYLOADS:
        await memories.erase(MALLORY)
        await memories.add(MALLORY, payload["text"])
        recalled = await memories.recall(MALLORY, payload["text"])
        [system, asked] = build_prompt("Be kind.", recalled, [], Message.user("hola"))
        assert payload["text"] in [each.text for each in recalled_memories(system.text) or []]
        assert system.text.startswith("Be kind.\n\n")
        assert (system.text.count("<memories>"), system.text.count("</memories>")) == (1, 1)
        assert asked.role == "user"
