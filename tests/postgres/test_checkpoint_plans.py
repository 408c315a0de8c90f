"""The rows that a list of checkpoints touches in PostgreSQL."""

from recuerdo.adapters.postgres import PostgresDatabase, checkpoints
from recuerdo.core.checkpoints import CheckpointQuery
from recuerdo.core.scope import Owner

THREADS = 200

_FILL = (
    'INSERT INTO recuerdo.checkpoint_threads (tenant, "user", thread)'
    f" SELECT 't', 'u', 't-' || number FROM generate_series(1, {THREADS}) AS number",
    "INSERT INTO recuerdo.checkpoints (tenant, key, namespace, id, parent, run, body, metadata)"
    " SELECT tenant, key, '', lpad(number::text, 9, '0') || key, '', '', repeat('x', 200)::bytea, ''"
    " FROM recuerdo.checkpoint_threads, generate_series(1, 10) AS number",
)


async def test_a_list_over_all_threads_reads_each_thread_once(empty_postgres_url: str) -> None:
    """And not all that the tenant has for each of them, though the plan was made before the tables had grown."""
    query = CheckpointQuery(Owner("t", "u"), limit=3)
    settings = "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off"
    opened = PostgresDatabase.open(empty_postgres_url)
    async with opened as database, database.transaction(["t"]) as connection:
        for statement in (*_FILL, *settings.split("; ")):
            await connection.execute(statement)
        explain = f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {checkpoints._selection(query)}"
        cursor = await connection.execute(explain, {"tenant": "t", "user": "u", "limit": query.limit})
        [([explained],)] = await cursor.fetchall()
    assert explained["Plan"]["Actual Rows"] == 3
    assert explained["Plan"]["Shared Hit Blocks"] + explained["Plan"]["Shared Read Blocks"] < 20 * THREADS
