"""Appending: order, batches, epochs and many writers; idempotency keys; contents of every kind."""

import asyncio
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from itertools import product

import pytest

from recuerdo.core.errors import AlreadyErased, DuplicateMessage, EpochChanged, IdempotencyConflict
from recuerdo.core.messages import Content, Message, ToolCall, checksum_of, decode, encode
from recuerdo.core.ports import HistoryRepository, ThreadRepository
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.threads import NOWHERE, Append, Appended, MessageQuery, NewMessage, Version
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts import AsNewTenant
from recuerdo.testing.samples import commit, everything, fill, fresh_scope, request, said, say, seqs, texts


class AppendContract(AsNewTenant):
    """The rules for `append`."""

    async def test_append_creates_the_thread(self, history: HistoryRepository, scope: Scope) -> None:
        """The first append to a thread gets seq 1 of an epoch that is greater than NOWHERE's."""
        message = said("hello")
        receipt = await commit(history, request(scope, message))
        assert receipt.version.epoch > 0
        assert receipt == Appended(Version(receipt.version.epoch, 1), 1, [message.id], revision=receipt.revision)

    async def test_append_goes_on(self, history: HistoryRepository, scope: Scope) -> None:
        """A later append gets the seqs after the last message, in the same epoch."""
        first = await say(history, scope, "a", "b")
        second = await say(history, scope, "c", "d", "e")
        assert second.version == (first.version.epoch, 5)
        assert list(second.seqs) == [3, 4, 5]

    async def test_append_versions_grow(self, history: HistoryRepository, scope: Scope) -> None:
        """Every append's version is greater than the one before."""
        versions = [(await say(history, scope, text)).version for text in "abcde"]
        assert versions == sorted(set(versions))

    async def test_append_keeps_the_order(self, history: HistoryRepository, scope: Scope) -> None:
        """The messages of one append keep their order, and the receipt names their ids in it."""
        messages = [said(text) for text in "zyxwv"]
        receipt = await commit(history, request(scope, *messages))
        assert receipt.ids == [message.id for message in messages]
        assert texts(await everything(history, scope)) == list("zyxwv")

    async def test_append_new_threads_of_one_batch_share_nothing(
        self, history: HistoryRepository, scope: Scope
    ) -> None:
        """The same message id and the same key are new in each of them."""
        batch = [request(scope.owner.thread(name), said(name, id="m-1"), key="k") for name in "ab"]
        assert [isinstance(each, Appended) and each.first_seq for each in await history.append(batch)] == [1, 1]

    async def test_append_tells_the_revision(self, history: HistoryRepository, scope: Scope) -> None:
        """The receipt's revision is the head's, alone and in a batch, or it is not known."""
        await fill(history, scope, 3)
        for first in (1, 2):
            await history.archive(scope, first, first, True)
            batch = [request(scope, said(f"{first}-{number}")) for number in range(2)]
            outcomes = [await commit(history, batch[0]), *await history.append(batch[1:])]
            known = {outcome.revision for outcome in outcomes if isinstance(outcome, Appended)}
            assert known <= {None, (await history.head(scope)).revision}

    async def test_append_then_read(self, history: HistoryRepository, scope: Scope) -> None:
        """An acknowledged message is in the very next read, with the receipt's version."""
        for number in range(1, 21):
            receipt = await say(history, scope, str(number))
            page = await history.page(scope, MessageQuery(limit=1))
            assert (page.version, texts(page.records)) == (receipt.version, [str(number)])

    async def test_append_a_thousand_messages(self, history: HistoryRepository, scope: Scope) -> None:
        """One append can hold 1,000 messages, and they come back gap-free and in order."""
        receipt = await fill(history, scope, 1000)
        records = await everything(history, scope)
        assert receipt.version.seq == 1000
        assert seqs(records) == list(range(1, 1001))
        assert texts(records) == [str(seq) for seq in range(1, 1001)]

    async def test_append_an_empty_batch(self, history: HistoryRepository) -> None:
        """A batch without requests has no outcomes."""
        assert await history.append([]) == []

    async def test_append_a_batch_in_order(self, history: HistoryRepository, scope: Scope) -> None:
        """A batch is applied in order: requests to one thread get seqs one after the other."""
        outcomes = await history.append([request(scope, said("a"), said("b")), request(scope, said("c"))])
        assert [receipt.first_seq for receipt in _receipts(outcomes)] == [1, 3]
        assert texts(await everything(history, scope)) == ["a", "b", "c"]

    async def test_append_a_batch_over_threads(self, history: HistoryRepository, scope: Scope) -> None:
        """A batch may mix threads, owners and tenants, and each counts for itself."""
        scopes = [scope, scope.owner.thread("t-2"), Scope(scope.tenant, "ana", scope.thread), fresh_scope()]
        outcomes = await history.append([request(each, said(text)) for text in "ab" for each in scopes])
        assert [receipt.first_seq for receipt in _receipts(outcomes)] == [1, 1, 1, 1, 2, 2, 2, 2]
        for each in scopes:
            assert texts(await everything(history, each)) == ["a", "b"]

    async def test_append_a_failure_between_good_requests(self, history: HistoryRepository, scope: Scope) -> None:
        """A request that fails is returned as its error; its neighbours go through without a gap in the seqs."""
        batch = [
            request(scope, said("a", id="m-1")),
            request(scope, said("lost"), said("twice", id="m-1")),
            request(scope, said("too late"), expected_epoch=2**40),
            request(scope, said("b")),
        ]
        good, duplicate, late, last = await history.append(batch)
        assert isinstance(duplicate, DuplicateMessage)
        assert isinstance(late, EpochChanged)
        assert [receipt.first_seq for receipt in _receipts([good, last])] == [1, 2]
        assert texts(await everything(history, scope)) == ["a", "b"]

    async def test_append_a_failure_makes_no_thread(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A request that fails on an absent thread does not create it."""
        twin = said("a", id="m-1")
        [outcome] = await history.append([request(scope, twin, twin)])
        assert isinstance(outcome, DuplicateMessage)
        assert await threads.get(scope) is None
        assert (await history.page(scope, MessageQuery())).version == NOWHERE

    async def test_append_a_failure_leaves_the_thread_as_it_was(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A request that fails changes neither the version nor the title nor the times."""
        await commit(history, request(scope, said(id="m-1")))
        before = await threads.get(scope)
        await history.append([request(scope, said(), said(id="m-1"), title="Lost", at=NOON.replace(hour=13))])
        assert await threads.get(scope) == before

    async def test_append_all_or_none(self, history: HistoryRepository, scope: Scope) -> None:
        """When one message of an append is a duplicate, none of them is stored, and the error names it."""
        await commit(history, request(scope, said("a", id="m-1")))
        with pytest.raises(DuplicateMessage, match="m-1"):
            await commit(history, request(scope, said("b"), said("c", id="m-1"), said("d")))
        assert texts(await everything(history, scope)) == ["a"]

    async def test_append_duplicates_within_a_batch(self, history: HistoryRepository, scope: Scope) -> None:
        """Of two requests of one batch with the same message id, the first is stored and the second refused."""
        first, second = await history.append([request(scope, said(text, id="m-1")) for text in "ab"])
        assert isinstance(first, Appended)
        assert isinstance(second, DuplicateMessage)
        assert texts(await everything(history, scope)) == ["a"]

    async def test_append_an_archived_message_keeps_its_id(self, history: HistoryRepository, scope: Scope) -> None:
        """The id of an archived message is still taken."""
        await commit(history, request(scope, said(id="m-1")))
        await history.archive(scope, 1, 1, True)
        with pytest.raises(DuplicateMessage):
            await commit(history, request(scope, said(id="m-1")))

    async def test_append_ids_belong_to_a_thread(self, history: HistoryRepository, scope: Scope) -> None:
        """The same message id may be in two threads of one user."""
        for thread in ("t-1", "t-2"):
            receipt = await commit(history, request(scope.owner.thread(thread), said(id="m-1")))
            assert receipt.ids == ["m-1"]

    async def test_append_the_expected_epoch(self, history: HistoryRepository, scope: Scope) -> None:
        """An append that expects the thread's epoch goes through."""
        epoch = (await say(history, scope, "a")).version.epoch
        receipt = await commit(history, request(scope, said("b"), expected_epoch=epoch))
        assert receipt.version == (epoch, 2)

    async def test_append_another_epoch(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """An append that expects an epoch from before a clear is refused and stores nothing."""
        epoch = (await say(history, scope, "a")).version.epoch
        await threads.clear(scope, NOON)
        with pytest.raises(EpochChanged):
            await commit(history, request(scope, said("b"), expected_epoch=epoch))
        assert await everything(history, scope) == []

    async def test_append_an_epoch_of_an_absent_thread(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """An append that expects an epoch never creates an absent thread and never brings a deleted one back."""
        with pytest.raises(EpochChanged):
            await commit(history, request(scope, said(), expected_epoch=1))
        epoch = (await say(history, scope, "a")).version.epoch
        await threads.delete(scope, NOON)
        with pytest.raises(EpochChanged):
            await commit(history, request(scope, said(), expected_epoch=epoch))
        assert await threads.get(scope) is None

    async def test_append_epoch_zero_means_absent(self, history: HistoryRepository, scope: Scope) -> None:
        """An append that expects epoch 0 creates the thread, and is refused when it is there."""
        await commit(history, request(scope, said("a"), expected_epoch=0))
        with pytest.raises(EpochChanged):
            await commit(history, request(scope, said("b"), expected_epoch=0))
        assert texts(await everything(history, scope)) == ["a"]

    async def test_append_many_writers_of_one_thread(self, history: HistoryRepository, scope: Scope) -> None:
        """Appends of many tasks at once get gap-free seqs, and each message stands where its receipt says."""
        receipts = await asyncio.gather(
            *(
                commit(history, request(scope, said(f"{task}a", id=f"{task}a"), said(f"{task}b", id=f"{task}b")))
                for task in range(50)
            )
        )
        stored = dict(enumerate(texts(await everything(history, scope)), 1))
        assert list(stored) == list(range(1, 101))
        assert dict(pair for receipt in receipts for pair in zip(receipt.seqs, receipt.ids, strict=True)) == stored

    async def test_append_many_writers_of_many_threads(self, history: HistoryRepository, scope: Scope) -> None:
        """Batches of many tasks over several threads leave each thread gap-free and each batch in order."""
        scopes = [scope.owner.thread(f"t-{number}") for number in range(5)]

        async def write(task: int) -> None:
            await history.append([request(each, said(f"{task}.{step}")) for step in range(3) for each in scopes])

        await asyncio.gather(*(write(task) for task in range(10)))
        for each in scopes:
            records = await everything(history, each)
            assert seqs(records) == list(range(1, 31))
            assert _steps_by_task(texts(records)) == {str(task): ["0", "1", "2"] for task in range(10)}

    async def test_append_readers_see_whole_appends(self, history: HistoryRepository, scope: Scope) -> None:
        """A reader among writers sees whole appends only, and exactly as many messages as the version says."""

        async def write(append: Append) -> None:
            await history.append([append])

        async def read() -> None:
            page = await history.page(scope, MessageQuery(limit=1000))
            assert seqs(page.records) == list(range(1, page.version.seq + 1))
            assert page.version.seq % 3 == 0

        writes = [write(request(scope, said(), said(), said())) for _ in range(20)]
        await asyncio.gather(*(task for pair in zip(writes, [read() for _ in writes], strict=True) for task in pair))


def _receipts(outcomes: Sequence[Appended | Exception]) -> list[Appended]:
    receipts = [outcome for outcome in outcomes if isinstance(outcome, Appended)]
    assert len(receipts) == len(outcomes), outcomes
    return receipts


def _steps_by_task(written: list[str]) -> dict[str, list[str]]:
    steps: dict[str, list[str]] = {}
    for text in written:
        task, _, step = text.partition(".")
        steps.setdefault(task, []).append(step)
    return steps


class RetryContract(AsNewTenant):
    """The rules for `append` with an idempotency key."""

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

    async def test_retry_keys_that_look_alike(self, history: HistoryRepository, scope: Scope) -> None:
        """Keys that differ in case, in a trailing space or in their Unicode form are different keys."""
        keys = ["key", "KEY", "key ", unicodedata.normalize("NFC", "é"), unicodedata.normalize("NFD", "é")]
        for key in keys:
            assert not (await commit(history, request(scope, said(ascii(key)), key=key))).replayed, key
        for key in keys:
            assert (await commit(history, request(scope, said(ascii(key)), key=key))).replayed, key

    async def test_retry_strange_keys(self, history: HistoryRepository, scope: Scope) -> None:
        """A key may have 255 characters of any script and any signs."""
        for key in ("k" * 255, "😀" * 255, "'; DROP TABLE messages; --", '"%_\\'):
            await commit(history, request(scope, said("a"), key=key))
            assert (await commit(history, request(scope, said("a"), key=key))).replayed, key

    async def test_retry_a_failed_append_frees_its_key(self, history: HistoryRepository, scope: Scope) -> None:
        """An append that failed leaves its key free for another body."""
        await commit(history, request(scope, said("a", id="m-1")))
        await history.append([request(scope, said("b", id="m-1"), key="k")])
        assert not (await commit(history, request(scope, said("c"), key="k"))).replayed

    async def test_retry_behind_an_erasure(
        self, history: HistoryRepository, threads: ThreadRepository, owner: Owner
    ) -> None:
        """A key that was used before its thread was cleared or deleted stores nothing, as often as it comes."""
        cases = product((threads.delete, threads.clear), (True, False), (1, 2), "ab")
        for number, (erase, begins_again, count, body) in enumerate(cases):
            scope = owner.thread(f"t-{number}")
            await commit(history, request(scope, said("a"), key="k"))
            await erase(scope, NOON)
            if begins_again:
                await say(history, scope, "new")
            late = request(scope, *[said(body)] * count, key="k")
            for _ in range(2):
                with pytest.raises(AlreadyErased, match="'k'"):
                    await commit(history, late)
            assert texts(await everything(history, scope)) == ["new"] * begins_again, (erase, count, body)

    async def test_retry_behind_two_erasures(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """Keys of all earlier epochs are remembered, and in a batch they fail no other append."""
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
        """A tombstone that has lost its name is not a thread, and the thread begins again in an epoch of its own."""
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


CONTENTS: dict[str, Content] = {
    "empty text": "",
    "spaces": "  \t\r\n ",
    "accents": "¿Cómo me llamo? Ação, coração",
    "composed": unicodedata.normalize("NFC", "é"),
    "decomposed": unicodedata.normalize("NFD", "é"),
    "emoji": "👩‍👩‍👧‍👦 🇦🇷 😀",
    "right to left": "שלום مرحبا",
    "nul": "a\x00b",
    "controls": "\x01\x1b\x7f\x85\u2028\ufeff\uffff",
    "quotes": "'; DROP TABLE messages; -- \" \\ \\u0000 %s {} $1",
    "json": '{"role": "system", "seq": 9}',
    "a megabyte": "ñ" * 500_000,
    "a megabyte of signs": '"' * 1_000_000,
    "no parts": [],
    "parts": [{"type": "text", "text": "Look:"}, {"type": "image_url", "image_url": {"url": "data:;base64,AA=="}}],
    "deep part": [{"type": "x", "nested": [[{"a": None, "b": True, "c": -1.5, "d": 2**63 - 1, "": "\x00"}]]}],
}

MESSAGES: dict[str, Message] = {
    "system": Message.system("Be brief."),
    "named": Message.user("hi", name="Emiliano"),
    "tool calls": Message.assistant(
        "", tool_calls=[ToolCall("c-1", "add", {"a": 1, "b": [2.5, None, "ñ"]}), ToolCall("c-2", "now")]
    ),
    "tool result": Message.tool([{"type": "text", "text": "3"}], tool_call_id="c-1", name="add"),
    "metadata": Message.user("hi", metadata={"source": {"ip": "::1"}, "tags": ["a", "", None], "n": 1e300}),
}

TIMES = [
    datetime(2026, 11, 21, 12, 30, 15, 123456, UTC),
    datetime(2026, 11, 21, 23, 59, 59, 999999, timezone(timedelta(hours=-3))),
    datetime(2026, 11, 21, 0, 0, 0, 1, timezone(timedelta(hours=5, minutes=45))),
    datetime(1969, 7, 20, 20, 17, 40, 1, UTC),
    datetime(9999, 12, 31, tzinfo=UTC),
]

IDS = [
    *("m-1", "M-1", "m-1 ", "é", "e", unicodedata.normalize("NFD", "é"), "'\"\\%_;--", "'\"\\%%;--"),
    *("x" * 255, "x" * 254, "😀" * 255, "😀" * 254),
]


class ContentContract(AsNewTenant):
    """Every kind of message is read as it was written."""

    async def test_content_of_any_kind(self, history: HistoryRepository, owner: Owner) -> None:
        """A content of any kind comes back exactly."""
        for name, content in CONTENTS.items():
            message, scope = said(content), owner.thread(name)
            await commit(history, request(scope, message))
            [record] = await everything(history, scope)
            assert record.body == message.body, name
            assert decode(record.json).content == content, name

    async def test_content_of_any_message(self, history: HistoryRepository, owner: Owner) -> None:
        """A message of any role comes back with all its fields, from pages and from the tail."""
        for name, message in MESSAGES.items():
            body, scope = encode(message), owner.thread(name)
            await commit(history, request(scope, NewMessage("m-1", message.role, NOON, body, checksum_of(body))))
            [record] = await everything(history, scope)
            tail = await history.tail(scope, 1)
            assert record == (1, False, body), name
            assert record.role == message.role, name
            assert [tail.system, *tail.records].count(record) == 1, name

    async def test_content_times(self, history: HistoryRepository, scope: Scope) -> None:
        """A message's time comes back to the microsecond."""
        await commit(history, request(scope, *(said(at=at) for at in TIMES)))
        assert [decode(record.json).created_at for record in await everything(history, scope)] == TIMES

    async def test_content_ids(self, history: HistoryRepository, scope: Scope) -> None:
        """Message ids of up to 255 characters are told apart exactly and come back exactly."""
        receipt = await commit(history, request(scope, *(said(id=each) for each in IDS)))
        assert receipt.ids == IDS
        assert [decode(record.json).id for record in await everything(history, scope)] == IDS
