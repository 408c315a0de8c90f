"""Every exception that Recuerdo raises deliberately. A message always says what to do next.

RecuerdoError
├── InvalidInput              the caller's input is invalid; `field` names the part
│   ├── BudgetTooSmall        a window can't even hold the system message
│   └── NoGraph               the thread has no graph whose state could be written
├── Unauthenticated           no credential, or an invalid one
├── Forbidden                 the caller's role is not sufficient
├── NotFound                  doesn't exist, or belongs to another owner; the two look the same
├── Conflict                  the request contradicts what is stored
│   ├── IdempotencyConflict   the key was used with another body
│   ├── DuplicateMessage      a message id is already in the thread
│   ├── ThreadExists          the target of a fork is taken
│   ├── ThreadBusy            a run is executing on the thread
│   ├── AlreadyExists         an object with this id exists
│   ├── LeaseLost             another process has taken over the run
│   ├── EpochChanged          the thread was cleared or erased since the caller read it
│   ├── UserErased            the user was erased while the request was in progress
│   └── AlreadyErased         the append was stored before, and its thread was cleared or erased since
├── Unavailable               a service that Recuerdo needs doesn't answer; `retry_after` seconds
│   ├── DatabaseUnavailable   nothing was stored
│   │   └── OutcomeUnknown    the reply to a write was lost, and it may be stored
│   ├── SpoolUnavailable      the local spool or its disk is full
│   ├── CacheUnavailable      never reaches a caller: the database answers instead
│   ├── RateLimited           a limit of the caller is used up
│   ├── IssuerUnavailable     the signing keys of tokens can't be fetched
│   ├── AgentsUnavailable     an agent's configuration can't be fetched
│   ├── ModelUnavailable
│   └── WorkerUnavailable     no worker has begun with what was handed over
├── Damaged                   stored data is not what was written
│   ├── DamagedMessage        one message; `thread`, `epoch` and `seq` name it
│   ├── DamagedRow            a memory, a document, a checkpoint that can't be read
│   ├── DataKeyMissing        the key of an encrypted text was erased, or is in another backup
│   └── DamagedDatabase       the database can't read its own files; also a DatabaseUnavailable
└── ConfigurationError        settings that can't work
    └── MissingExtra          an optional part of the package is not installed
"""

from collections.abc import Generator
from contextlib import contextmanager


class RecuerdoError(Exception):
    """The root of all errors that Recuerdo raises deliberately."""


class InvalidInput(RecuerdoError, ValueError):
    """The caller's input is invalid. `field` names the part at fault, `problem` says what is wrong with it."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


class BudgetTooSmall(InvalidInput):
    """A window's limit can't hold the system message, which every window must keep."""


class NoGraph(InvalidInput):
    """The thread has had no run yet, so it has no graph that defines its state."""

    def __init__(self) -> None:
        super().__init__("thread_id", "the thread has no graph yet: run one on it, or create it with one")


class Unauthenticated(RecuerdoError):
    """The credential is missing (`is_missing`) or invalid."""

    def __init__(self, problem: str, *, is_missing: bool = False) -> None:
        super().__init__(problem)
        self.is_missing = is_missing


class Forbidden(RecuerdoError):
    """The caller's role doesn't allow the request. Another owner's data is NotFound instead."""


class NotFound(RecuerdoError, LookupError):
    """The object doesn't exist for this owner. Another owner's object looks the same.

    `what` and `identifier` name it; they are empty where none is named, or a server has told the error.
    """

    what = identifier = ""

    def __init__(
        self, what: str, identifier: str, advice: str = "Check the id, and the tenant and user you act as."
    ) -> None:
        super().__init__(f"There is no {what} {identifier!r} here. {advice}")
        self.what = what
        self.identifier = identifier

    @classmethod
    def saying(cls, message: str) -> "NotFound":
        """The error with a message of its own, where no object is named."""
        error = cls.__new__(cls, message)
        RecuerdoError.__init__(error, message)
        return error


class Conflict(RecuerdoError):
    """The request contradicts what is stored; nothing was changed."""


class IdempotencyConflict(Conflict):
    """The idempotency key was used before in this thread with another body."""

    def __init__(self, key: str) -> None:
        super().__init__(
            f"The idempotency key {key!r} was used in this thread with another body. "
            "Send the same body to repeat a request, or a new key for a new one."
        )


class DuplicateMessage(Conflict):
    """A message with this id is already in the thread."""

    def __init__(self, message_id: str) -> None:
        super().__init__(
            f"The thread already has a message with the id {message_id!r}. "
            "Leave the id out to get a new one, or append with an idempotency key to make retries safe."
        )


class ThreadExists(Conflict):
    """The target of a fork is taken."""

    def __init__(self, thread: str) -> None:
        super().__init__(f"There is already a thread {thread!r}. Fork into another id, or delete that thread first.")


class ThreadBusy(Conflict):
    """The request can't be fulfilled while a run is executing on the thread."""

    def __init__(self, thread: str) -> None:
        super().__init__(
            f"The thread {thread!r} is busy with a run. Wait until it is finished, cancel it, "
            "or choose another multitask strategy."
        )


class AlreadyExists(Conflict):
    """An object with this id already exists."""

    def __init__(self, what: str, identifier: str) -> None:
        super().__init__(f"There is already {what} {identifier!r}. Choose another id, or use the existing one.")


class LeaseLost(Conflict):
    """The lease of a run has expired: another process has taken the run over, or it has ended."""

    def __init__(self) -> None:
        super().__init__("The run is executed by another process now, or is over. Look at the run to see how it ended.")


class EpochChanged(Conflict):
    """The thread was cleared or erased since the caller read it: a late write must not revive it.

    `actual` is the thread's epoch, 0 if it doesn't exist, and None where it isn't known: in the error of a server, or
    of a run whose checkpoints were erased with the conversation.
    """

    actual: int | None = None

    def __init__(self, expected: int, actual: int | None) -> None:
        found = "another epoch" if actual is None else f"epoch {actual}"
        super().__init__(
            f"The thread is in {found}, and the write expected {expected}: it was cleared or erased meanwhile. "
            "Read the thread again before you decide whether the write still makes sense."
        )
        self.actual = actual


class UserErased(Conflict):
    """The user was erased while the request was in progress, so nothing of it is stored."""

    def __init__(self) -> None:
        super().__init__(
            "This user was erased while the request was in progress, and nothing of it was kept. "
            "Send it again if it is still meant."
        )


class AlreadyErased(Conflict):
    """The append was stored before, and its thread was cleared or deleted since: it is not stored again."""

    def __init__(self, key: str) -> None:
        super().__init__(
            f"The append with the idempotency key {key!r} was stored, and the thread was cleared or deleted since. "
            "Nothing was stored again. To store it on purpose, send it with a new key."
        )


class Unavailable(RecuerdoError):
    """A service that Recuerdo needs doesn't answer. Try again after `retry_after` seconds."""

    def __init__(self, problem: str, retry_after: float = 1.0) -> None:
        super().__init__(problem)
        self.retry_after = retry_after


class DatabaseUnavailable(Unavailable):
    """The database can't be reached, or is locked or full. Nothing was stored, unless it is an OutcomeUnknown."""


class OutcomeUnknown(DatabaseUnavailable):
    """The reply to a write was lost, so it is unknown whether it was stored.

    `problem` says what happened. Repeat an append with its idempotency key: it is stored once.
    """

    def __init__(self, problem: str, retry_after: float = 1.0) -> None:
        super().__init__(
            f"{problem} Whether it was stored is unknown: repeat it with its idempotency key to find out.", retry_after
        )


class SpoolUnavailable(Unavailable):
    """The spool of durability `async` can't store the append, which is lost."""


class CacheUnavailable(Unavailable):
    """The shared cache doesn't answer in time. Reads continue without it."""


class RateLimited(Unavailable):
    """The caller has used up a limit of the server, and nothing was done."""


class IssuerUnavailable(Unavailable):
    """The issuer's signing keys can't be fetched, and none are known from an earlier answer."""


class AgentsUnavailable(Unavailable):
    """An agent's configuration can't be fetched, and is not known from an earlier answer."""


class ModelUnavailable(Unavailable):
    """The chat model or the embedding model does not answer."""


class WorkerUnavailable(Unavailable):
    """No worker has begun with what was handed over, and it was taken back."""


class Damaged(RecuerdoError):
    """Stored data is not what was written: a disk failed, or the row was changed outside Recuerdo."""


class DamagedMessage(Damaged):
    """A stored message that is not what was appended. `thread`, `epoch` and `seq` name its row."""

    def __init__(self, thread: str, epoch: int, seq: int, problem: str) -> None:
        super().__init__(
            f"The message {seq} of the thread {thread!r} (epoch {epoch}) is damaged: {problem}. Find all damaged "
            "messages with `recuerdo db check --deep` and restore them from a backup. Until then, archive this one "
            "to go on without it; `recuerdo threads export` saves the others."
        )
        self.thread = thread
        self.epoch = epoch
        self.seq = seq
        self.problem = problem

    @property
    def place(self) -> str:
        """Its row, for lists of damaged messages."""
        return f"thread {self.thread!r}, epoch {self.epoch}, seq {self.seq}"


class DamagedRow(Damaged):
    """Another stored row that can't be read: `what` is its kind, `identifier` its id."""

    def __init__(self, what: str, identifier: str) -> None:
        super().__init__(
            f"The {what} {identifier!r} is damaged and can't be read. Restore it from a backup, or delete it; "
            "`recuerdo db check --deep` finds other damage."
        )
        self.what = what
        self.identifier = identifier


class DataKeyMissing(Damaged):
    """A text is encrypted with a data key that the database does not have: the tenant was erased, and the text is lost.

    Or the text and the keys come from different backups. `key` is the key's id.
    """

    def __init__(self, key: str) -> None:
        super().__init__(
            f"A text is encrypted with the data key {key}, which is not in this database. If the tenant was erased, "
            "nothing can be done; otherwise restore the table of data keys from the same backup as the texts."
        )
        self.key = key


class DamagedDatabase(Damaged, DatabaseUnavailable):
    """The database can't read its own files, or not all of them."""

    def __init__(self, problem: str) -> None:
        super().__init__(
            f"{problem}. The database is damaged. Keep a copy, find the damage with `recuerdo db check --deep`, and "
            "restore a backup. `recuerdo threads export` saves what can still be read."
        )


class ConfigurationError(RecuerdoError):
    """Settings that can't work."""


class MissingExtra(ConfigurationError, ImportError):
    """An extra is not installed."""

    def __init__(self, need: str, extra: str) -> None:
        super().__init__(f"{need} needs an optional part of Recuerdo. Install it with: pip install 'recuerdo[{extra}]'")
        self.extra = extra


@contextmanager
def needing(need: str, extra: str) -> Generator[None]:
    """Wraps imports of an extra's packages. Raises MissingExtra if they are not installed."""
    try:
        yield
    except ModuleNotFoundError as missing:
        raise MissingExtra(need, extra) from missing
