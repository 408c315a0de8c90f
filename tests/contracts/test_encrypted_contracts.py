"""The contracts over databases whose texts are encrypted: nothing but what is stored differs."""

from urllib.parse import urlsplit

import pytest

from recuerdo.adapters import local, mongodb, postgres, sqlite
from recuerdo.encryption.ciphers import MasterKeys, new_master_key
from recuerdo.encryption.graphs import EncryptedCheckpoints
from recuerdo.encryption.history import EncryptedHistory, EncryptedPassages, EncryptedThreads
from recuerdo.encryption.keyring import Keyring
from recuerdo.encryption.memories import EncryptedMemories
from recuerdo.history.history import utc_now
from recuerdo.testing import (
    CheckpointContract,
    DataKeyContract,
    HistoryContract,
    MemoryContract,
    PassageContract,
    ThreadContract,
)
from recuerdo.testing.contracts.appends import ContentContract, RetryContract
from recuerdo.testing.contracts.memories import StoreContract
from recuerdo.testing.contracts.pages import TailContract
from recuerdo.testing.contracts.threads import ListContract


@pytest.fixture
def keyring(data_keys):
    return Keyring(data_keys, MasterKeys.read(new_master_key()), utc_now)


class OverSqlite:
    @pytest.fixture
    def database(self, sqlite_database):
        return sqlite_database

    @pytest.fixture
    def data_keys(self, database):
        return sqlite.SqliteDataKeys(database)

    @pytest.fixture
    def history(self, database, keyring):
        return EncryptedHistory(sqlite.SqliteHistory(database), keyring)

    @pytest.fixture
    def threads(self, database, keyring):
        return EncryptedThreads(sqlite.SqliteThreads(database), keyring)

    @pytest.fixture
    def passages(self, database, keyring):
        return EncryptedPassages(sqlite.SqlitePassages(database), keyring)

    @pytest.fixture
    def memories(self, database, keyring):
        return EncryptedMemories(sqlite.SqliteMemories(database), keyring)

    @pytest.fixture
    def checkpoints(self, database, keyring):
        return EncryptedCheckpoints(sqlite.SqliteCheckpoints(database), keyring)


class OverPostgres:
    @pytest.fixture
    def database(self, encrypted_postgres_database):
        return encrypted_postgres_database

    @pytest.fixture
    def data_keys(self, database):
        return postgres.PostgresDataKeys(database)

    @pytest.fixture
    def history(self, database, keyring):
        return EncryptedHistory(postgres.PostgresHistory(database), keyring)

    @pytest.fixture
    def threads(self, database, keyring):
        return EncryptedThreads(postgres.PostgresThreads(database), keyring)

    @pytest.fixture
    def passages(self, database, keyring):
        return EncryptedPassages(postgres.PostgresPassages(database), keyring)

    @pytest.fixture
    def memories(self, database, keyring):
        return EncryptedMemories(postgres.PostgresMemories(database), keyring)

    @pytest.fixture
    def checkpoints(self, database, keyring):
        return EncryptedCheckpoints(postgres.PostgresCheckpoints(database), keyring)


class TestEncryptedSqliteHistory(OverSqlite, HistoryContract):
    """See HistoryContract."""


class TestEncryptedSqliteThreads(OverSqlite, ThreadContract):
    """See ThreadContract."""


class TestEncryptedSqlitePassages(OverSqlite, PassageContract):
    """See PassageContract."""


class TestEncryptedSqliteMemories(OverSqlite, MemoryContract):
    """See MemoryContract."""


class TestEncryptedSqliteCheckpoints(OverSqlite, CheckpointContract):
    """See CheckpointContract."""


class TestSqliteDataKeys(OverSqlite, DataKeyContract):
    """See DataKeyContract."""


class TestEncryptedPostgresHistory(OverPostgres, RetryContract, ContentContract, TailContract):
    """Sealed messages and fingerprints fit the columns of PostgreSQL; SQLite proves the rest."""


class TestEncryptedPostgresThreads(OverPostgres, ListContract):
    """Sealed titles fit the columns of PostgreSQL."""


class TestEncryptedPostgresPassages(OverPostgres, PassageContract):
    """See PassageContract."""


class TestEncryptedPostgresMemories(OverPostgres, StoreContract):
    """Sealed texts, values and vectors fit the columns of PostgreSQL."""


class TestEncryptedPostgresCheckpoints(OverPostgres, CheckpointContract):
    """See CheckpointContract."""


class TestPostgresDataKeys(OverPostgres, DataKeyContract):
    """See DataKeyContract."""


class TestLocalDataKeys(DataKeyContract):
    """See DataKeyContract."""

    @pytest.fixture
    def data_keys(self):
        return local.LocalDataKeys(local.LocalDatabase())


class TestMongoDataKeys(DataKeyContract):
    """See DataKeyContract."""

    @pytest.fixture
    async def data_keys(self, mongodb_url):
        own = urlsplit(mongodb_url)._replace(path="/recuerdo_encrypted").geturl()  # others open theirs without a key
        async with mongodb.MongoDatabase.open(own) as database:
            yield mongodb.MongoDataKeys(database)
