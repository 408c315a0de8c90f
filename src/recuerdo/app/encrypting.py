"""Puts encryption between the databases and everything else, where there is a key."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple

from recuerdo.adapters.registry import POOL_SIZE, Repositories, open_repositories
from recuerdo.core.cache_ports import HistoryCache
from recuerdo.core.encryption_ports import DataKeyRepository, TextRepository
from recuerdo.core.errors import ConfigurationError, needing
from recuerdo.core.graph_ports import EventLog
from recuerdo.core.ports import Clock, LogPurge, Spool
from recuerdo.history.history import utc_now

if TYPE_CHECKING:
    from recuerdo.encryption.ciphers import MasterKeys
    from recuerdo.encryption.keyring import Keyring


@asynccontextmanager
async def open_encrypted(
    database: str, key: str | None, clock: Clock = utc_now, pool_size: int = POOL_SIZE, read_url: str | None = None
) -> AsyncGenerator[tuple[Repositories, "TextsAtRest"]]:
    """Open the database, and what encrypts copies of its texts elsewhere.

    Texts are encrypted with data keys under this master key; without one they are not.

    Raises ConfigurationError for a key that doesn't fit, and for a database with encrypted texts without one, and what
    `open_repositories` does.
    """
    async with open_repositories(database, pool_size=pool_size, read_url=read_url) as repositories:
        if key is None:
            await _check_plain(repositories)
            yield repositories, TextsAtRest()
        else:
            yield await _encrypted(repositories, key, clock)


class TextsAtRest:
    """Leaves the copies of texts outside the database as they are."""

    def history_cache(self, cache: HistoryCache) -> HistoryCache:
        """The shared cache, unchanged."""
        return cache

    def spool(self, spool: Spool) -> Spool:
        """The spool, unchanged."""
        return spool

    def event_log(self, log: EventLog) -> EventLog:
        """The event log, unchanged."""
        return log


async def _encrypted(repositories: Repositories, key: str, clock: Clock) -> tuple[Repositories, TextsAtRest]:
    if repositories.data_keys is None:
        raise ConfigurationError("This database keeps no data keys, so nothing can be encrypted in it. Unset the key.")
    masters = read_master_keys(key)
    from recuerdo.encryption.caches import EncryptedEventLog, EncryptedHistoryCache, EncryptedSpool
    from recuerdo.encryption.graphs import EncryptedCheckpoints, EncryptedDocuments
    from recuerdo.encryption.history import EncryptedHistory, EncryptedPassages, EncryptedThreads
    from recuerdo.encryption.keyring import ErasableKeys, Keyring
    from recuerdo.encryption.memories import EncryptedMemories

    keyring = Keyring(repositories.data_keys, masters, clock)
    await keyring.check()

    class EncryptedTextsAtRest(TextsAtRest):
        def history_cache(self, cache: HistoryCache) -> HistoryCache:
            return EncryptedHistoryCache(cache, keyring)

        def spool(self, spool: Spool) -> Spool:
            return EncryptedSpool(spool, keyring)

        def event_log(self, log: EventLog) -> EventLog:
            return EncryptedEventLog(log, keyring)

    checkpoints, documents, passages = repositories.checkpoints, repositories.documents, repositories.passages
    replica = repositories.replica
    encrypted = repositories._replace(
        history=EncryptedHistory(repositories.history, keyring),
        threads=EncryptedThreads(repositories.threads, keyring),
        memories=EncryptedMemories(repositories.memories, keyring),
        data_keys=ErasableKeys(repositories.data_keys, keyring),
        checkpoints=checkpoints and EncryptedCheckpoints(checkpoints, keyring),
        documents=documents and EncryptedDocuments(documents, keyring),
        passages=passages and EncryptedPassages(passages, keyring),
        replica=replica and EncryptedHistory(replica, keyring),
    )
    return encrypted, EncryptedTextsAtRest()


def read_master_keys(text: str) -> "MasterKeys":
    """The master keys of a setting. Raises ConfigurationError and MissingExtra."""
    with needing("Encryption", "encryption"):
        from recuerdo.encryption.ciphers import MasterKeys
    return MasterKeys.read(text)


@asynccontextmanager
async def open_data_keys(database: str) -> AsyncGenerator[DataKeyRepository]:
    """Open the database's data keys, whatever wraps them. Raises ConfigurationError if it stores none."""
    async with open_repositories(database) as repositories:
        if repositories.data_keys is None:
            raise ConfigurationError("This database keeps no data keys, so nothing can be encrypted in it.")
        yield repositories.data_keys


class ExistingTexts(NamedTuple):
    """All texts of a database, and the keys to encrypt those that are there already."""

    texts: TextRepository
    keyring: "Keyring"
    purge: LogPurge | None

    async def tenants(self, tenant: str | None) -> list[str]:
        """This tenant, or all."""
        return [tenant] if tenant is not None else await self.texts.tenants()

    async def forget_plain(self) -> bool:
        """Purge replaced texts from the database's own log. False while other processes use it."""
        return self.purge is None or await self.purge.run()


@asynccontextmanager
async def open_existing_texts(database: str, key: str | None) -> AsyncGenerator[ExistingTexts]:
    """Open the database to encrypt the texts that are in it. Raises ConfigurationError without a key that fits."""
    if key is None:
        raise ConfigurationError("Set RECUERDO_ENCRYPTION_KEY or RECUERDO_ENCRYPTION_KEY_FILE: nothing is encrypted.")
    async with open_repositories(database) as repositories:
        if repositories.data_keys is None or repositories.texts is None:
            raise ConfigurationError("Texts of this database can't be encrypted where they are.")
        masters = read_master_keys(key)
        from recuerdo.encryption.keyring import Keyring

        keyring = Keyring(repositories.data_keys, masters, utc_now)
        await keyring.check()
        yield ExistingTexts(repositories.texts, keyring, repositories.purge)


async def _check_plain(repositories: Repositories) -> None:
    if repositories.data_keys is not None and await repositories.data_keys.select(1):
        raise ConfigurationError(
            "This database has encrypted texts. Set RECUERDO_ENCRYPTION_KEY or RECUERDO_ENCRYPTION_KEY_FILE, or pass "
            "encryption_key to Recuerdo.open: the key that it was encrypted with."
        )
