"""PostgreSQL's failures in Recuerdo's words."""

import psycopg
from psycopg_pool import PoolClosed, PoolTimeout

from recuerdo.core.errors import DamagedDatabase, DatabaseUnavailable, InvalidInput, OutcomeUnknown


class Unanswered(psycopg.OperationalError):
    """A commit was sent, and its answer did not come."""


def is_answer(error: Exception) -> bool:
    """Whether the error is the server's own word about a statement, which it has undone then.

    Without one the connection or the time was at its end. What a server says while it stops, and a pooler of a server
    that is gone (08), may be said behind a commit.
    """
    if not isinstance(error, psycopg.OperationalError | psycopg.InterfaceError | TimeoutError):
        return True
    code = error.sqlstate if isinstance(error, psycopg.Error) else None
    return code is not None and not code.startswith(("08", "57P"))


def translate(error: Exception) -> Exception:
    """The error in our own words; violated constraints and mistakes of ours stay as they are."""
    match error:
        case Unanswered():
            return OutcomeUnknown(f"The connection to PostgreSQL broke ({first_line(error)}).")
        case PoolTimeout():
            return DatabaseUnavailable("All connections to PostgreSQL are busy, or it can't be reached. Try again.")
        case PoolClosed():
            return DatabaseUnavailable("The database is closed. Use Recuerdo inside its `async with` block.")
        case psycopg.errors.DeadlockDetected() | psycopg.errors.SerializationFailure():
            return DatabaseUnavailable("PostgreSQL undid this to let others through. Try again.", retry_after=0.1)
        case psycopg.errors.ReadOnlySqlTransaction():
            return DatabaseUnavailable(
                "PostgreSQL takes no writes: it is a standby, or was made read-only. Let the database URL lead to the "
                "primary, e.g. with target_session_attrs=read-write."
            )
        case (
            psycopg.errors.InvalidSchemaName() | psycopg.errors.UndefinedTable() | psycopg.errors.UndefinedFunction()
        ):  # while a backup is restored
            return DatabaseUnavailable(
                f"PostgreSQL has not what this version needs: {first_line(error)}. Look with `recuerdo db check`, and "
                "bring it up to date with `recuerdo db upgrade`, or restore a backup."
            )
        case psycopg.errors.ProgramLimitExceeded():  # it would be refused for ever
            return InvalidInput("ids", f"are too long together ({first_line(error)}); use shorter ones")
        case psycopg.DataError() if "NUL" in str(error):  # before it is sent
            return InvalidInput("text", "must not contain the character NUL, which PostgreSQL does not keep")
        case psycopg.errors.DataCorrupted() | psycopg.errors.IndexCorrupted():
            return DamagedDatabase(f"PostgreSQL says: {first_line(error)}")
        case psycopg.OperationalError() | psycopg.InternalError():
            return DatabaseUnavailable(
                f"PostgreSQL says: {first_line(error)}. Nothing was stored: try again, with the same idempotency key."
            )
        case _:
            return error


def first_line(error: Exception) -> str:
    """What it says, without the details, which may quote what was sent."""
    return str(error).strip().partition("\n")[0].rstrip(".")
