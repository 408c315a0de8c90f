"""Whatever bytes stand where Recuerdo reads, they are read, or refused by an error of Recuerdo's own.

RECUERDO_TEST_BYTES says how many byte strings each reader gets; `make soak` tries a million in all.
"""

import json
import os
import shutil
import zlib
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest
import redis.asyncio as redis
from hostile_bytes import hostile
from langchain_core.documents import Document as LangChainDocument
from langchain_core.messages import AIMessage, HumanMessage

from recuerdo import Message
from recuerdo.adapters.http.enrichment import _read as read_enrichment
from recuerdo.adapters.local import LocalDatabase, LocalMemories
from recuerdo.adapters.local.spool import FileSpool
from recuerdo.adapters.redis import RedisCache, RedisEntries, RedisEventLog, RedisHistory
from recuerdo.adapters.redis.entries import _keys as keys_of_entry
from recuerdo.adapters.redis.events import _stream as stream_of
from recuerdo.adapters.redis.history import _keys as keys_of_thread
from recuerdo.adapters.rows import chunk_of, from_microseconds, memory_change_of, memory_of
from recuerdo.caching.tiered import TieredCache, TypedCache
from recuerdo.checkpoints import outlines
from recuerdo.core import messages
from recuerdo.core.audit import AuditEntry, AuditPlace, read_entry, write_entry
from recuerdo.core.caches import CacheKey
from recuerdo.core.checkpoints import Segment, StoredCheckpoint, StoredWrite
from recuerdo.core.contexts import ExecutionContext
from recuerdo.core.documents import reader
from recuerdo.core.errors import RecuerdoError
from recuerdo.core.identifiers import new_id
from recuerdo.core.memories import Memory, Source, write_memory
from recuerdo.core.runs import AgentThread
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.threads import NOWHERE, Head, Lease, Snapshot, ThreadCursor, Version
from recuerdo.history.lines import check
from recuerdo.history.requests import prepare
from recuerdo.integrations.langchain.values import pack, unpack
from recuerdo.integrations.langgraph.codec import LangGraphCodec
from recuerdo.integrations.langgraph.strict import StrictSerializer
from recuerdo.library.reading import read as read_document
from recuerdo.memories.changes import MemoryChanges
from recuerdo.memories.transfer import save_lines
from recuerdo.server.auth.cookies import Seal
from recuerdo.server.auth.options import VisitorOptions
from recuerdo.server.auth.visitors import Visitors
from recuerdo.testing.clock import NOON, FakeClock

COUNT = int(os.environ.get("RECUERDO_TEST_BYTES", "300"))
SEED = int(os.environ.get("RECUERDO_TEST_SEED", "1"))
OWNER, SCOPE = Owner("acme", "emi"), Scope("acme", "emi", "t")

CODEC = LangGraphCodec(StrictSerializer())
MESSAGE = messages.encode(Message.user("Hola, ¿qué tal?", id="m", created_at=NOON, metadata={"a": [1, None]}))
MEMORY = Memory(
    id="m",
    owner=OWNER,
    kind="semantic",
    text="Se llama Emi",
    source=Source(author="user"),
    created_at=NOON,
    updated_at=NOON,
)
WRITTEN = (write_memory(MEMORY) or "").encode()
THREAD = msgspec.json.encode(AgentThread(thread_id="t", created_at=NOON, updated_at=NOON, state_updated_at=NOON))
AUDITED = write_entry(AuditEntry(id="e", at=NOON, tenant="acme", actor="emi", action="key.created"))
EXPORT = b"\n".join(
    [
        b'{"kind":"recuerdo","format":1}',
        b'{"kind":"thread","tenant":"acme","user":"emi","thread":"t","messages":1,'
        b'"created_at":"2026-11-21T12:00:00Z","updated_at":"2026-11-21T12:00:00Z"}',
        b'{"kind":"message","seq":1,' + MESSAGE[1:],
        b'{"kind":"end","threads":1,"messages":1}',
    ]
)
VALUES = [b"x", 1, {"a": [1.5, None]}, [HumanMessage("Hola"), AIMessage("Sí")], NOON, {"s": {1, 2}}]
PACKED = [CODEC.pack(value) for value in VALUES]
ENTRIES = [CODEC.packed(CODEC.entry(each)) for each in (HumanMessage("Hola", id="h"), AIMessage("Sí"), {"a": 1})]
OUTLINES = [outlines.Inline(PACKED[1]), outlines.Composite(b"f", [outlines.Shared(b"d" * 16)])]
BODY = outlines.PackedCheckpoint(b"rest", {"x": 1}, {"x": OUTLINES[0], "y": OUTLINES[1]})
TAGGED = [
    json.dumps(pack(each)).encode()
    for each in (b"x", NOON, timedelta(1), (1, {2}), {1: "a"}, LangChainDocument("text", metadata={"a": NOON}))
]
KEY = CacheKey("acme", "context", "t")
VISITORS = Visitors(VisitorOptions(("a key of thirty-two bytes, or more",)))
SEAL = Seal("a secret of thirty-two bytes, or more", "tests")


class Sealed(msgspec.Struct):
    """The content of the tests' cookies."""

    name: str


def memory_row(source: bytes, review: bytes | None, ending: bytes | None) -> Memory:
    row = [*("m", "semantic", None, None, "Se llama Emi", source, 1.0, 0, 0, "approved", review)]
    return memory_of(OWNER, [*row, None, None, ending, None, None, False], from_microseconds)


def checkpoint(body: bytes) -> object:
    found = StoredCheckpoint("", "c", "", "", body, body)
    return outlines.decode_body(found), outlines.decode_metadata(found)


def write(body: bytes) -> object:
    return outlines.decode_outline(StoredWrite("", "c", "t", 0, "", "x", body))


def text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda data: read(data.decode("utf-8", "replace"))


READERS: dict[str, tuple[Callable[[bytes], object], list[bytes]]] = {
    "an export of threads": (lambda data: check(data.splitlines(keepends=True)), [EXPORT]),
    "a message's row": (lambda data: messages.verified("t", 1, [(1, False, data, None)]), [MESSAGE]),
    "a document": (reader("thread", AgentThread), [THREAD]),
    "a memory's source": (lambda data: memory_row(data, None, None), [b'{"author":"user","thread":"t","seq":1}']),
    "a memory's review": (
        lambda data: memory_row(b'{"author":"user"}', data, None),
        [b'{"by":"ada","at":"2026-11-21T12:00:00Z"}'],
    ),
    "a memory's ending": (
        lambda data: memory_row(b'{"author":"user"}', None, data),
        [b'{"reason":"superseded","source":{"author":"user"}}'],
    ),
    "a change of memories": (
        lambda data: memory_change_of(OWNER, [(1, 0, "added", None, 0, None, data)], from_microseconds),
        [WRITTEN],
    ),
    "a chunk of a document": (
        lambda data: chunk_of(("d", data, None, None)),
        [b'{"number":1,"heading":"h","text":"x","start":0,"end":1}'],
    ),
    "an audit entry": (read_entry, [AUDITED]),
    "an agent of a service": (read_enrichment, [b'{"assistant_id":"a","version":1,"metadata":{"a":[1]}}']),
    "a checkpoint": (checkpoint, [outlines.encode(BODY)]),
    "a checkpoint of matching checksums": (lambda data: checkpoint(outlines.sealed(data)), [outlines.encode(BODY)[5:]]),
    "a write": (write, [outlines.encode(each) for each in OUTLINES]),
    "a write of a matching checksum": (
        lambda data: write(outlines.sealed(data)),
        [outlines.encode(each)[5:] for each in OUTLINES],
    ),
    "a log of checkpoints": (
        lambda data: outlines.decode_segment("t", Segment("l", 0, 3, outlines.sealed(data)), CODEC.entries),
        [b"".join(ENTRIES)],
    ),
    "a value of a checkpoint": (CODEC.unpack, PACKED),
    "a value of LangChain's": (lambda data: unpacked(data), TAGGED),
    "a page's cursor": (text(ThreadCursor.parse), [str(ThreadCursor(NOON, "t")).encode()]),
    "a version": (text(Version.parse), [b"7.42"]),
    "a place in the audit log": (text(AuditPlace.parse), [b"1700000000000000.e"]),
    "a visitor's token": (text(lambda token: VISITORS.read(token, "acme")), [VISITORS.issue(OWNER).encode()]),
    "a cookie": (text(lambda cookie: SEAL.open(cookie, Sealed)), [SEAL.close(Sealed("emi")).encode()]),
    "a text": (lambda data: read_document("a.txt", data), [b"Hola"]),
    "a page of Markdown": (lambda data: read_document("a.md", data), [b"# Hola\n\n```\nx\n```\n- a\n"]),
    "a page of HTML": (lambda data: read_document("a.html", data), [b"<title>a</title><p>b&amp;<!-- c --><script>d"]),
}


def unpacked(data: bytes) -> object:
    """JSON that a message's metadata may be."""
    try:
        value = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    try:
        return unpack(value)
    except ValueError:  # what it says it raises
        return None


@pytest.mark.parametrize("name", READERS)
def test_a_reader_refuses_what_it_can_not_read(name: str) -> None:
    read, samples = READERS[name]
    for sample in samples:
        read(sample)
    for data in hostile(samples, COUNT, SEED):
        try:
            read(data)
        except RecuerdoError:
            continue
        except Exception as error:
            raise AssertionError(f"{type(error).__name__} for {data[:300]!r}") from error


async def test_an_import_of_memories_refuses_what_it_can_not_read() -> None:
    memories = LocalMemories(LocalDatabase())
    changes = MemoryChanges(memories, FakeClock())
    for data in hostile([WRITTEN], COUNT, SEED):
        with suppress(RecuerdoError):
            await save_lines(memories, changes, OWNER, lines_in(data))


async def lines_in(data: bytes) -> AsyncGenerator[bytes]:
    for line in data.splitlines():
        yield line


async def test_what_stands_in_a_spool_is_read_or_refused_by_name(tmp_path: Path) -> None:
    """Also behind a matching checksum, which another version may have written."""
    async with FileSpool.open(tmp_path / "written") as spool:
        await spool.put(prepare(SCOPE, [Message.user("Hola")], NOON))
        [written] = [file.read_bytes().rstrip(b"\0") for file in (tmp_path / "written").glob("*.log")]
    frame = written[8:]
    for number, data in enumerate(hostile([written, frame], min(COUNT, 20_000), SEED)):
        folder = tmp_path / "spool"
        folder.mkdir()
        framed = len(data).to_bytes(4, "big") + zlib.crc32(data).to_bytes(4, "big") + data
        (folder / "00000001.log").write_bytes(framed if number % 2 else data)
        (folder / "progress").write_bytes(data[:16] if number % 7 == 0 else b"")
        (folder / data[:4].hex()).with_suffix(".log").write_bytes(data if number % 5 == 0 else b"")
        with suppress(RecuerdoError):
            async with FileSpool.open(folder):
                pass
        shutil.rmtree(folder)


async def test_what_stands_in_redis_is_read_or_counts_as_absent(redis_url: str) -> None:
    """A thread is never answered with what was not written for it."""
    async with RedisCache.open(redis_url) as cache, aclosing(redis.Redis.from_url(redis_url)) as raw:
        history, entries, log = RedisHistory(cache), RedisEntries(cache), RedisEventLog(cache)
        contexts = TypedCache(TieredCache(entries), ExecutionContext)
        record = messages.Record(1, False, MESSAGE)
        snapshot = Snapshot(Head(Version(1, 1), 0), None, [record])
        scope = Scope("acme", "emi", new_id())  # others share this Redis
        lease = await history.read(scope, NOWHERE, 10)
        assert isinstance(lease, Lease)
        assert await history.fill(scope, lease, snapshot)
        assert await history.read(scope, NOWHERE, 10) == snapshot
        thread, _ = keys_of_thread(scope)
        whole = await raw.hgetall(thread)
        entry, stream = keys_of_entry(KEY)[0], stream_of("r")
        for number, data in enumerate(hostile([*whole.values(), b"{}"], COUNT, SEED)):
            field = [*whole][number % len(whole)]
            await raw.hset(thread, mapping={**whole, field: data})
            with suppress(RecuerdoError):
                found = await history.read(scope, NOWHERE, 10)
                assert isinstance(found, Lease) or found.records in ([record], []) or field != b"1", data
            await entries.write(KEY, (data, data))
            with suppress(RecuerdoError):
                await contexts.get(KEY)
            if number % 2:
                await raw.lset(entry, 0, data)
                with suppress(RecuerdoError):
                    await contexts.get(KEY)
            await raw.xadd(stream, {b"name": data, data or b"x": data}, maxlen=1)
            with suppress(RecuerdoError):
                await log.read("r", "", 0.001)
            await raw.delete(thread, stream, entry)
