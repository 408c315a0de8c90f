"""The rows that a call touches in PostgreSQL grow neither with the thread nor with what else the tenant has."""

import asyncio
from typing import Any

import pytest

from recuerdo.adapters.postgres import PostgresDatabase, PostgresHistory, PostgresThreads
from recuerdo.adapters.postgres import history as history_module
from recuerdo.adapters.postgres import threads as threads_module
from recuerdo.adapters.rows import counts_of
from recuerdo.core.messages import ROLES
from recuerdo.core.scope import Scope
from recuerdo.testing.clock import NOON
from recuerdo.testing.samples import request, said, say

_history: Any = history_module
_threads: Any = threads_module
SCOPE = Scope("long-threads", "emi", "t-1")
LENGTH = 20_000
MOST_PAGES = 180
"""Of 8 kB. The last 50 messages lie on two or three, beside the pages of the indexes; a scan of the table takes 400."""

_FILL = (
    'INSERT INTO recuerdo.threads (tenant, "user", thread, epoch, last_seq, title, created_at, updated_at)'
    " SELECT %(tenant)s, 'emi', 't-' || number, nextval('recuerdo.epochs'), %(length)s, '', now(), now()"
    " FROM generate_series(1, 300) AS number",
    "INSERT INTO recuerdo.messages (tenant, epoch, seq, id, role, created_at, body)"
    ' SELECT tenant, epoch, seq, gen_random_uuid()::text, \'user\', now(), \'{"role":"user","content":"\''
    " || repeat('x', 100) || '\"}' FROM recuerdo.threads, generate_series(1, %(length)s) AS seq"
    " WHERE tenant = %(tenant)s AND thread = 't-1'",
    "ANALYZE recuerdo.threads, recuerdo.messages",
)

_PAGED = {
    "after": 0,
    "before": _history._BEYOND,
    "since": None,
    "until": None,
    "roles": sorted(ROLES),
    "archived": False,
    "most_bytes": 16_000_000,
    "skip": 0,
}
_ADDRESS = {"tenant": SCOPE.tenant, "user": SCOPE.user, "thread": SCOPE.thread}
_CALL = "(%(role)s, %(tenant)s, %(user)s, %(thread)s"

READS: dict[str, tuple[Any, Any]] = {
    "head": (f"SELECT recuerdo.head{_CALL})", {}),
    "tail": (f"SELECT * FROM recuerdo.read_tail_within{_CALL}, NULL, 51, 16000000)", {}),
    "tail in the midst": (f"SELECT * FROM recuerdo.read_tail_within{_CALL}, 10000, 51, 16000000)", {}),
    "snapshot": (f"SELECT * FROM recuerdo.read_snapshot_within{_CALL}, 200, 16000000)", {}),
    "last page": (_history._PAGE.format(order="DESC", ids=""), {**_PAGED, "limit": 51}),
    "page in the midst": (_history._PAGE.format(order="DESC", ids=""), {**_PAGED, "before": 10_000, "limit": 51}),
    "page forward": (_history._PAGE.format(order="ASC", ids=""), {**_PAGED, "after": 10_000, "limit": 51}),
    "messages by their ids": (
        _history._PAGE.format(order="ASC", ids=_history._WITH_IDS),
        {**_PAGED, "after": 0, "ids": [f"m-{number}" for number in range(30)], "limit": 31},
    ),
    "thread": (_threads._GET, None),
    "counts": (_history._KNOWN_COUNTS, {}),
    "threads": (_threads._SELECT, {"time": None, "last": "", "limit": 51, "skip": 0}),
}


@pytest.fixture
def postgres_url(empty_postgres_url: str) -> str:
    """Not the one that others fill with short threads, from which the planner would take how long these are."""
    return empty_postgres_url


@pytest.fixture
async def long_thread(superuser: Any, database: Any) -> None:
    for statement in _FILL:
        await superuser.execute(statement, {**_ADDRESS, "length": LENGTH} if "%(" in statement else None)


async def test_reads_touch_few_pages(long_thread: None, database: Any) -> None:
    """Of a thread of 20,000 messages every kind of read takes what it shows, by the indexes."""
    async with database.transaction([SCOPE.tenant]) as connection:
        touched = {name: await _pages(connection, database.role, *read) for name, read in READS.items()}
    assert {name: pages for name, pages in touched.items() if pages > MOST_PAGES} == {}


@pytest.mark.parametrize(
    "left",
    ["counted_epoch = NULL, user_count = 0", "user_count = user_count - 7", "counted_epoch = epoch - 1"],
    ids=["a row from before", "an append by a version from before", "an erasure by a version from before"],
)
async def test_a_thread_without_counts_is_counted_once(
    long_thread: None, superuser: Any, database: Any, left: str
) -> None:
    """Appends that come meanwhile count, and those that come later; a fork has counts of its own."""
    history, threads = PostgresHistory(database), PostgresThreads(database)
    assert await history.count(SCOPE) == {"user": LENGTH}
    await superuser.execute(f"UPDATE recuerdo.threads SET {left} WHERE tenant = %s", (SCOPE.tenant,))
    await asyncio.gather(history.count(SCOPE), *(say(history, SCOPE, str(number)) for number in range(5)))
    await history.append([request(SCOPE, said(role=role), said(role=role)) for role in ROLES])
    counts = {"system": 2, "user": LENGTH + 7, "assistant": 2, "tool": 2}
    assert await history.count(SCOPE) == counts
    async with database.transaction([SCOPE.tenant]) as connection:
        known = await (await connection.execute(_history._KNOWN_COUNTS, _ADDRESS)).fetchone()
    assert counts_of(known) == counts
    await threads.fork(SCOPE, LENGTH + 9, "fork", NOON)
    assert (await history.count(SCOPE.owner.thread("fork"))).items() >= {"system": 2, "user": LENGTH + 7}.items()


async def test_a_page_in_the_midst_touches_few_pages_also_by_a_plan_that_is_kept(
    long_thread: None, database: Any
) -> None:
    """A prepared statement keeps a plan for all cursors: it must seek them, and not read all messages behind."""
    given = dict.fromkeys(_PAGED, "NULL") | {
        "roles": "ARRAY['user']",
        "limit": "51",
        "most_bytes": "16000000",
        "skip": "0",
    }
    given |= {name: f"'{value}'" for name, value in _ADDRESS.items()} | {"before": "$1", "after": "$2"}
    page = _history._PAGE.format(order="DESC", ids="") % given
    async with database.transaction([SCOPE.tenant]) as connection:
        await connection.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        await connection.execute(f"PREPARE page (bigint, bigint) AS {page}")
        touched = await _pages(connection, database.role, "EXECUTE page (1000, 0)", {})
        await connection.execute("DEALLOCATE page")
    assert touched <= MOST_PAGES


async def test_checkpoints_look_for_messages_by_their_ids(empty_postgres_url: str) -> None:
    """New messages are not compared with all of a thread, though the plan was made when it had no messages yet."""
    append = (
        f"SELECT recuerdo.append_new_messages{_CALL}, '', now(), NULL,"
        " ARRAY[gen_random_uuid()]::text[], '{user}', '{now}', '{text}', '{NULL}')"
    )
    asked = {**_ADDRESS, "length": LENGTH}
    opened = PostgresDatabase.open(empty_postgres_url)
    async with opened as database, database.transaction([SCOPE.tenant]) as connection:
        await connection.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        await connection.execute(_FILL[0], asked)
        before = await _pages(connection, database.role, append, {})
        await connection.execute(_FILL[1], asked)
        after = await _pages(connection, database.role, append, {})
    assert after < before + MOST_PAGES


async def _pages(connection: Any, role: str, statement: str, parameters: dict[str, Any] | None) -> int:
    """How many pages the statement touches when it runs for the second time."""
    given: Any = tuple(_ADDRESS.values()) if parameters is None else {"role": role, **_ADDRESS, **parameters}
    explained: Any = None
    for _ in range(2):
        cursor = await connection.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}", given)
        [([explained],)] = await cursor.fetchall()
    return explained["Plan"]["Shared Hit Blocks"] + explained["Plan"]["Shared Read Blocks"]
