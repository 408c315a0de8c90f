"""What a PostgreSQL database's tables lack."""

import psycopg

from recuerdo.adapters.postgres import migrations
from recuerdo.adapters.postgres.connection import connect, read_url
from recuerdo.adapters.postgres.failures import first_line
from recuerdo.core.errors import ConfigurationError, DatabaseUnavailable


async def pending(url: str) -> list[str]:
    """The scripts that have not run on the database, in their order. Changes nothing.

    Raises ConfigurationError when the role may not look or the URL can't be read, and DatabaseUnavailable.
    """
    read_url(url)
    try:
        async with await connect(url) as connection:
            return await migrations.pending(connection)
    except psycopg.errors.InsufficientPrivilege as error:
        raise ConfigurationError(f"{first_line(error)}. Use the URL of a role that owns the database.") from error
    except psycopg.Error as error:
        raise DatabaseUnavailable(
            f"PostgreSQL can't be asked: {first_line(error)}. Check the database URL, and that the server runs."
        ) from error
