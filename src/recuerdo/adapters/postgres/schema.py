"""What a PostgreSQL database's tables lack."""

import psycopg
from psycopg import AsyncConnection

from recuerdo.adapters.postgres import migrations
from recuerdo.core.errors import ConfigurationError, DatabaseUnavailable

_SECONDS = 5


async def pending(url: str) -> list[str]:
    """The scripts that have not run on the database, in their order. Changes nothing.

    Raises ConfigurationError when the role may not look, and DatabaseUnavailable.
    """
    try:
        async with await AsyncConnection.connect(url, autocommit=True, connect_timeout=_SECONDS) as connection:
            return await migrations.pending(connection)
    except psycopg.errors.InsufficientPrivilege as error:
        raise ConfigurationError(f"{_first_line(error)}. Use the URL of a role that owns the database.") from error
    except psycopg.Error as error:
        raise DatabaseUnavailable(
            f"PostgreSQL can't be asked: {_first_line(error)}. Check the database URL, and that the server runs."
        ) from error


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".")
