"""Snapshots of threads in Redis: one hash a thread, and a lease beside it in the same slot."""

import os
from collections.abc import Sequence
from typing import Any

from redis.asyncio import RedisCluster

from recuerdo.adapters.redis import scripts
from recuerdo.adapters.redis.connection import Call, RedisCache, translated
from recuerdo.caching.history import MOST_RECORDS
from recuerdo.core.cache_ports import HistoryCache
from recuerdo.core.caches import CacheStatistics
from recuerdo.core.identifiers import digest, measured
from recuerdo.core.messages import Record, checksum_of
from recuerdo.core.scope import Scope
from recuerdo.core.threads import AppendedRecords, ChangedThreads, Head, Lease, Snapshot, Version

MESSAGES_TTL = 24 * 60 * 60.0
"""Seconds that an entry lives after its last change."""

LEASE_SECONDS = 5.0
"""How long one reader may take to read the database before another may try."""

ENTRIES = "recuerdo:*:messages"
"""A pattern that matches the keys of all entries."""

_LEASES = "recuerdo:*:lease"
_ANY = ""
_MARK = "recuerdo:verified"
_ARCHIVED = ord("1")
_CHECKSUM_BYTES = 4


class RedisHistory(HistoryCache):
    """The HistoryCache over Redis."""

    def __init__(self, cache: RedisCache, ttl: float = MESSAGES_TTL, lease: float = LEASE_SECONDS) -> None:
        self._cache = cache
        self._read, self._fill, self._append, self._purge, self._verify = (
            cache.script(scripts.load(name)) for name in ("read", "fill", "append", "purge", "verify")
        )
        self._ttl = int(ttl * 1000)
        self._lease = int(lease * 1000)

    async def read(self, scope: Scope, at_least: Version, wanted: int, head: Head | None = None) -> Snapshot | Lease:
        epoch, revision = (head.version.epoch, head.revision) if head else (_ANY, _ANY)
        token = os.urandom(16)
        arguments = (_owner(scope), epoch, revision, at_least.epoch, at_least.seq, wanted, token, self._lease)
        answer = await self._read.run(Call(_keys(scope), arguments))
        if answer[0] == b"hit":
            try:
                return _snapshot(answer[1:])
            except (ValueError, LookupError, TypeError):  # not what was written
                await self.purge([scope])
                return Lease(None)
        return Lease(token if answer[0] == b"lease" else None)

    async def fill(self, scope: Scope, lease: Lease, snapshot: Snapshot) -> bool:
        (epoch, seq), revision = snapshot.head
        first = seq - len(snapshot.records) + 1
        arguments = (
            *(lease.token or b"", self._ttl, _owner(scope), epoch, seq, revision, first),
            *(_pack_system(snapshot.system), *map(_pack, snapshot.records)),
        )
        return bool(await self._fill.run(Call(_keys(scope), arguments)))

    async def append(self, appended: Sequence[AppendedRecords]) -> None:
        await self._append.run_all([self._append_call(each) for each in appended])

    async def purge(self, scopes: Sequence[Scope]) -> None:
        await self._purge.run_all([Call(_keys(scope), ()) for scope in scopes])

    async def purge_all(self) -> None:
        """The leases go first: what was filled under one of them by then goes with the entries."""
        await self._cache.delete(_LEASES)
        await self._cache.delete(ENTRIES)

    async def verify(self, changed: ChangedThreads) -> int:
        calls = [
            Call(_keys(scope), (_owner(scope), *head.version, head.revision)) for scope, head in changed.heads.items()
        ]
        forgotten = sum(await self._verify.run_all(calls))
        await self._cache.set(_MARK, _with_checksum(changed.mark.encode()))
        return forgotten

    async def mark(self) -> str | None:
        """A mark that is not what was written counts as none: then all threads are verified anew."""
        mark = await self._cache.get(_MARK)
        try:
            return None if mark is None else _checked(mark).decode()
        except ValueError:
            return None

    def _append_call(self, change: AppendedRecords) -> Call:
        system = next((record for record in reversed(change.records) if record.is_system), None)
        revision = _ANY if change.revision is None else change.revision
        arguments = (
            *(_owner(change.scope), change.epoch, change.records[0].seq, MOST_RECORDS, self._ttl),
            *(_pack_system(system), revision, *map(_pack, change.records)),
        )
        return Call(_keys(change.scope), arguments)


def _keys(scope: Scope) -> tuple[str, str]:
    slot = digest(scope.tenant, scope.user, scope.thread)
    return f"recuerdo:{{{slot}}}:messages", f"recuerdo:{{{slot}}}:lease"


def _owner(scope: Scope) -> bytes:
    """The entry's owner, compared at every read, so that not even a collision of digests mixes threads up."""
    return measured(scope.tenant, scope.user, scope.thread)


def _pack(record: Record) -> bytes:
    return (b"1" if record.archived else b"0") + _with_checksum(record.body)


def _with_checksum(data: bytes) -> bytes:
    return checksum_of(data).to_bytes(_CHECKSUM_BYTES, "big") + data


def _checked(data: bytes) -> bytes:
    """The data after their checksum. Raises ValueError when they are not what was written."""
    content = data[_CHECKSUM_BYTES:]
    if _with_checksum(content) != data:
        raise ValueError("not what was written")
    return content


def _pack_system(system: Record | None) -> bytes:
    return b"%d:%b" % (system.seq, _pack(system)) if system else b""


def _snapshot(answer: list[Any]) -> Snapshot:
    """The snapshot of a hit. Raises ValueError, LookupError or TypeError for an entry that FILL has not written."""
    epoch, seq, revision, system, *packed = answer
    records = [_unpack(number, each) for number, each in enumerate(packed, seq - len(packed) + 1)]
    number, _, rest = system.partition(b":")
    return Snapshot(Head(Version(epoch, seq), revision), _unpack(int(number), rest) if system else None, records)


def _unpack(seq: int, packed: bytes) -> Record:
    return Record(seq, packed[0] == _ARCHIVED, _checked(packed[1:]))


_KEYS_AT_A_TIME = 1000


async def statistics(cache: RedisCache) -> CacheStatistics:
    """Counts of the server, or of all masters of a cluster. Goes through all keys. Raises CacheUnavailable."""
    with translated():
        nodes = await _information(cache)
        threads = 0
        async for _ in cache.client.scan_iter(match=ENTRIES, count=_KEYS_AT_A_TIME):
            threads += 1
    return CacheStatistics(
        threads=threads,
        used_bytes=_total(nodes, "used_memory"),
        most_bytes=_total(nodes, "maxmemory"),
        hits=_total(nodes, "keyspace_hits"),
        misses=_total(nodes, "keyspace_misses"),
        evicted=_total(nodes, "evicted_keys"),
        expired=_total(nodes, "expired_keys"),
        nodes=len(nodes),
    )


async def _information(cache: RedisCache) -> list[dict[str, Any]]:
    if isinstance(cache.client, RedisCluster):
        client: Any = cache.client
        return list((await client.info(target_nodes=RedisCluster.PRIMARIES)).values())
    return [await cache.client.info()]


def _total(nodes: list[dict[str, Any]], name: str) -> int:
    return sum(int(node.get(name, 0)) for node in nodes)
