"""Operators' tasks, over the same adapters as in `wiring` but without a model."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from recuerdo.actions import Actions, Worker
from recuerdo.adapters import registry
from recuerdo.adapters.local.access import LocalSessions
from recuerdo.adapters.local.connection import LocalDatabase
from recuerdo.adapters.local.documents import LocalDocuments
from recuerdo.adapters.registry import (
    Repositories,
    open_cache_tier,
    open_history_cache,
    open_repositories,
    open_shared_cache,
)
from recuerdo.adapters.repositories import stores_no
from recuerdo.adapters.run_events import open_run_events
from recuerdo.adapters.signals import LocalSignals
from recuerdo.adapters.sqlite import backups
from recuerdo.adapters.sqlite.backups import BackupCounts
from recuerdo.app.encrypting import open_encrypted
from recuerdo.app.erasing import ListedUsers, tenant_data
from recuerdo.app.maintenance import Maintenance, forgetting, removals
from recuerdo.audit import AuditLog
from recuerdo.caching.history import CachedHistory, CachedThreads, HistoryTiers, LocalTier
from recuerdo.checkpoints.damage import CheckpointCheck
from recuerdo.contexts.references import prefix_of
from recuerdo.contexts.sessions import Sessions
from recuerdo.core.audit import AuditAction
from recuerdo.core.caches import CacheStatistics
from recuerdo.core.ports import ApiKeyRepository, MemoryRepository, ThreadRepository
from recuerdo.history import History
from recuerdo.history.bulk_import import BulkImporter
from recuerdo.history.caches import CacheRebuild
from recuerdo.history.damage import DamageCheck
from recuerdo.history.history import utc_now
from recuerdo.history.message_fields import MessageFields
from recuerdo.history.retention import Retention
from recuerdo.history.transfer import Transfer
from recuerdo.memories import Memories
from recuerdo.memories.damage import MemoryCheck
from recuerdo.memories.erase import Eraser
from recuerdo.memories.erasures import Erasures

pending = registry.pending
faults = registry.faults
upgrade = registry.upgrade
open_source = registry.open_source
SYSTEMS = registry.SYSTEMS


def back_up(url: str, target: Path) -> BackupCounts:
    """Copy the SQLite database to a new file; see `adapters.sqlite.backups`. Raises ConfigurationError for others."""
    return backups.back_up(registry.file_of(url), target)


def restore(backup: Path, url: str, *, replace: bool) -> BackupCounts:
    """Put the backup in the place of the SQLite database; see `adapters.sqlite.backups`."""
    return backups.restore(backup, registry.file_of(url), replace=replace)


class Operations(NamedTuple):
    """Open services for operators."""

    history: History
    threads: ThreadRepository
    transfer: Transfer
    importer: BulkImporter
    retention: Retention
    memories: Memories
    holdings: MemoryRepository
    maintenance: Maintenance
    erasures: Erasures


class DamageChecks(NamedTuple):
    """Checks for damage: of messages, of memories, and of checkpoints where the database keeps some."""

    messages: DamageCheck
    memories: MemoryCheck
    checkpoints: CheckpointCheck | None


@asynccontextmanager
async def open_operations(
    database: str, *, cache: str | None = None, encryption_key: str | None = None, message_fields: Sequence[str] = ()
) -> AsyncGenerator[Operations]:
    """Open the database, and the shared cache, which must be updated too; see Recuerdo.open for all arguments."""
    async with AsyncExitStack() as stack:
        repositories, at_rest = await stack.enter_async_context(open_encrypted(database, encryption_key))
        shared = await stack.enter_async_context(open_history_cache(cache))
        tier = await stack.enter_async_context(open_cache_tier(cache))
        events = await stack.enter_async_context(open_run_events(cache, at_rest.event_log))
        tiers = HistoryTiers(LocalTier(0), None if shared is None else at_rest.history_cache(shared))
        messages, threads = CachedHistory(repositories.history, tiers), CachedThreads(repositories.threads, tiers)
        checkpoints = repositories.checkpoints
        stored_sessions = repositories.sessions or LocalSessions(LocalDatabase())
        sessions = Sessions(stored_sessions, tier, utc_now, shared=cache is not None)
        memories = Memories(
            repositories.memories,
            None,
            utc_now,
            Eraser(
                repositories.memories,
                utc_now,
                threads,
                checkpoints,
                others={
                    **removals(repositories.documents, repositories.items, repositories.api_keys, sessions.erase),
                    "contexts": lambda owner: tier.remove(owner.tenant, prefix_of(owner.user)),
                },
                seal=events.seal,
                purge=repositories.purge,
                overlaps=repositories.works_on_several,
            ),
        )
        summaries = memories.summaries(messages, None)
        tiers.erased = forgetting(summaries.forget, events, repositories, utc_now)
        documents = repositories.documents or LocalDocuments(LocalDatabase(), LocalSignals())
        users = repositories.users or ListedUsers(repositories)
        erasures = Erasures(documents, memories, users, tenant_data(repositories), utc_now)
        stack.push_async_callback(erasures.aclose)
        yield Operations(
            History(messages, threads, utc_now),
            threads,
            Transfer(messages, threads),
            BulkImporter(messages, threads, utc_now, MessageFields(message_fields)),
            Retention(messages, threads, utc_now, checkpoints, overlaps=repositories.works_on_several),
            memories,
            repositories.memories,
            Maintenance(
                *(messages, threads, checkpoints, repositories.memories, memories.expiry, utc_now),
                overlaps=repositories.works_on_several,
            ),
            erasures,
        )


@asynccontextmanager
async def open_damage_check(database: str, *, encryption_key: str | None = None) -> AsyncGenerator[DamageChecks]:
    """Open the database to check all that it holds, bypassing every cache."""
    async with open_encrypted(database, encryption_key) as (repositories, _):
        checkpoints = CheckpointCheck(repositories.checkpoints) if repositories.checkpoints is not None else None
        messages = DamageCheck(repositories.history, repositories.threads)
        yield DamageChecks(messages, MemoryCheck(repositories.memories), checkpoints)


@asynccontextmanager
async def open_rebuild(database: str, cache: str, *, encryption_key: str | None = None) -> AsyncGenerator[CacheRebuild]:
    """Open the database and the shared cache, which must be available."""
    async with open_encrypted(database, encryption_key) as (repositories, at_rest), open_shared_cache(cache) as opened:
        yield CacheRebuild(repositories.history, repositories.threads, at_rest.history_cache(opened.history))


async def cache_statistics(cache: str) -> CacheStatistics:
    """Statistics of the shared cache. Raises ConfigurationError, MissingExtra or CacheUnavailable."""
    async with open_shared_cache(cache) as opened:
        return await opened.statistics()


class RecordedKeys(NamedTuple):
    """API keys, and the audit log in which the command line records their changes."""

    keys: ApiKeyRepository
    audit: AuditLog

    def record(self, action: AuditAction, tenant: str, key: str, **details: str) -> None:
        """Record the change of the key."""
        self.audit.record_command(action, tenant, key, **details)


@asynccontextmanager
async def open_api_keys(database: str) -> AsyncGenerator[RecordedKeys]:
    """Open the database's API keys. Raises ConfigurationError if it stores none."""
    async with open_repositories(database) as repositories:
        if repositories.api_keys is None:
            raise stores_no("API keys")
        async with _audit_of(repositories) as audit:
            yield RecordedKeys(repositories.api_keys, audit)


@asynccontextmanager
async def open_audit(database: str) -> AsyncGenerator[AuditLog]:
    """Open the database's audit log."""
    async with open_repositories(database) as repositories, _audit_of(repositories) as audit:
        yield audit


@asynccontextmanager
async def _audit_of(repositories: Repositories) -> AsyncGenerator[AuditLog]:
    audit = AuditLog(repositories.audit, utc_now)
    try:
        yield audit
    finally:
        await audit.aclose()


@asynccontextmanager
async def open_actions(database: str, *, encryption_key: str | None = None) -> AsyncGenerator[Actions]:
    """Open the actions. Raises ConfigurationError if the database stores none."""
    async with open_encrypted(database, encryption_key) as (repositories, _):
        if repositories.documents is None:
            raise stores_no("actions")
        signals = repositories.signals or LocalSignals()
        yield Actions(repositories.documents, Worker(repositories.documents, signals, utc_now), utc_now)
