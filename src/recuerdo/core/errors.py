"""Every exception that Recuerdo raises on purpose. A message always says what to do next.

RecuerdoError
├── InvalidInput              the caller's data is wrong; `field` names the part
│   ├── BudgetTooSmall        a window can't even hold the system message
│   └── NoGraph               the thread has no graph whose state could be written
├── Unauthenticated           no credential came, or one that can't be believed
├── Forbidden                 the credential is good, and its role is not enough
├── NotFound                  absent, or somebody else's: the two are never told apart
├── Conflict                  the request contradicts what is stored
│   ├── IdempotencyConflict   the same key came with another body
│   ├── DuplicateMessage      a message id is already in the thread
│   ├── ThreadExists          the target of a fork is taken
│   ├── ThreadBusy            a run is at work in the thread
│   ├── AlreadyExists         something with this id is there
│   ├── LeaseLost             somebody else has gone on with the run meanwhile
│   ├── EpochChanged          the thread was cleared or erased since the caller looked
│   ├── UserErased            the user was erased while this was under way
│   └── AlreadyErased         the append was stored before, and its thread was cleared or erased since
├── Unavailable               a server behind us does not answer; `retry_after` seconds
│   ├── DatabaseUnavailable   nothing was stored
│   │   └── OutcomeUnknown    but for this one: the answer to a write was lost, and it may be stored
│   ├── SpoolUnavailable      the local spool is full, or its disk is
│   ├── CacheUnavailable      never reaches a caller: the database answers instead
│   ├── IssuerUnavailable     who signs tokens does not say with which keys
│   ├── AgentsUnavailable     who knows the agents does not say how one is configured
│   └── ModelUnavailable
├── Damaged                   what is stored is not what was written
│   ├── DamagedMessage        one message; `thread`, `epoch` and `seq` name it
│   ├── DamagedRow            a memory, a document, a checkpoint that can't be read
│   └── DamagedDatabase       the database can't read its own files; also a DatabaseUnavailable
└── ConfigurationError        settings that can't work
    └── MissingExtra          an optional part of the package is not installed
"""

from collections.abc import Generator
from contextlib import contextmanager


class RecuerdoError(Exception):
    """The root: catch it to catch everything that Recuerdo raises on purpose."""


class InvalidInput(RecuerdoError, ValueError):
    """The caller's data is wrong. `field` names the part at fault, `problem` says what is wrong with it."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


class BudgetTooSmall(InvalidInput):
    """A window's budget can't hold the system message, which every window must keep."""


class NoGraph(InvalidInput):
    """The thread has had no run yet, so that no graph says what a state of it is."""

    def __init__(self) -> None:
        super().__init__("thread_id", "the thread has no graph yet: run one on it, or create it with one")


class Unauthenticated(RecuerdoError):
    """Nobody knows who asks: no credential came at all (`is_missing`), or one that can't be believed."""

    def __init__(self, problem: str, *, is_missing: bool = False) -> None:
        super().__init__(problem)
        self.is_missing = is_missing


class Forbidden(RecuerdoError):
    """It is known who asks, and their role does not allow this. Whose data it is never matters here: see NotFound."""


class NotFound(RecuerdoError, LookupError):
    """The thing does not exist for this owner: absent and foreign look alike."""

    def __init__(self, what: str, identifier: str) -> None:
        super().__init__(f"There is no {what} {identifier!r} here. Check the id, and the tenant and user you act as.")
        self.what = what
        self.identifier = identifier


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
    """A run is at work in the thread, and what was asked for can't be done beside it."""

    def __init__(self, thread: str) -> None:
        super().__init__(
            f"The thread {thread!r} is busy with a run. Wait until it is finished, cancel it, "
            "or choose another multitask strategy."
        )


class AlreadyExists(Conflict):
    """Something with this id is there already."""

    def __init__(self, what: str, identifier: str) -> None:
        super().__init__(f"There is already {what} {identifier!r}. Choose another id, or ask to be given what exists.")


class LeaseLost(Conflict):
    """Whoever writes in the name of a run was too slow: another process has taken the run over, or it was ended."""

    def __init__(self) -> None:
        super().__init__("The run is executed by another process now, or is over. Look at the run to see how it ended.")


class EpochChanged(Conflict):
    """The thread was cleared or erased since the caller looked: a late write must not bring it back.

    `actual` is the epoch that it is in, 0 while it is absent.
    """

    def __init__(self, expected: int, actual: int) -> None:
        super().__init__(
            f"The thread is in epoch {actual}, and the write expected {expected}: it was cleared or erased meanwhile. "
            "Read the thread again before you decide whether the write still makes sense."
        )
        self.actual = actual


class UserErased(Conflict):
    """The user was erased while this was under way: what began before the erasure writes nothing after it."""

    def __init__(self) -> None:
        super().__init__(
            "Everything of this user was erased while this was under way, and nothing of it was kept. "
            "Send it again if it is still meant."
        )


class AlreadyErased(Conflict):
    """The idempotency key was used before, and its thread was cleared or deleted since: it is not stored again."""

    def __init__(self, key: str) -> None:
        super().__init__(
            f"The append with the idempotency key {key!r} was stored, and the thread was cleared or deleted since. "
            "Nothing is stored again: to say it once more, send it with a new key."
        )


class Unavailable(RecuerdoError):
    """A server behind us does not answer. Try again after `retry_after` seconds."""

    def __init__(self, problem: str, retry_after: float = 1.0) -> None:
        super().__init__(problem)
        self.retry_after = retry_after


class DatabaseUnavailable(Unavailable):
    """The database can't be reached, or is locked or full. Nothing was stored, unless it is an OutcomeUnknown."""


class OutcomeUnknown(DatabaseUnavailable):
    """The database was asked to write, and its answer was lost: whether it was stored is unknown.

    `problem` says what happened. An append is repeated with its idempotency key: it is stored once.
    """

    def __init__(self, problem: str, retry_after: float = 1.0) -> None:
        super().__init__(
            f"{problem} Whether it was stored is unknown: repeat it with its idempotency key to find out.", retry_after
        )


class SpoolUnavailable(Unavailable):
    """The spool of durability `async` can't take the append: it is not kept."""


class CacheUnavailable(Unavailable):
    """The shared cache does not answer in time. Reads go on without it."""


class IssuerUnavailable(Unavailable):
    """The issuer of tokens does not say which keys it signs them with, and none of them is known from before."""


class AgentsUnavailable(Unavailable):
    """The agent-management service does not say how an agent is configured, and it is not known from before."""


class ModelUnavailable(Unavailable):
    """The chat model or the embedding model does not answer."""


class Damaged(RecuerdoError):
    """What is stored is not what was written: a disk failed, or the row was changed behind Recuerdo's back."""


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
        """Its row, for lists of many."""
        return f"thread {self.thread!r}, epoch {self.epoch}, seq {self.seq}"


class DamagedRow(Damaged):
    """Another stored row that can't be read: `what` is its kind, `identifier` its id."""

    def __init__(self, what: str, identifier: str) -> None:
        super().__init__(
            f"The {what} {identifier!r} is damaged: what is stored can't be read. Look with `recuerdo db check --deep` "
            "for what else is, and restore it from a backup, or delete it."
        )
        self.what = what
        self.identifier = identifier


class DamagedDatabase(Damaged, DatabaseUnavailable):
    """The database can't read its own files, or not all of them."""

    def __init__(self, problem: str) -> None:
        super().__init__(
            f"{problem}. The database is damaged: keep a copy of it, find with `recuerdo db check --deep` what is, and "
            "restore a backup. `recuerdo threads export` saves what can still be read."
        )


class ConfigurationError(RecuerdoError):
    """Settings that can't work."""


class MissingExtra(ConfigurationError, ImportError):
    """An optional part of the package is needed and not installed."""

    def __init__(self, need: str, extra: str) -> None:
        super().__init__(f"{need} needs an optional part of Recuerdo. Install it with: pip install 'recuerdo[{extra}]'")
        self.extra = extra


@contextmanager
def needing(need: str, extra: str) -> Generator[None]:
    """Import within it what an optional part of the package brings. Raises MissingExtra where it is not installed."""
    try:
        yield
    except ModuleNotFoundError as missing:
        raise MissingExtra(need, extra) from missing
