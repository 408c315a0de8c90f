"""The passages of histories that a search reads, and their vectors."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from recuerdo.core.messages import decode
from recuerdo.core.passages import LATEST_THREADS, PassageVector, StoredPassage, TimedQuery
from recuerdo.core.ports import HistoryRepository, PassageRepository, ThreadRepository
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.threads import ABSENT, Head, Version
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts import AsNewTenant
from recuerdo.testing.samples import ALL, commit, fill, request, said, say, texts

MODEL = "model-1"
MINUTE = timedelta(minutes=1)

TIMED: list[tuple[dict[str, Any], list[str]]] = [
    ({"skip": 2, "limit": 2}, ["6", "4"]),
    ({"skip": 6}, []),
    ({"roles": frozenset({"user"})}, ["9", "6", "2"]),
    ({"roles": frozenset({"user"}), "skip": 1}, ["6", "2"]),
    ({"since": NOON + MINUTE * 4, "until": NOON + MINUTE * 9}, ["8", "6", "4"]),
    ({"archived": True}, ["7", "1"]),
    ({"archived": None, "limit": 4}, ["9", "8", "7", "6"]),
    ({"most_bytes": 1}, ["9"]),
    ({"skip": 3, "most_bytes": 1}, ["4"]),
]


class PassageContract(AsNewTenant):
    """The rules for every PassageRepository. Needs `passages`, and `history` and `threads` over the same data."""

    many_threads = 2 * (LATEST_THREADS[0] or 0)
    """More threads of one user than a repository looks through at first."""

    async def test_passages_heads(
        self, passages: PassageRepository, history: HistoryRepository, threads: ThreadRepository, owner: Owner
    ) -> None:
        """The heads are those of the owner's living threads; of one that is named, its own alone."""
        scopes = [owner.thread(name) for name in ("t-1", "t-2", "t-3")]
        for scope in scopes:
            await fill(history, scope, 2)
        await threads.delete(scopes[1], NOON)
        heads = {scope.thread: await history.head(scope) for scope in (scopes[0], scopes[2])}
        assert (await passages.heads(owner)).heads == heads
        assert (await passages.heads(owner, "t-3")).heads == {"t-3": heads["t-3"]}
        assert (await passages.heads(owner, "t-2")).heads == {}

    async def test_passages_heads_follow(
        self, passages: PassageRepository, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """Appends, archiving and clearing each change a thread's head."""
        await fill(history, scope, 2)
        await history.archive(scope, 1, 1, True)
        archived = (await passages.heads(scope.owner)).heads[scope.thread]
        assert archived == await history.head(scope)
        await threads.clear(scope, NOON)
        cleared = (await passages.heads(scope.owner)).heads[scope.thread]
        assert cleared.version > archived.version
        assert cleared == await history.head(scope)

    async def test_passages_heads_since(
        self, passages: PassageRepository, history: HistoryRepository, threads: ThreadRepository, owner: Owner
    ) -> None:
        """After a mark come the heads of new and changed threads, and ABSENT for deleted ones, or all heads again."""
        known, mark = dict[str, Head](), None
        scopes = [owner.thread(f"t-{number}") for number in range(5)]

        async def follow() -> set[str]:
            nonlocal mark
            found = await passages.heads(owner, since=mark)
            of_one = await passages.heads(owner, "t-0", mark)
            assert of_one.heads == {name: head for name, head in found.heads.items() if name == "t-0"}
            if found.since is None:
                known.clear()
            known.update(found.heads)
            mark = found.mark
            assert {name: head for name, head in known.items() if head != ABSENT} == (await passages.heads(owner)).heads
            return set() if found.since is None else {*found.heads}

        for scope in scopes[:4]:
            await fill(history, scope, 2)
        await follow()
        assert await follow() == set()
        await say(history, scopes[0], "more")
        await history.archive(scopes[1], 1, 1, True)
        await threads.clear(scopes[2], NOON)
        await threads.delete(scopes[3], NOON)
        await fill(history, scopes[4], 1)
        await fill(history, Owner(owner.tenant, "another").thread("t-0"), 1)
        assert await follow() in (set(), {scope.thread for scope in scopes})
        await fill(history, scopes[3], 1)
        assert await follow() in (set(), {"t-3"})

    async def test_passages_read(self, passages: PassageRepository, history: HistoryRepository, owner: Owner) -> None:
        """Messages come thread by thread in the order that was asked for, each thread's after the version."""
        for name in ("a", "b", "c"):
            await fill(history, owner.thread(name), 3)
        since = await _since(passages, owner, {"c": 1, "a": 0})
        found = await passages.read(owner, since, MODEL, ALL)
        assert [(each.place.thread, each.place.seq) for each in found] == [
            *(("c", 2), ("c", 3)),
            *(("a", 1), ("a", 2), ("a", 3)),
        ]
        assert texts([each.record for each in found]) == ["2", "3", "1", "2", "3"]
        assert {each.vector for each in found} == {None}

    async def test_passages_read_a_page(
        self, passages: PassageRepository, history: HistoryRepository, owner: Owner
    ) -> None:
        """A limit cuts the rest off, wherever it falls."""
        for name in ("a", "b"):
            await fill(history, owner.thread(name), 3)
        since = await _since(passages, owner, {"a": 0, "b": 0})
        found = await passages.read(owner, since, MODEL, 4)
        assert [(each.place.thread, each.place.seq) for each in found] == [("a", 1), ("a", 2), ("a", 3), ("b", 1)]
        assert await passages.read(owner, {}, MODEL, 4) == []

    async def test_passages_of_another_epoch(
        self, passages: PassageRepository, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """Of a thread that was cleared since its version was seen, nothing is read or picked."""
        await fill(history, scope, 2)
        since = await _since(passages, scope.owner, {scope.thread: 0})
        [place, _] = [each.place for each in await passages.read(scope.owner, since, MODEL, ALL)]
        await threads.clear(scope, NOON)
        await fill(history, scope, 2)
        assert await passages.read(scope.owner, since, MODEL, ALL) == []
        assert await passages.get_many(scope.owner, [place]) == {}

    async def test_passages_archived(
        self, passages: PassageRepository, history: HistoryRepository, owner: Owner
    ) -> None:
        """Archived messages are named, thread by thread, and marked where they are read."""
        for name in ("a", "b"):
            await fill(history, owner.thread(name), 3)
            await history.archive(owner.thread(name), 2, 3, True)
        await history.archive(owner.thread("a"), 3, 3, False)
        archived = await passages.archived(owner, ["a"])
        assert [(place.thread, place.seq) for place in archived] == [("a", 2)]
        found = await passages.read(owner, await _since(passages, owner, {"a": 0}), MODEL, ALL)
        assert [each.record.archived for each in found] == [False, True, False]
        assert {each.place for each in found if each.record.archived} == archived

    async def test_passages_pick(self, passages: PassageRepository, history: HistoryRepository, scope: Scope) -> None:
        """Messages are picked by their places; places without a message are left out."""
        await fill(history, scope, 3)
        stored = await _all(passages, scope)
        wanted = [stored[2].place, stored[0].place]
        beyond = stored[0].place._replace(seq=4)
        picked = await passages.get_many(scope.owner, [*wanted, beyond])
        assert picked == {each.place: each.record for each in (stored[2], stored[0])}

    async def test_passages_keep_vectors(
        self, passages: PassageRepository, history: HistoryRepository, scope: Scope
    ) -> None:
        """A vector comes back with its message, byte by byte, to those who ask for its model; a new one replaces it."""
        await fill(history, scope, 2)
        first, second = (each.place for each in await _all(passages, scope))
        await passages.keep(scope.owner, [PassageVector(first, MODEL, b"old"), PassageVector(second, "other", b"\0")])
        await passages.keep(scope.owner, [PassageVector(first, MODEL, b"\0\xff\x80new")])
        assert [each.vector for each in await _all(passages, scope)] == [b"\0\xff\x80new", None]

    async def test_passages_keep_nothing_for_the_erased(
        self, passages: PassageRepository, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A vector that comes after its message was erased is dropped, and so is one that was there before."""
        await fill(history, scope, 1)
        [place] = [each.place for each in await _all(passages, scope)]
        await passages.keep(scope.owner, [PassageVector(place, MODEL, b"before")])
        await threads.delete(scope, NOON)
        await passages.keep(scope.owner, [PassageVector(place, MODEL, b"late")])
        await fill(history, scope, 1)
        assert [each.vector for each in await _all(passages, scope)] == [None]

    @pytest.mark.parametrize("other", ["user", "tenant"])
    async def test_passages_of_others(
        self, passages: PassageRepository, history: HistoryRepository, scope: Scope, other: str
    ) -> None:
        """A caller that knows another owner's thread and epoch can neither read it nor write to it."""
        await fill(history, scope, 1)
        await history.archive(scope, 1, 1, True)
        since = await _since(passages, scope.owner, {scope.thread: 0})
        [stored] = await _all(passages, scope)
        stranger = replace(scope.owner, **{other: "stranger"})
        await passages.keep(stranger, [PassageVector(stored.place, MODEL, b"forged")])
        assert (await passages.heads(stranger)).heads == {}
        assert await passages.read(stranger, since, MODEL, ALL) == []
        assert await passages.archived(stranger, [scope.thread]) == set()
        assert await passages.get_many(stranger, [stored.place]) == {}
        assert await _all(passages, scope) == [stored]

    async def test_passages_read_odd_names(
        self, passages: PassageRepository, history: HistoryRepository, owner: Owner
    ) -> None:
        """Threads may have any name that is an id."""
        names = ['"', "'; --", "ñandú 👋", "a,b", "[1]", "%", "\\"]
        for name in names:
            await say(history, owner.thread(name), name)
        found = await passages.read(owner, await _since(passages, owner, dict.fromkeys(names, 0)), MODEL, ALL)
        assert texts([each.record for each in found]) == names
        assert len(await passages.get_many(owner, [each.place for each in found])) == len(names)

    async def test_messages_by_time(
        self, passages: PassageRepository, history: HistoryRepository, owner: Owner
    ) -> None:
        """Over all threads the latest come first, by their own times; page by page each comes exactly once."""
        for thread, minutes in (("a", (5, 1, 9)), ("b", (7, 7, 2)), ("c", (3,)), ("d", (7, 4))):
            await commit(history, request(owner.thread(thread), *(said(at=NOON + MINUTE * each) for each in minutes)))
        in_order = [("a", 3), ("d", 1), ("b", 2), ("b", 1), ("a", 1), ("d", 2), ("c", 1), ("b", 3), ("a", 2)]
        for limit in (1, 2, 5, 50):
            places: list[tuple[str, int]] = []
            times: list[datetime] = []
            query = TimedQuery(limit=limit)
            while True:
                page = await passages.by_time(owner, query)
                assert len(page.found) <= limit
                places += [(each.place.thread, each.place.seq) for each in page.found]
                times += [each.created_at for each in page.found]
                if not page.more:
                    break
                query = replace(query, cursor=page.found[-1].timed_place)
            assert places == in_order, limit
            assert times == [NOON + MINUTE * each for each in (9, 7, 7, 7, 5, 4, 3, 2, 1)], limit

    async def test_messages_by_time_that_match(
        self, passages: PassageRepository, history: HistoryRepository, owner: Owner
    ) -> None:
        """Roles, times and archived marks select; what is skipped is counted among those, and takes no bytes."""
        for thread, minutes in (("a", (1, 4, 6)), ("b", (2, 7, 8, 9))):
            messages = (
                said(str(each), "assistant" if each in (4, 8) else "user", at=NOON + MINUTE * each) for each in minutes
            )
            await commit(history, request(owner.thread(thread), *messages))
        await history.archive(owner.thread("a"), 1, 1, True)
        await history.archive(owner.thread("b"), 2, 2, True)
        for query, expected in TIMED:
            page = await passages.by_time(owner, TimedQuery(**query))
            assert [decode(each.record.body).text for each in page.found] == expected, query
            assert {each.record.archived for each in page.found} <= {query.get("archived"), False, True}, query
            assert page.more is ("most_bytes" in query or query.get("limit") in (2, 4)), query

    async def test_messages_by_time_of_many_threads(
        self, passages: PassageRepository, history: HistoryRepository, threads: ThreadRepository, owner: Owner
    ) -> None:
        """Messages dated after their thread's last change are in their place, however many threads changed since."""
        day, many = MINUTE * 1440, self.many_threads
        times = [NOON + MINUTE * place for place in range(many)]
        appends = [request(owner.thread(f"t-{each}"), said(at=at), at=at) for each, at in enumerate(times)]
        await history.append(appends)
        dated = owner.thread("dated"), owner.thread("dated-many")
        for scope, messages in zip(dated, (1, 2), strict=True):
            await commit(history, request(scope, *(said(at=NOON + 3 * day) for _ in range(messages)), at=NOON))
            await commit(history, request(scope, said(at=NOON), at=NOON))
        await threads.fork(dated[0], 1, "fork", NOON)
        for name, messages in (("set-back", 1), ("set-back-many", 2)):
            await commit(history, request(owner.thread(name), said(at=NOON + 2 * day), at=NOON + 2 * day))
            await commit(history, request(owner.thread(name), *(said(at=NOON) for _ in range(messages)), at=NOON))
        first = (await passages.by_time(owner, TimedQuery(limit=7))).found
        assert {each.place.thread for each in first[:4]} == {"dated", "dated-many", "fork"}
        assert {each.place.thread for each in first[4:6]} == {"set-back", "set-back-many"}
        assert first[6].place.thread == f"t-{many - 1}"
        for skip in (6, many - 9, many + 1):
            page = await passages.by_time(owner, TimedQuery(limit=2, skip=skip))
            assert [each.created_at for each in page.found] == times[::-1][skip - 6 : skip - 4]
        since, until = times[5], times[9]
        between = await passages.by_time(owner, TimedQuery(limit=2, since=since, until=until))
        assert [each.created_at for each in between.found] == times[8:6:-1]
        beginning = await passages.by_time(owner, TimedQuery(limit=2, since=datetime.min.replace(tzinfo=UTC)))
        assert beginning.found == first[:2]
        for scope in dated:
            await threads.clear(scope, NOON)
        assert (await passages.by_time(owner, TimedQuery(limit=1))).found[0].place.thread == "fork"

    async def test_messages_by_time_of_living_threads(
        self, passages: PassageRepository, history: HistoryRepository, threads: ThreadRepository, owner: Owner
    ) -> None:
        """Messages of cleared and deleted threads and of other users are not there; those of forks are."""
        for name in ("cleared", "deleted", "kept"):
            await fill(history, owner.thread(name), 2)
        await fill(history, Owner(owner.tenant, "another").thread("kept"), 3)
        await threads.clear(owner.thread("cleared"), NOON)
        await threads.delete(owner.thread("deleted"), NOON)
        await threads.fork(owner.thread("kept"), 1, "fork", NOON)
        await say(history, owner.thread("cleared"), "anew")
        page = await passages.by_time(owner, TimedQuery())
        assert [(each.place.thread, each.place.seq) for each in page.found] == [
            *(("fork", 1), ("cleared", 1)),
            *(("kept", 2), ("kept", 1)),
        ]
        assert (await passages.by_time(Owner(f"{owner.tenant}x", owner.user), TimedQuery())).found == []


async def _since(passages: PassageRepository, owner: Owner, seqs: dict[str, int]) -> dict[str, Version]:
    heads = (await passages.heads(owner)).heads
    return {thread: Version(heads[thread].version.epoch, seq) for thread, seq in seqs.items()}


async def _all(passages: PassageRepository, scope: Scope) -> list[StoredPassage]:
    return await passages.read(scope.owner, await _since(passages, scope.owner, {scope.thread: 0}), MODEL, ALL)
