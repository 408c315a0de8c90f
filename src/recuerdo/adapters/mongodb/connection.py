"""A client of one MongoDB database, its collections, and its failures in Recuerdo's words."""

from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from functools import wraps
from types import CoroutineType
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar
from urllib.parse import parse_qsl, urlsplit

import pymongo
from bson.errors import InvalidDocument
from pymongo import AsyncMongoClient, ReadPreference, ReturnDocument
from pymongo.errors import (
    BulkWriteError,
    ConnectionFailure,
    DuplicateKeyError,
    InvalidOperation,
    NetworkTimeout,
    OperationFailure,
    PyMongoError,
    ServerSelectionTimeoutError,
    WaitQueueTimeoutError,
    WriteConcernError,
)
from pymongo.read_concern import ReadConcern
from pymongo.write_concern import WriteConcern

from recuerdo.adapters.mongodb.indexes import INDEXES, create_indexes
from recuerdo.adapters.mongodb.transactions import DUPLICATE_KEY, DURABLE, Collection, Document, Transactions
from recuerdo.concurrency.breaker import AdaptiveTimeout
from recuerdo.core.errors import ConfigurationError, DatabaseUnavailable, InvalidInput, OutcomeUnknown, RecuerdoError
from recuerdo.core.items import StoreScope
from recuerdo.core.scope import Owner

_BAD_CREDENTIALS = {18, 8000}
_NO_PERMISSION = {13}
_TOO_LARGE = {10334, 17419, 17420}
_TIMED_OUT = {50, 262}


class HasTimeout(Protocol):
    """An object whose methods call the database within this timeout."""

    @property
    def timeout(self) -> AdaptiveTimeout: ...


S = TypeVar("S", bound=HasTimeout)
P = ParamSpec("P")
T = TypeVar("T")


def too_large(field: str) -> InvalidInput:
    """The error for something that no document of MongoDB can hold."""
    return InvalidInput(field, "too large: MongoDB holds at most 16 MB in one document. Send it in several parts.")


def translated(
    method: Callable[Concatenate[S, P], Coroutine[Any, Any, T]],
) -> "Callable[Concatenate[S, P], CoroutineType[Any, Any, T]]":
    """The method within the timeout of its database, with Recuerdo's errors for those of the driver."""

    @wraps(method)
    async def wrapped(self: S, *args: P.args, **kwargs: P.kwargs) -> T:
        timeout = self.timeout
        seconds = timeout.seconds
        try:
            with pymongo.timeout(seconds) if timeout.is_suspect else nullcontext():
                result = await method(self, *args, **kwargs)
        except (PyMongoError, InvalidDocument) as error:
            if getattr(error, "timeout", False):
                timeout.lost()
            raise translate(error) from error
        except OutcomeUnknown as error:
            timeout.is_suspect |= getattr(error.__cause__, "timeout", False)
            raise
        timeout.answered()
        return result

    return wrapped


@contextmanager
def writing(*, is_begun: bool = False) -> Generator[None]:
    """Raise OutcomeUnknown for errors that may have come after a write; all may with one that `is_begun`."""
    try:
        yield
    except (PyMongoError, InvalidDocument) as error:
        if is_begun or _may_be_done(error):
            raise OutcomeUnknown(str(translate(error))) from error
        raise


def translated_write(
    method: Callable[Concatenate[S, P], Coroutine[Any, Any, T]],
) -> "Callable[Concatenate[S, P], CoroutineType[Any, Any, T]]":
    """As `translated`, for a method that is one write."""

    @translated
    @wraps(method)
    async def wrapped(self: S, *args: P.args, **kwargs: P.kwargs) -> T:
        with writing():
            return await method(self, *args, **kwargs)

    return wrapped


def _may_be_done(error: Exception) -> bool:
    """Whether the write was sent, and is not known to have been refused."""
    if isinstance(error, ServerSelectionTimeoutError | WaitQueueTimeoutError):
        return False
    if isinstance(error, BulkWriteError):
        return not error.details["writeErrors"]
    return isinstance(error, ConnectionFailure | WriteConcernError) or getattr(error, "timeout", False)


def translate(error: PyMongoError | InvalidDocument) -> RecuerdoError:
    """DatabaseUnavailable for what MongoDB can't do now, and other errors for what it never will."""
    code = _code(error)
    if isinstance(error, InvalidDocument) or code in _TOO_LARGE:
        return too_large("document")
    if code in _BAD_CREDENTIALS:
        return ConfigurationError(
            "MongoDB refuses the credentials. Check the user, the password and authSource in the database URL."
        )
    if code in _NO_PERMISSION:
        return ConfigurationError("MongoDB does not let this user in. Give it the role readWrite on the database.")
    return DatabaseUnavailable(_problem(error, code))


def _code(error: Exception) -> int | None:
    if isinstance(error, BulkWriteError):
        failures: list[dict[str, Any]] = error.details["writeErrors"] or error.details["writeConcernErrors"]
        return failures[0].get("code") if failures else None
    return error.code if isinstance(error, OperationFailure) else None


def _problem(error: Exception, code: int | None) -> str:
    if isinstance(error, ServerSelectionTimeoutError):
        return "MongoDB can't be reached, or has no primary now. Check the hosts in the database URL and the servers."
    if isinstance(error, InvalidOperation):
        return "The database is closed. Use Recuerdo inside its `async with` block."
    if isinstance(error, WriteConcernError) or (isinstance(error, BulkWriteError) and not error.details["writeErrors"]):
        return "A majority of MongoDB's members does not confirm the write. Check that they run and keep up."
    if isinstance(error, NetworkTimeout) or code in _TIMED_OUT or getattr(error, "timeout", False):
        return "MongoDB does not answer in time. Check its load, or raise timeoutMS in the database URL."
    if isinstance(error, ConnectionFailure):
        return "The connection to MongoDB broke. Check the servers."
    return f"MongoDB says no ({type(error).__name__}, code {code}). Look into the server's log."


def raise_unless_duplicates(error: BulkWriteError) -> None:
    """Raise the error again unless all that went wrong is that something was there already."""
    failures: list[dict[str, Any]] = error.details["writeErrors"]
    if error.details["writeConcernErrors"] or any(failure["code"] != DUPLICATE_KEY for failure in failures):
        raise error


DEFAULT_DATABASE = "recuerdo"

TIMEOUT_MS = 5000
"""How long one operation may take, retries and the search for a primary included."""

_EPOCH: Document = {"_id": "epoch"}
_CHECKPOINT_KEY: Document = {"_id": "checkpoints"}
_QUICK = WriteConcern(1)
_LATEST = ReadConcern("local")


class MongoDatabase:
    """The collections of one database. Writes wait for the journals of a majority; reads see only such writes."""

    def __init__(self, client: AsyncMongoClient[Document], name: str, transactions: Transactions) -> None:
        self.transactions = transactions
        self.timeout = AdaptiveTimeout()
        database = client.get_database(
            name, write_concern=DURABLE, read_concern=ReadConcern("majority"), read_preference=ReadPreference.PRIMARY
        )
        self.threads: Collection = database["threads"]
        self.messages: Collection = database["messages"]
        self.spent_keys: Collection = database["spent_keys"]
        self.memories: Collection = database["memories"]
        self.memory_changes: Collection = database["memory_changes"]
        self.api_keys: Collection = database["api_keys"]
        self.data_keys: Collection = database["data_keys"]
        self.sessions: Collection = database["sessions"]
        self.audit: Collection = database["audit"]
        self.documents: Collection = database["documents"]
        self.document_groups: Collection = database["document_groups"]
        self.checkpoint_threads: Collection = database["checkpoint_threads"]
        self.checkpoints: Collection = database["checkpoints"]
        self.checkpoint_writes: Collection = database["checkpoint_writes"]
        self.checkpoint_segments: Collection = database["checkpoint_segments"]
        self.checkpoint_values: Collection = database["checkpoint_values"]
        self.store_items: Collection = database["store_items"]
        self.store_owners: Collection = database["store_owners"]
        self.library_documents: Collection = database["library_documents"]
        self.document_chunks: Collection = database["document_chunks"]
        self.library_versions: Collection = database["library_versions"]
        self.counters: Collection = database["counters"]
        self.signals: Collection = database["signals"].with_options(write_concern=_QUICK)
        self.threads_quickly: Collection = self.threads.with_options(write_concern=_QUICK)
        self.threads_lately: Collection = self.threads.with_options(read_concern=_LATEST)
        self.messages_lately: Collection = self.messages.with_options(read_concern=_LATEST)
        """As the primary has them now, for those whose own write is refused, or undone, with what it builds on."""

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str, *, timeout_ms: int = TIMEOUT_MS) -> AsyncGenerator["MongoDatabase"]:
        """Connect, and make the indexes that are missing. The path of the URL names the database.

        `timeoutMS` in the URL overrules `timeout_ms`. Raises ConfigurationError for a URL or credentials that can't
        work, and DatabaseUnavailable.
        """
        client = new_client(url, timeout_ms)
        try:
            name = client.get_default_database(DEFAULT_DATABASE).name
            with _opening(url):
                server = await client.admin.command("hello")
                is_several = "setName" in server or server.get("msg") == "isdbgrid"
                database = cls(
                    client, name, Transactions(client, are_there=is_several, wire_version=server["maxWireVersion"])
                )
                await database._prepare()
            yield database
        finally:
            await client.close()

    @translated
    async def new_epochs(self, count: int) -> range:
        """Epochs that no thread ever had, greater than all before."""
        return await self._counted(_EPOCH, count)

    @translated
    async def new_checkpoint_key(self) -> int:
        """A key of checkpoints that no thread ever had."""
        return (await self._counted(_CHECKPOINT_KEY, 1))[0]

    async def now(self) -> datetime:
        """The time by the server's clock."""
        return await _time_at(self.threads.database.client)

    async def _counted(self, which: Document, count: int) -> range:
        counter: Document | None = await self.counters.find_one_and_update(
            which, {"$inc": {"value": count}}, return_document=ReturnDocument.AFTER
        )
        if counter is None:
            raise DatabaseUnavailable(
                f"The document `{which['_id']}` of the collection `counters` is gone. Restore a backup."
            )
        return range(counter["value"] - count + 1, counter["value"] + 1)

    async def _prepare(self) -> None:
        await create_indexes(self.threads.database)
        for counter in (_EPOCH, _CHECKPOINT_KEY):
            with suppress(DuplicateKeyError):  # another process makes it at this moment
                await self.counters.update_one(counter, {"$setOnInsert": {"value": 0}}, upsert=True)


class MongoRepository:
    """Documents of one kind. Its methods are `translated`: the driver's errors become ours."""

    def __init__(self, database: MongoDatabase) -> None:
        self.timeout = database.timeout
        self._database = database


@contextmanager
def _opening(url: str) -> Generator[None]:
    try:
        yield
    except PyMongoError as error:
        reason = translate(error)
        if not isinstance(reason, DatabaseUnavailable):
            raise reason from error
        said = f" ({_first_host(error)})" if isinstance(error, ServerSelectionTimeoutError) else ""
        hosts = urlsplit(url).netloc.rpartition("@")[2]
        raise DatabaseUnavailable(f"Can't open MongoDB at {hosts}{said}. {reason}") from error


def _first_host(error: Exception) -> str:
    """The problem of the first host, without the driver's settings and topology, which fill a page."""
    return str(error).partition(" (configured")[0].partition(", Timeout:")[0]


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


def of_owner(owner: Owner | StoreScope) -> Document:
    """The owner, as a query and as fields."""
    return {"tenant": owner.tenant, "user": owner.user}


async def owners_in(
    collection: Collection, wanted: Document, tenant: str | None, limit: int, after: Owner | None
) -> list[tuple[str, str]]:
    """Tenants and users of the wanted documents, in their order: of one tenant, or of all with None."""
    query: Document = wanted if tenant is None else {**wanted, "tenant": tenant}
    if after is not None:
        behind = [{"tenant": {"$gt": after.tenant}}, {"tenant": after.tenant, "user": {"$gt": after.user}}]
        query = {**query, "$or": behind}
    steps: list[Document] = [
        {"$match": query},
        {"$group": {"_id": {"tenant": "$tenant", "user": "$user"}}},
        {"$sort": {"_id.tenant": 1, "_id.user": 1}},
        {"$limit": limit},
    ]
    found = await (await collection.aggregate(steps)).to_list()
    return [(each["_id"]["tenant"], each["_id"]["user"]) for each in found]


_MILLISECONDS = 5000


async def pending(url: str) -> list[str]:
    """The indexes that are missing. Changes nothing. Raises ConfigurationError or DatabaseUnavailable."""
    try:
        async with new_client(url, _MILLISECONDS) as client:
            database = client.get_default_database(DEFAULT_DATABASE)
            there = {name: await database[name].index_information() for name in INDEXES}
    except PyMongoError as error:
        raise translate(error) from error
    wanted = [(name, index.document["name"]) for name, indexes in INDEXES.items() for index in indexes]
    return [f"index {index} of {name}" for name, index in wanted if index not in there[name]]


async def stored_bytes(url: str) -> int:
    """The size of the documents and of their indexes on disk. Raises DatabaseUnavailable."""
    try:
        async with new_client(url, _MILLISECONDS) as client:
            sizes = await client.get_default_database(DEFAULT_DATABASE).command("dbStats")
    except PyMongoError as error:
        raise translate(error) from error
    return int(sizes.get("storageSize", 0)) + int(sizes.get("indexSize", 0))


async def time_of(url: str) -> datetime:
    """The time by the server's clock. Raises DatabaseUnavailable."""
    try:
        async with new_client(url, _MILLISECONDS) as client:
            return await _time_at(client)
    except PyMongoError as error:
        raise translate(error) from error


async def _time_at(client: AsyncMongoClient[Document]) -> datetime:
    return (await client.admin.command("hello"))["localTime"].replace(tzinfo=UTC)
