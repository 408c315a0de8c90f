"""A client of one MongoDB database, and its collections."""

import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, suppress
from random import random
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from pymongo import AsyncMongoClient, ReadPreference, ReturnDocument
from pymongo.asynchronous.collection import AsyncCollection
from pymongo.errors import DuplicateKeyError, PyMongoError
from pymongo.read_concern import ReadConcern
from pymongo.write_concern import WriteConcern

from recuerdo.adapters.adaptive_timeout import AdaptiveTimeout
from recuerdo.adapters.mongodb.failures import speaking_recuerdo, translate
from recuerdo.adapters.mongodb.indexes import create_indexes
from recuerdo.core.errors import ConfigurationError, DatabaseUnavailable

DEFAULT_DATABASE = "recuerdo"

TIMEOUT_MS = 5000
"""How long one operation may take, retries and the search for a primary included."""

CONFLICT_SECONDS = 20.0
"""How long a write tries again when others change the same thread."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.002, 0.1
_EPOCH = {"_id": "epoch"}
_DURABLE = WriteConcern("majority", j=True)
_QUICK = WriteConcern(1)

Document = dict[str, Any]
Collection = AsyncCollection[Document]


class MongoDatabase:
    """The collections of one database. Writes wait for the journals of a majority; reads see only such writes."""

    def __init__(self, client: AsyncMongoClient[Document], name: str) -> None:
        self._client = client
        self.patience = AdaptiveTimeout()
        database = client.get_database(
            name, write_concern=_DURABLE, read_concern=ReadConcern("majority"), read_preference=ReadPreference.PRIMARY
        )
        self.threads: Collection = database["threads"]
        self.messages: Collection = database["messages"]
        self.spent_keys: Collection = database["spent_keys"]
        self.memories: Collection = database["memories"]
        self.memory_changes: Collection = database["memory_changes"]
        self.api_keys: Collection = database["api_keys"]
        self.sessions: Collection = database["sessions"]
        self.counters: Collection = database["counters"]
        self.threads_quickly: Collection = self.threads.with_options(write_concern=_QUICK)

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str, *, timeout_ms: int = TIMEOUT_MS) -> AsyncGenerator["MongoDatabase"]:
        """Connect, and make the indexes that are missing. The path of the URL names the database.

        `timeoutMS` in the URL overrules `timeout_ms`. Raises ConfigurationError for a URL or credentials that can't
        work, and DatabaseUnavailable.
        """
        client = new_client(url, timeout_ms)
        try:
            database = cls(client, client.get_default_database(DEFAULT_DATABASE).name)
            await database._prepare(url)
            yield database
        finally:
            await client.close()

    @speaking_recuerdo
    async def new_epochs(self, count: int) -> range:
        """Epochs that no thread ever had, greater than all before."""
        counter: Document | None = await self.counters.find_one_and_update(
            _EPOCH, {"$inc": {"value": count}}, return_document=ReturnDocument.AFTER
        )
        if counter is None:
            raise DatabaseUnavailable("The document `epoch` of the collection `counters` is gone. Restore a backup.")
        return range(counter["value"] - count + 1, counter["value"] + 1)

    async def _prepare(self, url: str) -> None:
        try:
            await create_indexes(self.threads.database)
            with suppress(DuplicateKeyError):  # another process makes it at this moment
                await self.counters.update_one(_EPOCH, {"$setOnInsert": {"value": 0}}, upsert=True)
        except PyMongoError as error:
            reason = translate(error)
            if not isinstance(reason, DatabaseUnavailable):
                raise reason from error
            raise DatabaseUnavailable(f"Can't open MongoDB at {_hosts(url)}. {reason}") from error


def pauses() -> Iterator[float]:
    """How long to wait before each next try, for as long as it makes sense to try."""
    end, longest = time.monotonic() + CONFLICT_SECONDS, _FIRST_PAUSE
    while time.monotonic() < end:
        yield random() * longest  # noqa: S311
        longest = min(longest * 2, _LONGEST_PAUSE)


def contended() -> DatabaseUnavailable:
    """What is raised when the pauses have ended."""
    return DatabaseUnavailable("Others change this thread all the time. Try again when there is less going on.")


def new_client(url: str, timeout_ms: int) -> AsyncMongoClient[Document]:
    """A client that connects when it is asked something. Raises ConfigurationError."""
    try:
        given = {name.lower() for name, _ in parse_qsl(urlsplit(url).query)}
        options: dict[str, Any] = {} if "timeoutms" in given else {"timeoutMS": timeout_ms}
        return AsyncMongoClient(url, tz_aware=True, **options)
    except (PyMongoError, ValueError):
        raise ConfigurationError(
            "The MongoDB URL can't be read. Write mongodb://user:password@host:27017/database, with %-escapes for the "
            "signs : / ? # [ ] @ in the user and the password."
        ) from None


def _hosts(url: str) -> str:
    return urlsplit(url).netloc.rpartition("@")[2]
