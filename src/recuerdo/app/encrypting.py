"""Puts encryption between the databases and everything else, where there is a key."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from recuerdo.adapters.registry import Repositories, open_repositories
from recuerdo.core.errors import ConfigurationError, needing
from recuerdo.core.ports import Clock, DataKeyRepository
from recuerdo.history.history import utc_now

if TYPE_CHECKING:
    from recuerdo.encryption.ciphers import MasterKeys


@asynccontextmanager
async def open_encrypted(database: str, key: str | None, clock: Clock = utc_now) -> AsyncGenerator[Repositories]:
    """Open the database, whose texts are encrypted with data keys under this master key; without one they are not.

    Raises ConfigurationError for a key that doesn't fit, and for a database with encrypted texts without one, and what
    `open_repositories` does.
    """
    async with open_repositories(database) as repositories:
        yield await _encrypted(repositories, key, clock)


async def _encrypted(repositories: Repositories, key: str | None, clock: Clock) -> Repositories:
    if key is None:
        await _check_plain(repositories)
        return repositories
    if repositories.data_keys is None:
        raise ConfigurationError("This database keeps no data keys, so nothing can be encrypted in it. Unset the key.")
    masters = read_master_keys(key)
    from recuerdo.encryption.history import EncryptedHistory, EncryptedPassages, EncryptedThreads
    from recuerdo.encryption.keyring import ErasableKeys, Keyring
    from recuerdo.encryption.memories import EncryptedMemories

    keyring = Keyring(repositories.data_keys, masters, clock)
    await keyring.check()
    passages = repositories.passages
    return repositories._replace(
        history=EncryptedHistory(repositories.history, keyring),
        threads=EncryptedThreads(repositories.threads, keyring),
        memories=EncryptedMemories(repositories.memories, keyring),
        data_keys=ErasableKeys(repositories.data_keys, keyring),
        passages=passages and EncryptedPassages(passages, keyring),
    )


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


async def _check_plain(repositories: Repositories) -> None:
    if repositories.data_keys is not None and await repositories.data_keys.select(1):
        raise ConfigurationError(
            "This database has encrypted texts. Set RECUERDO_ENCRYPTION_KEY or RECUERDO_ENCRYPTION_KEY_FILE, or pass "
            "encryption_key to Recuerdo.open: the key that it was encrypted with."
        )
