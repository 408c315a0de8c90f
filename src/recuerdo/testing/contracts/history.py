"""The whole contract of a HistoryRepository, and the isolation of its threads."""

import unicodedata

import pytest

from recuerdo.core.identifiers import new_id
from recuerdo.core.ports import HistoryRepository, ThreadRepository
from recuerdo.core.scope import Scope
from recuerdo.core.threads import NOWHERE, MessageQuery
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts import AsNewTenant
from recuerdo.testing.contracts.appends import AppendContract, ContentContract, RetryContract
from recuerdo.testing.contracts.pages import ArchiveContract, HeadContract, PageContract, TailContract
from recuerdo.testing.contracts.replacements import ReplaceContract
from recuerdo.testing.samples import commit, everything, fill, request, said, say, texts

Names = tuple[str, str, str]
Pairs = list[tuple[Scope, Scope]]
COMPOSED, DECOMPOSED = unicodedata.normalize("NFC", "é"), unicodedata.normalize("NFD", "é")

PAIRS: dict[str, tuple[Names, Names]] = {
    "threads": (("a", "u", "t"), ("a", "u", "t2")),
    "users": (("a", "u", "t"), ("a", "v", "t")),
    "tenants": (("a", "u", "t"), ("b", "u", "t")),
    "swapped": (("a", "u", "t"), ("a", "t", "u")),
    "colon between tenant and user": (("a:b", "c", "t"), ("a", "b:c", "t")),
    "colon between user and thread": (("a", "b:c", "d"), ("a", "b", "c:d")),
    "slash": (("a", "b/c", "d"), ("a", "b", "c/d")),
    "quote": (("a", "b','c", "d"), ("a", "b", "c','d")),
    "case of the thread": (("a", "u", "t"), ("a", "u", "T")),
    "case of the user": (("a", "u", "t"), ("a", "U", "t")),
    "accent": (("a", "jose", "t"), ("a", "josé", "t")),
    "unicode form of the thread": (("a", "u", COMPOSED), ("a", "u", DECOMPOSED)),
    "unicode form of the user": (("a", COMPOSED, "t"), ("a", DECOMPOSED, "t")),
    "trailing space": (("a", "u", "t"), ("a", "u", "t ")),
    "leading zero": (("a", "u", "1"), ("a", "u", "01")),
    "wildcards": (("a", "u", "xx"), ("a", "u", "%_")),
    "255 characters": (("a", "u", "x" * 255), ("a", "u", "x" * 254 + "y")),
    "255 wide characters": (("a", "😀" * 255, "t"), ("a", "😀" * 254, "t")),
}


class IsolationContract(AsNewTenant):
    """A change of one thread never shows in another."""

    @pytest.fixture
    def pairs(self) -> Pairs:
        return [_in_new_tenants(*names) for names in PAIRS.values()]

    async def test_isolation_of_messages(self, history: HistoryRepository, pairs: Pairs) -> None:
        """A thread's messages are read under its own scope and are nothing under another."""
        for one, other in pairs:
            await commit(history, request(one, said("secret"), said("system secret", "system")))
            assert await history.page(other, MessageQuery(archived=None)) == (NOWHERE, [], False), one
            assert await history.tail(other, 5) == (await history.head(other), None, [], True, False), one
            assert await history.snapshot(other, 5) == (await history.head(other), None, []), one
            assert await history.head(other) == (NOWHERE, 0), one
            assert await history.count(other) == {}, one
            await say(history, other, "mine")
            assert texts(await everything(history, other)) == ["mine"], one
            assert texts(await everything(history, one)) == ["secret", "system secret"], one

    async def test_isolation_of_keys_and_ids(self, history: HistoryRepository, pairs: Pairs) -> None:
        """Idempotency keys, message ids and seqs of one thread mean nothing in another."""
        for pair in pairs:
            for scope, text in zip(pair, "ab", strict=True):
                receipt = await commit(history, request(scope, said(text, id="m-1"), key="k"))
                assert (receipt.first_seq, receipt.replayed) == (1, False), pair
            for scope, text in zip(pair, "ab", strict=True):
                assert (await commit(history, request(scope, said(text, id="m-1"), key="k"))).replayed, pair

    async def test_isolation_of_archiving(self, history: HistoryRepository, pairs: Pairs) -> None:
        """Archiving one thread leaves the other alone."""
        for one, other in pairs:
            for scope in (one, other):
                await fill(history, scope, 3)
            await history.archive(one, 1, 3, True)
            assert not any(record.archived for record in await everything(history, other)), one

    async def test_isolation_of_erasing(
        self, history: HistoryRepository, threads: ThreadRepository, pairs: Pairs
    ) -> None:
        """Clearing, deleting and forking act on one thread and not on the other."""
        for one, other in pairs:
            await commit(history, request(other, said("stays"), key="k"))
            before = await threads.get(other)
            assert await threads.clear(one, NOON) is None, one
            assert await threads.delete(one, NOON) is False, one
            for erase in (threads.clear, threads.delete):
                await say(history, one, "goes")
                await erase(one, NOON)
            assert await threads.get(other) == before, one
            assert texts(await everything(history, other)) == ["stays"], one

    async def test_isolation_of_lists(
        self, history: HistoryRepository, threads: ThreadRepository, pairs: Pairs
    ) -> None:
        """An owner's list has the owner's own threads, each once."""
        for pair in pairs:
            for scope in pair:
                await say(history, scope, "x")
            for scope in pair:
                listed = [thread.id for thread in (await threads.select(scope.owner, 50)).threads]
                assert sorted(listed) == sorted(each.thread for each in pair if each.owner == scope.owner), pair


def _in_new_tenants(one: Names, other: Names) -> tuple[Scope, Scope]:
    run = new_id()
    return Scope(f"{run}-{one[0]}", *one[1:]), Scope(f"{run}-{other[0]}", *other[1:])


class HistoryContract(
    AppendContract,
    RetryContract,
    ReplaceContract,
    ContentContract,
    PageContract,
    TailContract,
    HeadContract,
    ArchiveContract,
    IsolationContract,
):
    """Everything that a HistoryRepository must hold. Needs the fixtures `history` and `threads`."""
