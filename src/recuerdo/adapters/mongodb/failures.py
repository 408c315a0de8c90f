"""MongoDB's failures in Recuerdo's words, without what the URL keeps secret."""

from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager, nullcontext
from functools import wraps
from types import CoroutineType
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

import pymongo
from bson.errors import InvalidDocument
from pymongo.errors import (
    BulkWriteError,
    ConnectionFailure,
    InvalidOperation,
    NetworkTimeout,
    OperationFailure,
    PyMongoError,
    ServerSelectionTimeoutError,
    WaitQueueTimeoutError,
    WriteConcernError,
)

from recuerdo.adapters.adaptive_timeout import AdaptiveTimeout
from recuerdo.core.errors import ConfigurationError, DatabaseUnavailable, InvalidInput, OutcomeUnknown, RecuerdoError

DUPLICATE_KEY = 11000

_BAD_CREDENTIALS = {18, 8000}
_NO_PERMISSION = {13}
_TOO_LARGE = {10334, 17419, 17420}
_TIMED_OUT = {50, 262}


class Patient(Protocol):
    """What asks a database."""

    @property
    def patience(self) -> AdaptiveTimeout: ...


S = TypeVar("S", bound=Patient)
P = ParamSpec("P")
T = TypeVar("T")


def too_large(field: str) -> InvalidInput:
    """What is said of something that no document of MongoDB can hold."""
    return InvalidInput(field, "too large: MongoDB holds at most 16 MB in one document. Send it in several parts.")


def speaking_recuerdo(
    method: Callable[Concatenate[S, P], Coroutine[Any, Any, T]],
) -> "Callable[Concatenate[S, P], CoroutineType[Any, Any, T]]":
    """The method, which waits no longer than its database deserves, and raises Recuerdo's errors for the driver's."""

    @wraps(method)
    async def wrapped(self: S, *args: P.args, **kwargs: P.kwargs) -> T:
        patience = self.patience
        seconds = patience.seconds
        try:
            with pymongo.timeout(seconds) if patience.is_suspect else nullcontext():
                result = await method(self, *args, **kwargs)
        except (PyMongoError, InvalidDocument) as error:
            if getattr(error, "timeout", False):
                patience.lost()
            raise translate(error) from error
        except OutcomeUnknown as error:
            patience.is_suspect |= getattr(error.__cause__, "timeout", False)
            raise
        patience.answered()
        return result

    return wrapped


@contextmanager
def writing(*, is_begun: bool = False) -> Generator[None]:
    """Raise OutcomeUnknown for what leaves it open whether a write was done; all does behind one that `is_begun`."""
    try:
        yield
    except (PyMongoError, InvalidDocument) as error:
        if is_begun or _may_be_done(error):
            raise OutcomeUnknown(str(translate(error))) from error
        raise


def writes_recuerdo(
    method: Callable[Concatenate[S, P], Coroutine[Any, Any, T]],
) -> "Callable[Concatenate[S, P], CoroutineType[Any, Any, T]]":
    """As `speaking_recuerdo`, for a method that is one write."""

    @speaking_recuerdo
    @wraps(method)
    async def wrapped(self: S, *args: P.args, **kwargs: P.kwargs) -> T:
        with writing():
            return await method(self, *args, **kwargs)

    return wrapped


def _may_be_done(error: Exception) -> bool:
    """Whether it was sent, and nobody says that it was refused."""
    if isinstance(error, ServerSelectionTimeoutError | WaitQueueTimeoutError):
        return False
    if isinstance(error, BulkWriteError):
        return not error.details["writeErrors"]
    return isinstance(error, ConnectionFailure | WriteConcernError) or getattr(error, "timeout", False)


def translate(error: PyMongoError | InvalidDocument) -> RecuerdoError:
    """DatabaseUnavailable for what MongoDB can't do now, and other words for what it never will."""
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
