"""Clearing, deleting and forking threads."""

from datetime import timedelta

import pytest

from recuerdo.core.errors import InvalidInput, NotFound, ThreadExists
from recuerdo.core.messages import ROLES
from recuerdo.core.ports import HistoryRepository, ThreadRepository
from recuerdo.core.scope import Scope
from recuerdo.core.threads import MessageQuery, Thread, Version
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts import AsNewTenant
from recuerdo.testing.samples import commit, everything, fill, request, said, say, seqs, texts

LATER = NOON + timedelta(minutes=1, microseconds=1)
LATEST = NOON + timedelta(minutes=2)


class EraseContract(AsNewTenant):
    """The rules for `clear` and `delete`."""

    async def test_erase_a_cleared_thread(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A cleared thread is there, empty, without a title, changed at the time of the clear, in a later version."""
        before = await commit(history, request(scope, said("gone"), said("too"), title="Gone"))
        version = await threads.clear(scope, LATER)
        assert version is not None
        assert (version.seq, version > before.version) == (0, True)
        assert await threads.get(scope) == Thread(
            id=scope.thread, version=version, title="", created_at=NOON, updated_at=LATER
        )
        assert await everything(history, scope) == []

    async def test_erase_after_a_clear(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """After a clear, appends start at seq 1 of the new epoch; message ids and the title are free again."""
        await commit(history, request(scope, said("old", id="m-1"), title="Old"))
        version = await threads.clear(scope, NOON)
        assert version is not None
        receipt = await commit(history, request(scope, said("new", id="m-1"), title="New"))
        thread = await threads.get(scope)
        assert thread is not None
        assert (receipt.version, thread.title) == ((version.epoch, 1), "New")
        assert texts(await everything(history, scope)) == ["new"]

    async def test_erase_clearing_the_absent(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """To clear an absent or a deleted thread is None, and makes none."""
        assert await threads.clear(scope, NOON) is None
        assert await threads.get(scope) is None
        await say(history, scope, "x")
        await threads.delete(scope, NOON)
        assert await threads.clear(scope, NOON) is None
        assert await threads.get(scope) is None

    async def test_erase_clearing_the_empty(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """To clear an empty thread starts a new epoch too."""
        await say(history, scope, "x")
        first, second = await threads.clear(scope, NOON), await threads.clear(scope, NOON)
        assert first is not None
        assert second is not None
        assert second > first

    async def test_erase_a_cleared_thread_is_listed(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A cleared thread stays in the list, as one that changed just now."""
        for name in ("t-1", "t-2"):
            await say(history, scope.owner.thread(name), "x")
        await threads.clear(scope.owner.thread("t-2"), LATER)
        assert [thread.id for thread in (await threads.select(scope.owner, 50)).threads] == ["t-2", "t-1"]

    async def test_erase_a_deleted_thread(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A deleted thread is absent from everywhere."""
        await fill(history, scope, 3)
        assert await threads.delete(scope, NOON) is True
        assert await threads.get(scope) is None
        assert (await threads.select(scope.owner, 50)).threads == []
        assert await everything(history, scope) == []

    async def test_erase_deleting_the_absent(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """To delete an absent thread, or one a second time, is False."""
        assert await threads.delete(scope, NOON) is False
        await say(history, scope, "x")
        assert await threads.delete(scope, NOON) is True
        assert await threads.delete(scope, NOON) is False

    async def test_erase_after_a_delete(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """An append after a delete makes a new thread of the old id: new epoch, seq 1, new title, new times."""
        old = await commit(history, request(scope, said("old", id="m-1"), said("b"), title="Old"))
        await threads.delete(scope, LATER)
        new = await commit(history, request(scope, said("new", id="m-1"), title="New", at=LATEST))
        assert new.version > old.version
        assert new.first_seq == 1
        assert await threads.get(scope) == Thread(
            id=scope.thread, version=new.version, title="New", created_at=LATEST, updated_at=LATEST
        )
        assert texts(await everything(history, scope)) == ["new"]

    async def test_erase_epochs_never_return(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """Through clears, deletes, appends and forks, a thread never has the same epoch twice and they only grow."""
        source = scope.owner.thread("source")
        await say(history, source, "x")
        versions: list[Version] = []
        for _ in range(3):
            versions.append((await say(history, scope, "x")).version)
            versions.append(await threads.clear(scope, NOON) or Version(0, 0))
            await threads.delete(scope, NOON)
            versions.append((await threads.fork(source, 1, scope.thread, NOON)).version)
            await threads.delete(scope, NOON)
        epochs = [version.epoch for version in versions]
        assert epochs == sorted(set(epochs))

    async def test_erase_a_deleted_owner_can_begin_again(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """When all of an owner's threads were deleted, a new one still gets an epoch that none of them had."""
        seen = {(await say(history, scope.owner.thread(name), "x")).version.epoch for name in "abc"}
        for name in "abc":
            await threads.delete(scope.owner.thread(name), NOON)
        for name in "abc":
            assert (await say(history, scope.owner.thread(name), "x")).version.epoch not in seen


class ForkContract(AsNewTenant):
    """The rules for `fork`."""

    @pytest.fixture
    def target(self, scope: Scope) -> Scope:
        return scope.owner.thread("target")

    async def test_fork_a_copy(self, history: HistoryRepository, threads: ThreadRepository, scope: Scope) -> None:
        """A fork has the messages 1..at_seq, seqs, bodies and archived marks and all."""
        await fill(history, scope, 5)
        await history.archive(scope, 2, 3, True)
        source = await everything(history, scope)
        for at_seq in (0, 1, 3, 5):
            await threads.fork(scope, at_seq, f"target-{at_seq}", LATER)
            assert await everything(history, scope.owner.thread(f"target-{at_seq}")) == source[:at_seq]
            assert await everything(history, scope) == source

    async def test_fork_the_new_thread(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope, target: Scope
    ) -> None:
        """The fork is a thread of its own: its epoch, the title of the source, and the time of the fork."""
        source = await commit(history, request(scope, said(), said(), title="Kept"))
        fork = await threads.fork(scope, 1, "target", LATER)
        assert fork.version.epoch != source.version.epoch
        assert fork == Thread(id="target", version=fork.version, title="Kept", created_at=LATER, updated_at=LATER)
        assert fork.version.seq == 1
        assert await threads.get(target) == fork
        assert [thread.id for thread in (await threads.select(scope.owner, 50)).threads] == ["target", scope.thread]

    async def test_fork_the_source_stays(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """The source of a fork does not change."""
        await commit(history, request(scope, said(), title="Source"))
        before = await threads.get(scope)
        await threads.fork(scope, 1, "target", LATER)
        assert await threads.get(scope) == before

    async def test_fork_they_part(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope, target: Scope
    ) -> None:
        """After the fork both go their own ways, whichever of them changes, is archived, cleared or deleted."""
        await fill(history, scope, 3)
        await threads.fork(scope, 2, "target", LATER)
        assert (await commit(history, request(target, said("mine", id="m-9")))).first_seq == 3
        assert (await commit(history, request(scope, said("yours", id="m-9")))).first_seq == 4
        await history.archive(scope, 1, 1, True)
        assert texts((await history.page(target, MessageQuery())).records) == ["1", "2", "mine"]
        await threads.clear(target, LATER)
        assert texts(await everything(history, scope)) == ["1", "2", "3", "yours"]
        await threads.fork(scope, 4, "another", LATER)
        await say(history, scope, "later")
        await history.archive(scope, 1, 5, True)
        await threads.delete(scope, LATER)
        another = await everything(history, scope.owner.thread("another"))
        assert texts(another) == ["1", "2", "3", "yours"]
        assert [record.seq for record in another if record.archived] == [1]

    async def test_fork_ids_are_taken(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope, target: Scope
    ) -> None:
        """The copies keep their ids, so that they are taken in the fork; those after the cut are free."""
        await commit(history, request(scope, said("a", id="m-1"), said("b", id="m-2")))
        await threads.fork(scope, 1, "target", LATER)
        outcomes = await history.append([request(target, said(id="m-1")), request(target, said(id="m-2"))])
        assert [isinstance(outcome, Exception) for outcome in outcomes] == [True, False]

    async def test_fork_keys_stay_behind(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope, target: Scope
    ) -> None:
        """Idempotency keys of the source are new in the fork, and still known in the source."""
        await commit(history, request(scope, said("a"), key="k"))
        await threads.fork(scope, 1, "target", LATER)
        assert not (await commit(history, request(target, said("other"), key="k"))).replayed
        assert (await commit(history, request(scope, said("a"), key="k"))).replayed

    async def test_fork_filters_hold_in_the_fork(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope, target: Scope
    ) -> None:
        """The copies keep their roles and times: pages, counts and tails of the fork tell them as the source does."""
        messages = [said(role, role, at=NOON + timedelta(hours=hour)) for hour, role in enumerate(ROLES)]
        await commit(history, request(scope, *messages))
        await threads.fork(scope, 4, "target", LATER)
        page = await history.page(target, MessageQuery(since=NOON + timedelta(hours=2)))
        tail = await history.tail(target, 2)
        assert seqs(page.records) == [3, 4]
        assert await history.count(target) == dict.fromkeys(ROLES, 1)
        assert (tail.system, seqs(tail.records)) == ((1, False, messages[0].body), [3, 4])

    async def test_fork_a_fork_of_a_fork(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope, target: Scope
    ) -> None:
        """A fork can be forked."""
        await fill(history, scope, 3)
        await threads.fork(scope, 2, "target", LATER)
        await say(history, target, "mine")
        await threads.fork(target, 3, "grandchild", LATER)
        assert texts(await everything(history, scope.owner.thread("grandchild"))) == ["1", "2", "mine"]

    async def test_fork_a_long_fork(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope, target: Scope
    ) -> None:
        """A thread of 1,500 messages forks whole."""
        for _ in range(2):
            await fill(history, scope, 750)
        assert (await threads.fork(scope, 1500, "target", LATER)).version.seq == 1500
        assert await everything(history, target) == await everything(history, scope)

    async def test_fork_an_absent_source(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope, target: Scope
    ) -> None:
        """A source that is absent, deleted or another user's is NotFound, and no target is made."""
        await say(history, scope, "x")
        await say(history, scope.owner.thread("deleted"), "x")
        await threads.delete(scope.owner.thread("deleted"), NOON)
        stranger = Scope(scope.tenant, "stranger", scope.thread)
        for source in (scope.owner.thread("absent"), scope.owner.thread("deleted"), stranger):
            with pytest.raises(NotFound) as raised:
                await threads.fork(source, 0, "target", LATER)
            assert (raised.value.what, raised.value.identifier) == ("thread", source.thread)
        assert await threads.get(target) is None

    async def test_fork_a_taken_target(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope, target: Scope
    ) -> None:
        """A target that is alive, the source itself included, is ThreadExists, and stays as it is."""
        await say(history, scope, "x")
        await say(history, target, "mine")
        for taken in ("target", scope.thread):
            with pytest.raises(ThreadExists):
                await threads.fork(scope, 1, taken, LATER)
        assert texts(await everything(history, target)) == ["mine"]

    async def test_fork_an_empty_target_is_taken(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope, target: Scope
    ) -> None:
        """A target that was cleared is still there, and taken."""
        await say(history, scope, "x")
        await say(history, target, "mine")
        await threads.clear(target, NOON)
        with pytest.raises(ThreadExists):
            await threads.fork(scope, 1, "target", LATER)

    async def test_fork_a_deleted_target(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope, target: Scope
    ) -> None:
        """A target that was deleted is free: the fork revives it in a new epoch, with nothing of before."""
        await say(history, scope, "x")
        old = await commit(history, request(target, said("old"), said("old"), title="Old", key="k"))
        await threads.delete(target, NOON)
        fork = await threads.fork(scope, 1, "target", LATER)
        assert fork.version > old.version
        assert (fork.title, fork.created_at) == ("", LATER)
        assert texts(await everything(history, target)) == ["x"]

    async def test_fork_beyond_the_end(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope, target: Scope
    ) -> None:
        """A cut after the last message is InvalidInput of the field `at_seq`, and no target is made."""
        await fill(history, scope, 3)
        for at_seq in (4, 5, 2**53):
            with pytest.raises(InvalidInput) as raised:
                await threads.fork(scope, at_seq, "target", LATER)
            assert raised.value.field == "at_seq"
            assert await threads.get(target) is None

    async def test_fork_an_empty_source(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope, target: Scope
    ) -> None:
        """A cleared thread forks into an empty one."""
        await say(history, scope, "x")
        await threads.clear(scope, NOON)
        fork = await threads.fork(scope, 0, "target", LATER)
        assert fork.version.seq == 0
        assert await everything(history, target) == []
        assert (await say(history, target, "first")).first_seq == 1
