"""The tier in this process: a bounded room, and loads that changes break."""
# pyright: basic

import asyncio

import pytest

from recuerdo.caching.history import LocalTier, page_of, snapshot_size, tail_of
from recuerdo.concurrency.coalescer import SingleFlight
from recuerdo.core.messages import Record
from recuerdo.core.threads import AppendedRecords, Head, MessageQuery, Snapshot, Version
from recuerdo.testing.samples import fresh_scope


def snapshot(*bodies, epoch=1):
    records = [Record(seq, False, body) for seq, body in enumerate(bodies, 1)]
    return Snapshot(Head(Version(epoch, len(bodies)), 0), None, records)


def put(tier, scope, kept):
    return tier.put(scope, tier.begin(scope), kept)


def test_the_room_is_counted_in_bytes():
    """However large the entries are, together they take no more than their room; those used last stay."""
    large = snapshot(b"x" * 1000)
    tier = LocalTier(3 * snapshot_size(large))
    scopes = [fresh_scope() for _ in range(4)]
    for scope in scopes[:3]:
        put(tier, scope, large)
    tier.get(scopes[0])
    put(tier, scopes[3], large)
    assert [tier.get(scope) is not None for scope in scopes] == [True, False, True, True]


def test_answers_end_where_their_bytes_do():
    """With the message that fills them, and say that there are more."""
    kept = snapshot(*[b"x" * 10] * 4)
    tail = tail_of(kept, 4, most_bytes=20)
    newest = page_of(kept, MessageQuery(limit=4, most_bytes=20))
    oldest = page_of(kept, MessageQuery(limit=4, after=0, most_bytes=20))
    assert [[record.seq for record in found.records] for found in (tail, newest, oldest)] == [[3, 4], [3, 4], [1, 2]]
    assert (tail.is_full, newest.more, oldest.more) == (True, True, True)
    assert not page_of(kept, MessageQuery(limit=4, most_bytes=41)).more


def test_an_entry_that_grows_takes_room():
    """Appended messages are counted: it makes others leave, and at last the entry itself."""
    tier = LocalTier(2 * snapshot_size(snapshot(b"x" * 1000)))
    first, second = fresh_scope(), fresh_scope()
    put(tier, first, snapshot(b"a"))
    put(tier, second, snapshot(b"b"))
    tier.append(AppendedRecords(second, 1, [Record(2, False, b"x" * 2000)], 0))
    assert tier.get(first) is None
    assert tier.get(second) is not None
    tier.append(AppendedRecords(second, 1, [Record(3, False, b"x" * 5000)], 0))
    assert tier.get(second) is None
    assert put(tier, first, snapshot(b"a"))
    assert tier.get(first) is not None


def test_an_entry_larger_than_the_room():
    """It is not kept, and what it pushed out leaves room for others."""
    tier = LocalTier(1000)
    scope = fresh_scope()
    put(tier, scope, snapshot(b"x" * 5000))
    assert tier.get(scope) is None
    put(tier, scope, snapshot(b"x"))
    assert tier.get(scope) is not None


@pytest.mark.parametrize("change", ["append", "drop", "drop_all"])
def test_what_was_read_before_a_change(change):
    """A value that was loaded while the thread changed is not kept, whatever the change was."""
    tier, scope = LocalTier(), fresh_scope()
    load = tier.begin(scope)
    {
        "append": lambda: tier.append(AppendedRecords(scope, 1, [Record(2, False, b"b")], 0)),
        "drop": lambda: tier.drop(scope),
        "drop_all": tier.drop_all,
    }[change]()
    assert not tier.put(scope, load, snapshot(b"a"))
    assert tier.get(scope) is None


async def test_one_flight_for_all():
    """Callers at the same moment share one piece of work, and one who leaves does not end it for the others."""
    flights, landed, begun = SingleFlight(), asyncio.Event(), []

    async def work():
        begun.append(1)
        await landed.wait()
        return len(begun)

    callers = [asyncio.create_task(flights.run("key", work)) for _ in range(3)]
    await asyncio.sleep(0)
    callers[0].cancel()
    await asyncio.sleep(0)
    landed.set()
    assert await asyncio.gather(*callers[1:]) == [1, 1]
    assert await flights.run("key", work) == 2
