"""The rows that a call reads in PostgreSQL do not grow with what else its owner has, though its session is older."""

from datetime import timedelta

import psycopg
import pytest

from recuerdo.adapters.postgres import PostgresDatabase
from recuerdo.adapters.postgres.access import PostgresUsers
from recuerdo.adapters.postgres.calls import DECIDE
from recuerdo.adapters.postgres.decisions import DecisionOutcome, Group, PendingDecision, _asked
from recuerdo.adapters.postgres.documents import PostgresDocuments
from recuerdo.adapters.postgres.memories import PostgresMemories
from recuerdo.adapters.postgres.passages import PostgresPassages
from recuerdo.core.documents import Decision, DocumentQuery
from recuerdo.core.memories import MemoryQuery
from recuerdo.core.scope import Owner
from recuerdo.core.threads import Version
from recuerdo.testing.clock import NOON

OWNER = Owner("grown", "emi")
MANY = 3_000
FEW = 300

_RUNS = (
    'INSERT INTO recuerdo.documents (tenant, "user", kind, id, family, open, body, about)'
    " SELECT 'grown', 'emi', 'run', 'run-' || number, 'thread-' || number, false, '{}', '{}'"
    f" FROM generate_series(1, {MANY}) AS number"
)
_THREADS = (
    'INSERT INTO recuerdo.documents (tenant, "user", kind, id, family, open, body, about)'
    " SELECT 'grown', 'emi', 'thread', 't-' || number, 't-' || number, false, number,"
    " jsonb_build_object('created_at', to_char(number, '00000'))"
    f" FROM generate_series(1, {MANY}) AS number"
)
_THREAD = (
    'INSERT INTO recuerdo.threads (tenant, "user", thread, epoch, last_seq, title, created_at, updated_at)'
    f" VALUES ('grown', 'emi', 'long', 1, {MANY}, '', now(), now())"
)
_BODY = '{"id": "m", "role": "user", "content": "", "created_at": "2026-01-01T00:00:00Z"}'
_MESSAGES = (
    "INSERT INTO recuerdo.messages (tenant, epoch, seq, id, role, created_at, body)"
    f" SELECT 'grown', 1, seq, seq, 'user', now(), '{_BODY}' FROM generate_series(1, {MANY}) AS seq"
)
_MEMORIES = (
    'INSERT INTO recuerdo.memories (tenant, "user", id, kind, attribute, text, source, trust, created_at, updated_at)'
    " SELECT 'grown', 'emi', number, 'semantic', CASE number WHEN 7 THEN 'name' ELSE 'plan' END, '', '{}', 1,"
    f" now() - number * interval '1 second', now() FROM generate_series(1, {MANY}) AS number"
)
_LOOKED_AT = (
    "SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) FROM pg_stat_xact_user_tables"
    " WHERE schemaname = 'recuerdo' AND relname IN ('documents', 'messages', 'memories')"
)


class Counting:
    """A database whose one session plans each statement once, and that counts the rows that are looked at."""

    def __init__(self, connection):
        self._connection = connection

    async def looked_at(self):
        [(rows,)] = await (await self._connection.execute(_LOOKED_AT)).fetchall()
        return rows

    async def fetch(self, tenant, statement, parameters=None, *, settings=None):
        before = await self.looked_at()
        cursor = await self._connection.execute(statement, parameters, prepare=True, binary=True)
        rows = await cursor.fetchall()
        self.count = await self.looked_at() - before
        return rows


@pytest.fixture
async def database(empty_postgres_url):
    async with PostgresDatabase.open(empty_postgres_url) as database:
        yield database


@pytest.fixture
async def connection(database):
    async with database.transaction([OWNER.tenant]) as connection:
        await connection.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        yield connection


@pytest.fixture
def counting(connection):
    return Counting(connection)


@pytest.fixture
def fill(empty_postgres_url):
    """Write what others wrote, and let PostgreSQL look at it, as it does from time to time."""

    async def fill(*statements):
        async with await psycopg.AsyncConnection.connect(empty_postgres_url, autocommit=True) as superuser:
            for statement in (*statements, "ANALYZE recuerdo.documents, recuerdo.messages, recuerdo.memories"):
                await superuser.execute(statement)

    return fill


async def test_the_end_of_a_temporary_run_looks_at_its_own_thread_only(database, connection, counting, fill):
    wanted = PendingDecision(Group(OWNER, "thread-7"), [], lambda _: Decision(None, erase=True), None)
    asked = _asked([DecisionOutcome.of(wanted, {})], "me")
    await database.call_in(connection, DECIDE, *asked)
    await fill(_RUNS)
    before = await counting.looked_at()
    await database.call_in(connection, DECIDE, *asked)
    assert await counting.looked_at() - before < FEW
    left = await connection.execute(
        "SELECT count(*), count(*) FILTER (WHERE family = 'thread-7') FROM recuerdo.documents"
    )
    assert await left.fetchone() == (MANY - 1, 0)


@pytest.mark.parametrize(
    "query", [DocumentQuery(group="thread-7"), DocumentQuery(ids=["run-7"])], ids=["of a thread", "by ids"]
)
async def test_the_runs_of_a_thread_are_listed_without_those_of_others(counting, fill, query):
    documents = PostgresDocuments(counting, None)
    await documents.select(OWNER, "run", query)
    await fill(_RUNS)
    assert await documents.select(OWNER, "run", query) == [b"{}"]
    assert counting.count < FEW
    assert await documents.count(OWNER, "run", query) == 1
    assert counting.count < FEW


async def test_a_page_of_threads_is_read_without_all_others(counting, fill):
    documents = PostgresDocuments(counting, None)
    query = DocumentQuery(limit=3, offset=20)
    await documents.select(OWNER, "thread", query)
    await fill(_THREADS)
    assert await documents.select(OWNER, "thread", query) == [b"%d" % (MANY - 20 - place) for place in range(3)]
    assert counting.count < FEW


async def test_a_profile_is_read_without_all_other_memories(counting, connection, fill):
    await connection.execute("SET LOCAL plan_cache_mode = auto")  # which values are rare is worth a plan
    memories, later = PostgresMemories(counting), NOON + timedelta(days=36_500)
    for expected in ([], ["7"]):
        await fill(*[_MEMORIES for _ in expected])
        assert [each.id for each in await memories.latest(OWNER, ["name", "city"], later)] == expected
        assert counting.count < FEW
        query = MemoryQuery(attribute="name", holding_at=later)
        assert [each.id for each in await memories.select(OWNER, query)] == expected
        assert counting.count < FEW
    assert len(await memories.select(OWNER, MemoryQuery(holding_at=later, limit=20))) == 20
    assert counting.count < FEW


async def test_the_first_users_of_a_tenant_are_listed_without_all_that_they_have(counting, fill):
    users = PostgresUsers(counting)
    assert await users.users("grown", 3) == []
    others = _MEMORIES.replace("'emi', number", "'u-' || 10000 + number, number")
    await fill(_MEMORIES, others, _RUNS)
    assert await users.users("grown", 3) == ["emi", "u-10001", "u-10002"]
    assert counting.count < FEW
    assert await users.users("grown", 9, f"u-{10000 + MANY - 1}") == [f"u-{10000 + MANY}"]
    assert counting.count < FEW


async def test_a_search_reads_a_long_history_page_by_page(counting, fill):
    passages = PostgresPassages(counting)
    await fill(_THREAD)
    await passages.read(OWNER, {"long": Version(1, 0)}, "model", 100)
    await fill(_MESSAGES)
    page = await passages.read(OWNER, {"long": Version(1, 500)}, "model", 100)
    assert [each.place.seq for each in page] == [*range(501, 601)]
    assert counting.count < FEW
