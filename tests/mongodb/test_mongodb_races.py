"""Two who are at the same thread, and one is slower than he thinks."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from recuerdo.adapters.mongodb import MongoDatabase, MongoHistory, MongoThreads, appends, sweep
from recuerdo.adapters.mongodb import threads as threads_module
from recuerdo.core.errors import DatabaseUnavailable, ThreadExists
from recuerdo.core.scope import Scope
from recuerdo.core.threads import BEGINNING, Appended
from recuerdo.testing.clock import NOON
from recuerdo.testing.samples import everything, fill, fresh_scope, request, said, say, seqs, texts


class Held:
    """A step that waits, once, until it is let go: before it does anything, or behind it."""

    def __init__(self, step: Callable[..., Awaitable[Any]], *, behind: bool = False) -> None:
        self._step = step
        self._behind = behind
        self.reached, self.go_on = asyncio.Event(), asyncio.Event()

    async def __call__(self, *arguments: Any) -> Any:
        if self.reached.is_set():
            return await self._step(*arguments)
        done = await self._step(*arguments) if self._behind else None
        self.reached.set()
        await self.go_on.wait()
        return done if self._behind else await self._step(*arguments)


@pytest.fixture
def hold(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any, str], Held]:
    """Make a step of a module wait."""

    def hold(module: Any, name: str) -> Held:
        held = Held(getattr(module, name))
        monkeypatch.setattr(module, name, held)
        return held

    return hold


async def slowly(work: Awaitable[Any], held: Held) -> asyncio.Task[Any]:
    """The work as a task that has come to where it is held."""
    task = asyncio.ensure_future(work)
    await held.reached.wait()
    return task


async def test_a_slow_commit_decides_again(
    history: MongoHistory, neighbour: MongoDatabase, scope: Scope, hold: Callable[[Any, str], Held]
) -> None:
    """A writer that has looked at the thread before another one committed gets the seqs behind him."""
    await say(history, scope, "first")
    held = hold(appends, "commit_appends")
    slow = await slowly(say(history, scope, "slow", "slow too"), held)
    assert (await say(MongoHistory(neighbour), scope, "quick")).first_seq == 2
    held.go_on.set()
    assert list((await slow).seqs) == [3, 4]
    assert texts(await everything(history, scope)) == ["first", "quick", "slow", "slow too"]


async def test_a_slow_creation_decides_again(
    history: MongoHistory, neighbour: MongoDatabase, scope: Scope, hold: Callable[[Any, str], Held]
) -> None:
    """Of two that create a thread, the second appends to it."""
    held = hold(appends, "commit_appends")
    slow = await slowly(say(history, scope, "slow"), held)
    quick = await say(MongoHistory(neighbour), scope, "quick")
    held.go_on.set()
    assert (await slow).version == (quick.version.epoch, 2)


async def test_a_slow_mover_is_not_waited_for(
    database: MongoDatabase, history: MongoHistory, neighbour: MongoDatabase, scope: Scope, hold: Callable[..., Held]
) -> None:
    """Others read, append behind him, and move his messages; when he wakes up, nothing comes twice."""
    held = hold(appends, "move")
    slow = await slowly(fill(history, scope, 3), held)
    other = MongoHistory(neighbour)
    assert seqs(await everything(other, scope)) == [1, 2, 3]
    for seq in (4, 5):
        assert (await say(other, scope, "quick")).first_seq == seq
    held.go_on.set()
    assert (await slow).first_seq == 1
    assert texts(await everything(history, scope)) == ["1", "2", "3", "quick", "quick"]
    assert await database.messages.count_documents({}) == 5


async def test_a_slow_mover_brings_nothing_back_that_was_erased(
    database: MongoDatabase, history: MongoHistory, neighbour: MongoDatabase, scope: Scope, hold: Callable[..., Held]
) -> None:
    """It removes again the rows that it inserted into the ended epoch."""
    held = hold(appends, "move")
    slow = await slowly(fill(history, scope, 3), held)
    assert await MongoThreads(neighbour).delete(scope, NOON)
    await say(MongoHistory(neighbour), scope, "new")
    held.go_on.set()
    await slow
    assert texts(await everything(history, scope)) == ["new"]
    assert await database.messages.count_documents({}) == 1


async def test_a_read_that_an_erasing_overtakes_starts_again(
    history: MongoHistory, threads: MongoThreads, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It never answers with what is left of an epoch that is being removed."""
    await fill(history, scope, 3)
    held = Held(history._find_moved)
    monkeypatch.setattr(history, "_find_moved", held)
    slow = await slowly(everything(history, scope), held)
    await threads.clear(scope, NOON)
    await say(history, scope, "new")
    held.go_on.set()
    assert texts(await slow) == ["new"]


async def erased_in_a_bulk(
    history: MongoHistory, neighbour: MongoDatabase, hold: Callable[[Any, str], Held], erased: Sequence[str]
) -> dict[str, Any]:
    """The outcome of appends to `a` and `b` in a bulk, when somebody was at `b` before it, and threads are erased
    before it is known which could be committed.
    """
    threads = {name: fresh_scope(name) for name in "ab"}
    for scope in threads.values():
        await say(history, scope, "first")
    committing, telling = hold(appends, "commit_appends"), hold(threads_module, "_made")
    batch = asyncio.ensure_future(history.append([request(scope, said("mine")) for scope in threads.values()]))
    await committing.reached.wait()
    await say(MongoHistory(neighbour), threads["b"], "quick")
    committing.go_on.set()
    await telling.reached.wait()
    for name in erased:
        await MongoThreads(neighbour).clear(threads[name], NOON)
    telling.go_on.set()
    outcomes = await batch
    return {
        name: (outcome, texts(await everything(history, scope)))
        for (name, scope), outcome in zip(threads.items(), outcomes, strict=True)
    }


async def test_what_was_committed_and_erased_at_once_does_not_come_again(
    history: MongoHistory, neighbour: MongoDatabase, hold: Callable[[Any, str], Held]
) -> None:
    """Its writer is told that it was appended, as it was, and tries nothing again."""
    found = await erased_in_a_bulk(history, neighbour, hold, ["a"])
    assert isinstance(found["a"][0], Appended)
    assert found["a"][1] == []
    assert found["b"][1] == ["first", "quick", "mine"]


async def test_what_may_have_been_committed_before_an_erasing_is_not_tried_again(
    history: MongoHistory, neighbour: MongoDatabase, hold: Callable[[Any, str], Held]
) -> None:
    """Where there is no telling, the writers are told so."""
    for outcome, said_there in (await erased_in_a_bulk(history, neighbour, hold, ["a", "b"])).values():
        assert isinstance(outcome, DatabaseUnavailable)
        assert said_there == []


async def test_batches_over_the_same_threads_are_told_apart(
    history: MongoHistory, neighbour: MongoDatabase, scope: Scope
) -> None:
    """Where a bulk could commit some threads only, each request knows whether it was one of them."""
    scopes = [fresh_scope() for _ in range(4)]
    histories = [history, MongoHistory(neighbour)]

    async def write(number: int, of: MongoHistory) -> dict[str, tuple[Scope, int]]:
        receipts: dict[str, tuple[Scope, int]] = {}
        for step in range(5):
            batch = [request(each, said(id=f"{number}.{step}")) for each in scopes]
            for append, outcome in zip(batch, await of.append(batch), strict=True):
                assert isinstance(outcome, Appended)
                receipts[f"{append.scope.tenant}/{number}.{step}"] = (append.scope, outcome.first_seq)
        return receipts

    told = await asyncio.gather(*(write(number, of) for number, of in enumerate(histories)))
    for each in scopes:
        assert seqs(await everything(history, each)) == list(range(1, 11))
        mine = [seq for receipts in told for where, seq in receipts.values() if where == each]
        assert sorted(mine) == list(range(1, 11))


async def test_a_fork_whose_target_appears_meanwhile_leaves_nothing(
    database: MongoDatabase,
    history: MongoHistory,
    neighbour: MongoDatabase,
    scope: Scope,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The target stays as it is, and the copies are removed."""
    await fill(history, scope, 3)
    repository = MongoThreads(database)
    held = Held(repository._copy)
    monkeypatch.setattr(repository, "_copy", held)
    slow = await slowly(repository.fork(scope, 3, "target", NOON), held)
    target = scope.owner.thread("target")
    await say(MongoHistory(neighbour), target, "mine")
    held.go_on.set()
    with pytest.raises(ThreadExists):
        await slow
    assert texts(await everything(history, target)) == ["mine"]
    assert await database.messages.count_documents({}) == 4


async def test_a_fork_whose_source_is_erased_meanwhile_never_begins_with_a_part(
    database: MongoDatabase,
    history: MongoHistory,
    neighbour: MongoDatabase,
    scope: Scope,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It looks at the source again: here it has become shorter."""
    await fill(history, scope, 3)
    repository = MongoThreads(database)
    held = Held(repository._copy)
    monkeypatch.setattr(repository, "_copy", held)
    slow = await slowly(repository.fork(scope, 1, "target", NOON), held)
    await MongoThreads(neighbour).clear(scope, NOON)
    await say(MongoHistory(neighbour), scope, "new")
    held.go_on.set()
    await slow
    assert texts(await everything(history, scope.owner.thread("target"))) == ["new"]


async def test_a_fork_that_a_sweep_took_for_dead_starts_again(
    database: MongoDatabase, history: MongoHistory, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when it wakes up in the middle of the sweep, it can't begin with what the sweep has removed."""
    await fill(history, scope, 3)
    repository, removing = MongoThreads(database), threads_module.remove
    held = Held(repository._copy, behind=True)
    monkeypatch.setattr(repository, "_copy", held)
    slow = await slowly(repository.fork(scope, 3, "target", NOON), held)

    async def remove_and_be_slow(*arguments: Any) -> None:
        monkeypatch.setattr(threads_module, "remove", removing)
        await removing(*arguments)
        held.go_on.set()
        await slow

    monkeypatch.setattr(threads_module, "remove", remove_and_be_slow)
    await sweep(database, grace=-1)
    assert texts(await everything(history, scope.owner.thread("target"))) == ["1", "2", "3"]
    assert await database.messages.count_documents({}) == 6


async def test_a_slow_sweeper_hides_no_change(
    history: MongoHistory, neighbour: MongoDatabase, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """He hands out a number late, which another one has handed out: what was changed since stays to be found."""
    await say(history, scope, "x")
    slow_threads, quick_threads = MongoThreads(history._database), MongoThreads(neighbour)
    handing_out = threads_module._hand_out
    held = Held(handing_out)

    async def slow_with_work(database: MongoDatabase, last: int, batch: Any) -> None:
        await (held if batch and database is history._database else handing_out)(database, last, batch)

    monkeypatch.setattr(threads_module, "_hand_out", slow_with_work)
    slow = await slowly(slow_threads.changed(BEGINNING, 5), held)
    found = await quick_threads.changed(BEGINNING, 5)
    assert found.heads == {scope: await history.head(scope)}
    await say(history, scope, "y")
    held.go_on.set()
    await slow
    assert (await quick_threads.changed(found.mark, 5)).heads == {scope: await history.head(scope)}


async def test_a_mark_stays_for_a_while_and_a_later_sweep_takes_it(
    database: MongoDatabase, history: MongoHistory, threads: MongoThreads, scope: Scope
) -> None:
    """A mover that died at the wrong moment has left something behind the erasing: it is found by its mark."""
    await fill(history, scope, 1)
    [left] = await database.messages.find().to_list()
    await threads.delete(scope, NOON)
    await database.messages.insert_one(left)
    await sweep(database)
    assert await database.messages.count_documents({}) == 1
    await sweep(database, grace=-1)
    assert await database.messages.count_documents({}) == 0
    assert await database.threads.count_documents({"erasing.epoch": {"$exists": True}}) == 0
