"""The rules for every CheckpointRepository."""

import pytest

from recuerdo.core.checkpoints import (
    CheckpointBatch,
    CheckpointQuery,
    CommitRefused,
    Committed,
    Generation,
    KnownRange,
    Segment,
    Span,
    StoredCheckpoint,
    StoredWrite,
    Survey,
    SweptRows,
)
from recuerdo.core.errors import ThreadExists
from recuerdo.core.graph_ports import CheckpointRepository
from recuerdo.core.scope import Owner, Scope
from recuerdo.testing.contracts import AsNewTenant


def row(checkpoint: str, parent: str = "", *, namespace: str = "", run: str = "") -> StoredCheckpoint:
    """A checkpoint."""
    return StoredCheckpoint(namespace, checkpoint, parent, run, checkpoint.encode(), b"about")


def write(checkpoint: str, task: str, place: int, body: bytes = b"w", path: str = "") -> StoredWrite:
    """A write at it."""
    return StoredWrite("", checkpoint, task, place, path, "channel", body)


async def save(checkpoints: CheckpointRepository, batch: CheckpointBatch) -> Generation:
    """Commit what must not be refused."""
    outcome = await checkpoints.commit(batch)
    assert isinstance(outcome, Committed)
    return outcome.generation


class CheckpointContract(AsNewTenant):
    """A repository that keeps what was committed, and refuses what others have overtaken."""

    async def test_a_checkpoint_comes_back_with_its_writes_in_order(
        self, checkpoints: CheckpointRepository, scope: Scope
    ) -> None:
        """Writes stand by path, task and place; only special ones are replaced."""
        assert await checkpoints.load(scope, "", None) is None
        writes = [
            write("1", "b", 0),
            write("1", "a", 1),
            write("1", "a", 0),
            write("1", "c", 0, path="~"),
            write("1", "a", -1),
        ]
        generation = await save(checkpoints, CheckpointBatch(scope, None, [row("1", run="r")], writes))
        again = [write("1", "a", 0, b"new"), write("1", "a", -1, b"new")]
        assert await save(checkpoints, CheckpointBatch(scope, generation, writes=again)) == generation
        found = await checkpoints.load(scope, "", None)
        assert found is not None
        assert (found.thread, found.generation, found.checkpoint) == (scope.thread, generation, row("1", run="r"))
        assert [(each.task, each.place, each.body) for each in found.writes] == [
            *[("a", -1, b"new"), ("a", 0, b"w"), ("a", 1, b"w")],
            *[("b", 0, b"w"), ("c", 0, b"w")],
        ]

    async def test_the_latest_of_each_namespace_is_the_one_with_the_greatest_id(
        self, checkpoints: CheckpointRepository, scope: Scope
    ) -> None:
        """A checkpoint that is saved again replaces the one before."""
        rows = [row("2", "1"), row("1"), row("3", namespace="inner")]
        generation = await save(checkpoints, CheckpointBatch(scope, None, rows))
        changed = row("2", "1")._replace(body=b"changed")
        await save(checkpoints, CheckpointBatch(scope, generation, [changed]))
        for namespace, asked, expected in (("", None, changed), ("", "1", row("1")), ("inner", None, rows[2])):
            found = await checkpoints.load(scope, namespace, asked)
            assert found is not None
            assert found.checkpoint == expected
        assert await checkpoints.load(scope, "", "3") is None

    async def test_a_log_grows_at_its_end_only(self, checkpoints: CheckpointRepository, scope: Scope) -> None:
        """A writer that does not know the end is told it, and nothing of its batch is there."""
        generation = await save(checkpoints, CheckpointBatch(scope, None, segments=[Segment("log", 0, 2, b"ab")]))
        for start in (0, 1, 3):
            batch = CheckpointBatch(scope, generation, [row("1")], segments=[Segment("log", start, 1, b"x")])
            assert await checkpoints.commit(batch) == CommitRefused(generation, {"log": 2})
        assert await checkpoints.load(scope, "", None) is None
        await save(checkpoints, CheckpointBatch(scope, generation, segments=[Segment("log", 2, 1, b"c")]))

    async def test_contents_are_the_segments_that_spans_touch(
        self, checkpoints: CheckpointRepository, scope: Scope
    ) -> None:
        """Missing segments are left out, and values are found by their digests."""
        parts = [Segment("log", 0, 2, b"ab"), Segment("log", 2, 3, b"cde"), Segment("log", 5, 1, b"f")]
        generation: Generation | None = None
        for part in parts:
            generation = await save(
                checkpoints, CheckpointBatch(scope, generation, segments=[part], values={b"d": b"v"})
            )
        assert generation is not None
        for span, expected in ((Span("log", 1, 3), parts[:2]), (Span("log", 3, 4), parts[1:2]), (Span("no", 0, 1), [])):
            found = await checkpoints.contents(generation, scope, [span], [b"d", b"none"])
            assert (found.segments, found.values) == (expected, {b"d": b"v"})

    async def test_a_writer_of_another_generation_is_refused(
        self, checkpoints: CheckpointRepository, scope: Scope
    ) -> None:
        """A sweep counts, and a thread that was erased and made again has a key that it never had."""
        first = await save(checkpoints, CheckpointBatch(scope, None, [row("1")]))
        assert await checkpoints.commit(CheckpointBatch(scope, None, [row("2")])) == CommitRefused(first, {})
        await checkpoints.sweep(scope, lambda _: SweptRows([], [], []))
        swept = Generation(first.key, first.sweeps + 1)
        assert await checkpoints.commit(CheckpointBatch(scope, first, [row("2")])) == CommitRefused(swept, {})
        await checkpoints.erase(scope)
        assert await checkpoints.commit(CheckpointBatch(scope, swept, [row("2")])) == CommitRefused(None, {})
        assert (await save(checkpoints, CheckpointBatch(scope, None, [row("2")]))).key != first.key

    async def test_a_sweep_takes_what_is_decided_and_no_more(
        self, checkpoints: CheckpointRepository, scope: Scope
    ) -> None:
        """An emptied segment keeps its positions taken."""
        parts = [Segment("log", 0, 1, b"a"), Segment("other", 0, 1, b"b")]
        batch = CheckpointBatch(
            scope, None, [row("1"), row("2")], [write("1", "t", 0)], parts, {b"d": b"v", b"e": b"w"}
        )
        generation = await save(checkpoints, batch)
        seen: list[Survey] = []

        def decide(survey: Survey) -> SweptRows:
            seen.append(survey)
            return SweptRows([("", "1")], [("other", 0)], [b"d"], [("log", 0)])

        await checkpoints.sweep(scope, decide)
        [survey] = seen
        assert (len(survey.checkpoints), len(survey.writes), sorted(survey.digests)) == (2, 1, [b"d", b"e"])
        assert sorted(survey.segments) == [part._replace(data=b"") for part in parts]
        found = await checkpoints.contents(generation, scope, [Span("log", 0, 1), Span("other", 0, 1)], [b"d", b"e"])
        assert (found.segments, found.values) == ([Segment("log", 0, 1, b"")], {b"e": b"w"})
        left = await checkpoints.select(CheckpointQuery(scope.owner))
        assert [each.checkpoint.id for each in left] == ["2"]

    @pytest.mark.parametrize("gone", [["1"], ["1", "2", "3"]])
    async def test_a_sweep_leaves_the_writes_of_what_stays(
        self, checkpoints: CheckpointRepository, scope: Scope, gone: list[str]
    ) -> None:
        """However many go: also those of another namespace's namesake, and those whose checkpoint is still to come."""
        rows = [row(each) for each in "1234"] + [row("1", namespace="inner")]
        writes = [write(each, "t", 0) for each in "12345"] + [write("1", "t", 0)._replace(namespace="inner")]
        await save(checkpoints, CheckpointBatch(scope, None, rows, writes))
        await checkpoints.sweep(scope, lambda _: SweptRows([("", each) for each in gone], [], []))
        seen: list[Survey] = []
        await checkpoints.sweep(scope, lambda survey: seen.append(survey) or SweptRows([], [], []))
        expected = [each for each in rows if each.namespace or each.id not in gone]
        assert sorted(seen[0].checkpoints) == sorted(expected)
        assert sorted(seen[0].writes) == sorted(
            (each.namespace, each.checkpoint, each.body)
            for each in writes
            if each.namespace or each.checkpoint not in gone
        )

    async def test_a_list_goes_on_where_its_page_ended(self, checkpoints: CheckpointRepository, scope: Scope) -> None:
        """Over all threads of the owner, the latest first; filters hold together."""
        for thread in ("a", "b"):
            rows = [row(str(number), run=thread, namespace=name) for number in range(3) for name in ("", "inner")]
            await save(checkpoints, CheckpointBatch(scope.owner.thread(thread), None, rows))
        query, found = CheckpointQuery(scope.owner, limit=5), list[tuple[str, str, str]]()
        while page := await checkpoints.select(query):
            found += [(each.checkpoint.id, each.thread, each.checkpoint.namespace) for each in page]
            query = query._replace(after=found[-1])
        assert found == [(number, thread, name) for number in "210" for thread in "ab" for name in ("", "inner")]
        narrow = CheckpointQuery(scope.owner, "a", "inner", before="2")
        assert [each.checkpoint.id for each in await checkpoints.select(narrow)] == ["1", "0"]
        assert await checkpoints.threads_of(scope.owner, ["b", "c"]) == ["b"]
        assert await checkpoints.threads_of(scope.owner, []) == []

    async def test_what_is_known_of_the_latest_checkpoints_is_read_again_only_when_it_changed(
        self, checkpoints: CheckpointRepository, scope: Scope
    ) -> None:
        """The mark is of all but the latest, and sees each change of a row, of a write and of the thread."""
        assert (await checkpoints.recent(scope, "", KnownRange("2"), 9)).rows == []
        rows = [row(str(number), str(number - 1)) for number in range(1, 5)]
        generation = await save(checkpoints, CheckpointBatch(scope, None, [*rows, row("9", namespace="inner")]))
        first = await checkpoints.recent(scope, "", KnownRange("2"), 9)
        assert [each.checkpoint for each in first.rows] == [rows[3], rows[2], rows[1]]
        assert (first.rows[0].thread, first.rows[0].generation) == (scope.thread, generation)
        later = [write("4", "t", 1), write("4", "t", 0)]
        await save(checkpoints, CheckpointBatch(scope, generation, [row("5", "4")], later))
        again = await checkpoints.recent(scope, "", first.mark, 9)
        assert [(each.checkpoint.id, len(each.writes)) for each in again.rows] == [("5", 0), ("4", 2)]
        assert again.are_known
        assert again.rows[1].writes == later[::-1]
        for changed in (
            CheckpointBatch(scope, generation, [row("2", "")]),
            CheckpointBatch(scope, generation, writes=[write("3", "t", 0)]),
            CheckpointBatch(scope, generation, writes=[write("3", "t", -1)]),
            CheckpointBatch(scope, generation, writes=[write("3", "t", -1, b"other")]),
        ):
            known = (await checkpoints.recent(scope, "", KnownRange("2"), 9)).mark
            assert (await checkpoints.recent(scope, "", known, 9)).are_known
            await save(checkpoints, changed)
            found = await checkpoints.recent(scope, "", known, 9)
            assert not found.are_known
            assert [each.checkpoint.id for each in found.rows] == ["5", "4", "3", "2"]
        assert [each.checkpoint.id for each in (await checkpoints.recent(scope, "", KnownRange("2"), 2)).rows] == [
            "5",
            "4",
        ]

    async def test_a_copy_is_a_thread_of_its_own(self, checkpoints: CheckpointRepository, scope: Scope) -> None:
        """It goes on growing alone, and no copy is made over a thread."""
        batch = CheckpointBatch(
            scope, None, [row("1")], [write("1", "t", 0)], [Segment("log", 0, 1, b"a")], {b"d": b"v"}
        )
        await save(checkpoints, batch)
        assert await checkpoints.copy(scope, "copy")
        assert not await checkpoints.copy(scope.owner.thread("absent"), "other")
        with pytest.raises(ThreadExists):
            await checkpoints.copy(scope, "copy")
        await checkpoints.erase(scope)
        found = await checkpoints.load(scope.owner.thread("copy"), "", None)
        assert found is not None
        assert (found.checkpoint, len(found.writes)) == (row("1"), 1)
        contents = await checkpoints.contents(found.generation, scope.owner.thread("copy"), [Span("log", 0, 1)], [b"d"])
        assert (len(contents.segments), contents.values) == (1, {b"d": b"v"})

    async def test_owners_are_apart(self, checkpoints: CheckpointRepository, scope: Scope) -> None:
        """The same thread of another user, or of another tenant, is another thread."""
        others = [Scope(scope.tenant, "other", scope.thread), Scope(f"{scope.tenant}x", scope.user, scope.thread)]
        await save(checkpoints, CheckpointBatch(scope, None, [row("1", run="r")]))
        for other in others:
            assert await checkpoints.load(other, "", None) is None
            assert await checkpoints.select(CheckpointQuery(other.owner)) == []
            assert await checkpoints.threads_of(other.owner, ["r"]) == []
            await checkpoints.erase(other)
            await save(checkpoints, CheckpointBatch(other, None, [row("2")]))
        assert len(await checkpoints.select(CheckpointQuery(scope.owner))) == 1

    async def test_all_of_an_owner_goes_and_nobody_elses(self, checkpoints: CheckpointRepository, scope: Scope) -> None:
        """Threads that hold writes and no checkpoint go, too."""
        other, bare = Scope(scope.tenant, "other", scope.thread), scope.owner.thread("bare")
        for each in (scope, other):
            await save(checkpoints, CheckpointBatch(each, None, [row("1")]))
        generation = await save(checkpoints, CheckpointBatch(bare, None, [], [write("1", "a", 0)]))
        assert await checkpoints.erase_all(scope.owner) == 2
        assert await checkpoints.erase_all(scope.owner) == 0
        assert await checkpoints.select(CheckpointQuery(scope.owner)) == []
        assert await save(checkpoints, CheckpointBatch(bare, None, [row("1")])) != generation
        found = await checkpoints.load(bare, "", "1")
        assert found is not None
        assert found.writes == []
        assert len(await checkpoints.select(CheckpointQuery(other.owner))) == 1

    async def test_owners_come_in_order_a_page_at_a_time(self, checkpoints: CheckpointRepository, scope: Scope) -> None:
        """Owners with checkpoints are listed in order, of one tenant or of all."""
        owners = [Owner(scope.tenant, f"{scope.user}-{number}") for number in range(3)]
        for owner in (*owners, Owner(f"{scope.tenant}x", scope.user)):
            for thread in "ab":
                await save(checkpoints, CheckpointBatch(owner.thread(thread), None, [row("1")]))
        assert await checkpoints.owners(scope.tenant, 2) == owners[:2]
        assert await checkpoints.owners(scope.tenant, 2, owners[1]) == owners[2:]
        everybody, page = list[Owner](), await checkpoints.owners(None, 2)
        while page:
            everybody += page
            page = await checkpoints.owners(None, 2, page[-1])
        assert {*owners, Owner(f"{scope.tenant}x", scope.user)} <= {*everybody}
