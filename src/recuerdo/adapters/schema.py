"""What the tables of a database lack, bringing them up to date, and what is wrong with its files, by its URL."""

from collections.abc import Awaitable, Callable
from functools import partial

from recuerdo.adapters.registry import open_repositories, sqlite_file
from recuerdo.core.errors import needing


async def pending(url: str) -> list[str]:
    """The names of what an upgrade would run, in its order; none when the tables are up to date. Changes nothing.

    Raises ConfigurationError, MissingExtra or DatabaseUnavailable.
    """
    scheme, _, rest = url.partition("://")
    look = _PENDING.get(scheme)
    if look is None:
        async with open_repositories(url):  # says what is wrong with the URL, or has nothing to upgrade
            return []
    return await look(rest)


async def upgrade(url: str) -> list[str]:
    """Bring the tables up to date, as every start does; returns what was run. Raises as `pending` does."""
    names = await pending(url)
    async with open_repositories(url):
        return names


async def faults(url: str, *, thorough: bool) -> list[str]:
    """What the database itself finds wrong with its files, in its own words; Raises as `pending` does.

    Only SQLite is asked, whose files nobody else looks after.
    """
    scheme, _, rest = url.partition("://")
    if scheme != "sqlite":
        return []
    from recuerdo.adapters.sqlite import schema

    return await schema.faults(sqlite_file(rest), thorough=thorough)


async def _pending_sqlite(rest: str) -> list[str]:
    from recuerdo.adapters.sqlite import schema

    return await schema.pending(sqlite_file(rest))


async def _pending_postgres(rest: str) -> list[str]:
    with needing("PostgreSQL", "postgres"):
        from recuerdo.adapters.postgres import schema
    return await schema.pending(f"postgresql://{rest}")


async def _pending_mongodb(rest: str, scheme: str = "mongodb") -> list[str]:
    with needing("MongoDB", "mongodb"):
        from recuerdo.adapters.mongodb import schema
    return await schema.pending(f"{scheme}://{rest}")


_PENDING: dict[str, Callable[[str], Awaitable[list[str]]]] = {
    "sqlite": _pending_sqlite,
    "postgresql": _pending_postgres,
    "postgres": _pending_postgres,
    "mongodb": _pending_mongodb,
    "mongodb+srv": partial(_pending_mongodb, scheme="mongodb+srv"),
}
