"""Idempotency keys: a request that is sent again is answered again and written once."""

import asyncio
import unicodedata
from datetime import timedelta

import pytest

from recuerdo.core.errors import AlreadyErased, DuplicateMessage, EpochChanged, IdempotencyConflict
from recuerdo.core.ports import HistoryRepository, ThreadRepository
from recuerdo.core.scope import Scope
from recuerdo.core.threads import Appended
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts.tenants import AsNewTenant
from recuerdo.testing.requests import commit, everything, fresh_scope, request, said, say, texts


class RetryContract(AsNewTenant):
    """What `append` must hold for requests with an idempotency key."""

    async def test_retry_a_replay(self, history: HistoryRepository, scope: Scope) -> None:
        """The same key with the same body answers with the first receipt, marked as replayed, and writes nothing."""
        first = await commit(history, request(scope, said("a"), said("b"), key="k"))
        again = await commit(history, request(scope, said("a"), said("b"), key="k"))
        assert not first.replayed
        assert again == first._replace(replayed=True, revision=None)
        assert texts(await everything(history, scope)) == ["a", "b"]

    async def test_retry_a_conflict(self, history: HistoryRepository, scope: Scope) -> None:
        """The same key with another body is refused and writes nothing."""
        await commit(history, request(scope, said("a"), key="k"))
        with pytest.raises(IdempotencyConflict, match="'k'"):
            await commit(history, request(scope, said("b"), key="k"))
        assert texts(await everything(history, scope)) == ["a"]

    async def test_retry_a_replay_after_a_conflict(self, history: HistoryRepository, scope: Scope) -> None:
        """A refused body does not take the place of the first one."""
        first = await commit(history, request(scope, said("a"), key="k"))
        await history.append([request(scope, said("b"), key="k")])
        assert await commit(history, request(scope, said("a"), key="k")) == first._replace(replayed=True, revision=None)

    async def test_retry_a_late_replay(self, history: HistoryRepository, scope: Scope) -> None:
        """A replay after more appends still tells the seqs, and the version as it was just after that append."""
        await say(history, scope, "before")
        first = await commit(history, request(scope, said("a"), said("b"), key="k"))
        await say(history, scope, "c", "d")
        again = await commit(history, request(scope, said("a"), said("b"), key="k"))
        assert again == first._replace(replayed=True, revision=None)
        assert again.version == (first.version.epoch, 3)

    async def test_retry_a_replay_of_given_ids(self, history: HistoryRepository, scope: Scope) -> None:
        """A retry whose messages have ids of their own is a replay and not a duplicate."""
        await commit(history, request(scope, said("a", id="m-1"), key="k"))
        assert (await commit(history, request(scope, said("a", id="m-1"), key="k"))).replayed

    async def test_retry_a_replay_in_one_batch(self, history: HistoryRepository, scope: Scope) -> None:
        """Of two equal requests in one batch, the second is a replay of the first."""
        first, again = await history.append([request(scope, said("a"), key="k") for _ in range(2)])
        assert isinstance(first, Appended)
        assert again == first._replace(replayed=True, revision=None)
        assert texts(await everything(history, scope)) == ["a"]

    async def test_retry_a_conflict_in_one_batch(self, history: HistoryRepository, scope: Scope) -> None:
        """Of two requests in one batch with one key and two bodies, the second is refused and its neighbours not."""
        batch = [request(scope, said("a"), key="k"), request(scope, said("b"), key="k"), request(scope, said("c"))]
        outcomes = await history.append(batch)
        assert isinstance(outcomes[1], IdempotencyConflict)
        assert texts(await everything(history, scope)) == ["a", "c"]

    async def test_retry_a_key_in_another_thread(self, history: HistoryRepository, scope: Scope) -> None:
        """A key belongs to its thread: in another one it is new, whatever the body."""
        await commit(history, request(scope, said("a"), key="k"))
        for body in ("a", "b"):
            other = scope.owner.thread(f"other-{body}")
            assert not (await commit(history, request(other, said(body), key="k"))).replayed
            assert texts(await everything(history, other)) == [body]

    async def test_retry_no_key(self, history: HistoryRepository, scope: Scope) -> None:
        """Without a key the same body is written as often as it is sent."""
        for _ in range(3):
            assert not (await commit(history, request(scope, said("a")))).replayed
        assert texts(await everything(history, scope)) == ["a", "a", "a"]

    @pytest.mark.parametrize(
        ("key", "other"),
        [("key", "KEY"), ("key", "key "), (unicodedata.normalize("NFC", "é"), unicodedata.normalize("NFD", "é"))],
        ids=["case", "trailing space", "unicode form"],
    )
    async def test_retry_keys_that_look_alike(
        self, history: HistoryRepository, scope: Scope, key: str, other: str
    ) -> None:
        """Keys that differ in case, in a trailing space or in their Unicode form are different keys."""
        await commit(history, request(scope, said("a"), key=key))
        assert not (await commit(history, request(scope, said("b"), key=other))).replayed
        assert (await commit(history, request(scope, said("a"), key=key))).replayed

    @pytest.mark.parametrize("key", ["k" * 255, "😀" * 255, "'; DROP TABLE messages; --", '"%_\\'])
    async def test_retry_strange_keys(self, history: HistoryRepository, scope: Scope, key: str) -> None:
        """A key may have 255 characters of any script and any signs."""
        await commit(history, request(scope, said("a"), key=key))
        assert (await commit(history, request(scope, said("a"), key=key))).replayed

    async def test_retry_a_failed_append_frees_its_key(self, history: HistoryRepository, scope: Scope) -> None:
        """An append that failed leaves its key free for another body."""
        await commit(history, request(scope, said("a", id="m-1")))
        await history.append([request(scope, said("b", id="m-1"), key="k")])
        assert not (await commit(history, request(scope, said("c"), key="k"))).replayed

    @pytest.mark.parametrize("body", ["a", "b"], ids=["same body", "other body"])
    @pytest.mark.parametrize("messages", [1, 2])
    @pytest.mark.parametrize("begins_again", [True, False])
    @pytest.mark.parametrize("deletes", [True, False], ids=["delete", "clear"])
    async def test_retry_behind_an_erasure(
        self,
        history: HistoryRepository,
        threads: ThreadRepository,
        scope: Scope,
        deletes: bool,
        begins_again: bool,
        messages: int,
        body: str,
    ) -> None:
        """A key that was used before its thread was cleared or deleted stores nothing, as often as it comes."""
        await commit(history, request(scope, said("a"), key="k"))
        await (threads.delete if deletes else threads.clear)(scope, NOON)
        if begins_again:
            await say(history, scope, "new")
        late = request(scope, *[said(body)] * messages, key="k")
        for _ in range(2):
            with pytest.raises(AlreadyErased, match="'k'"):
                await commit(history, late)
        assert texts(await everything(history, scope)) == ["new"] * begins_again

    async def test_retry_behind_two_erasures(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """Keys of all earlier epochs are remembered, and in a batch they fail nobody else."""
        for key in ("k", "l"):
            await commit(history, request(scope, said("a"), key=key))
            await threads.clear(scope, NOON)
        batch = [request(scope, said(key), key=key) for key in ("k", "m", "l")]
        outcomes = await history.append(batch)
        assert [type(outcome) for outcome in outcomes] == [AlreadyErased, Appended, AlreadyErased]
        assert texts(await everything(history, scope)) == ["m"]

    async def test_retry_a_key_of_another_erased_thread(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A key that was erased with one thread is new in all others, of other users and tenants as well."""
        await commit(history, request(scope, said("a"), key="k"))
        await threads.delete(scope, NOON)
        tenant, user, thread = scope.tenant, scope.user, scope.thread
        others = [Scope(tenant, user, "other"), Scope(tenant, "other", thread), fresh_scope(thread, user)]
        for other in others:
            assert not (await commit(history, request(other, said("a"), key="k"))).replayed

    async def test_retry_after_keys_were_forgotten(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A spent key is new again once it was forgotten, which is asked for by the time of the erasure."""
        await commit(history, request(scope, said("a"), key="k"))
        await threads.clear(scope, NOON)
        await threads.forget_keys(NOON)
        with pytest.raises(AlreadyErased):
            await commit(history, request(scope, said("a"), key="k"))
        assert await threads.forget_keys(NOON + timedelta(microseconds=1)) >= 1
        assert not (await commit(history, request(scope, said("b"), key="k"))).replayed
        assert texts(await everything(history, scope)) == ["b"]

    async def test_retry_after_names_were_forgotten(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A tombstone that has lost its name is no thread, and the thread begins again in an epoch of its own."""
        before = await commit(history, request(scope, said("a")))
        await threads.delete(scope, NOON)
        await threads.forget_keys(NOON + timedelta(microseconds=1))
        assert await threads.get(scope) is None
        assert scope.owner not in await threads.owners(scope.tenant, 10)
        again = await commit(history, request(scope, said("b")))
        assert (again.version.epoch > before.version.epoch, texts(await everything(history, scope))) == (True, ["b"])

    async def test_retry_beside_an_erasure(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """Retries and a clear at the same moment: what was acknowledged before the clear does not come back."""
        for number in range(10):
            key = f"k-{number}"
            await commit(history, request(scope, said("a"), key=key))
            late = [request(scope, *[said("a")] * count, key=key) for count in (1, 1, 2)]
            clearing = asyncio.create_task(threads.clear(scope, NOON))
            await asyncio.gather(*(history.append([each]) for each in late), clearing)
            assert await everything(history, scope) == []

    async def test_retry_a_retry_across_a_clear(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A delayed retry that expects the old epoch does not bring back what a clear has erased."""
        first = await commit(history, request(scope, said("a"), key="k"))
        epoch = first.version.epoch
        assert (await commit(history, request(scope, said("a"), key="k", expected_epoch=epoch))).replayed
        await threads.clear(scope, NOON)
        with pytest.raises(EpochChanged):
            await commit(history, request(scope, said("a"), key="k", expected_epoch=epoch))
        assert await everything(history, scope) == []

    async def test_retry_a_replay_changes_nothing(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A replay changes neither the thread's title nor its times."""
        await commit(history, request(scope, said("a"), key="k"))
        before = await threads.get(scope)
        await commit(history, request(scope, said("a"), key="k", title="Late", at=NOON.replace(hour=15)))
        assert await threads.get(scope) == before

    async def test_retry_a_replay_of_archived_messages(self, history: HistoryRepository, scope: Scope) -> None:
        """A replay finds its messages where they are, archived or not."""
        first = await commit(history, request(scope, said("a"), key="k"))
        await history.archive(scope, 1, 1, True)
        assert await commit(history, request(scope, said("a"), key="k")) == first._replace(replayed=True, revision=None)

    async def test_retry_many_retries_at_once(self, history: HistoryRepository, scope: Scope) -> None:
        """Of many equal requests at once, one is written and all get its ids and seqs."""
        receipts = await asyncio.gather(*(commit(history, request(scope, said("a"), key="k")) for _ in range(20)))
        assert [receipt.replayed for receipt in receipts].count(False) == 1
        assert len({(*receipt.ids, receipt.version) for receipt in receipts}) == 1
        assert texts(await everything(history, scope)) == ["a"]

    async def test_retry_a_key_does_not_hide_duplicates(self, history: HistoryRepository, scope: Scope) -> None:
        """A new key does not let a message id in twice."""
        await commit(history, request(scope, said("a", id="m-1"), key="k"))
        with pytest.raises(DuplicateMessage):
            await commit(history, request(scope, said("a", id="m-1"), key="another"))
