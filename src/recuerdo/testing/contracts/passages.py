"""The passages of histories that a search reads, and their vectors."""

import pytest
from msgspec.structs import replace

from recuerdo.core.passages import PassageVector, StoredPassage
from recuerdo.core.ports import HistoryRepository, PassageRepository, ThreadRepository
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.threads import Version
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts import AsNewTenant
from recuerdo.testing.samples import ALL, fill, say, texts

MODEL = "model-1"


class PassageContract(AsNewTenant):
    """The rules for every PassageRepository. Needs `passages`, and `history` and `threads` over the same data."""

    async def test_passages_heads(
        self, passages: PassageRepository, history: HistoryRepository, threads: ThreadRepository, owner: Owner
    ) -> None:
        """The heads are those of the owner's living threads; of one that is named, its own alone."""
        scopes = [owner.thread(name) for name in ("t-1", "t-2", "t-3")]
        for scope in scopes:
            await fill(history, scope, 2)
        await threads.delete(scopes[1], NOON)
        heads = {scope.thread: await history.head(scope) for scope in (scopes[0], scopes[2])}
        assert await passages.heads(owner) == heads
        assert await passages.heads(owner, "t-3") == {"t-3": heads["t-3"]}
        assert await passages.heads(owner, "t-2") == {}

    async def test_passages_heads_follow(
        self, passages: PassageRepository, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """Appends, archiving and clearing each change a thread's head."""
        await fill(history, scope, 2)
        await history.archive(scope, 1, 1, True)
        archived = (await passages.heads(scope.owner))[scope.thread]
        assert archived == await history.head(scope)
        await threads.clear(scope, NOON)
        cleared = (await passages.heads(scope.owner))[scope.thread]
        assert cleared.version > archived.version
        assert cleared == await history.head(scope)

    async def test_passages_read(self, passages: PassageRepository, history: HistoryRepository, owner: Owner) -> None:
        """Messages come thread by thread in the order that was asked for, each thread's behind the version."""
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
        assert await passages.heads(stranger) == {}
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


async def _since(passages: PassageRepository, owner: Owner, seqs: dict[str, int]) -> dict[str, Version]:
    heads = await passages.heads(owner)
    return {thread: Version(heads[thread].version.epoch, seq) for thread, seq in seqs.items()}


async def _all(passages: PassageRepository, scope: Scope) -> list[StoredPassage]:
    return await passages.read(scope.owner, await _since(passages, scope.owner, {scope.thread: 0}), MODEL, ALL)
