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

    @pytest.fixture(params=PAIRS.values(), ids=list(PAIRS))
    def pair(self, request: pytest.FixtureRequest) -> tuple[Scope, Scope]:
        run = new_id()
        names: tuple[Names, Names] = request.param
        one, other = [Scope(f"{run}-{tenant}", user, thread) for tenant, user, thread in names]
        return one, other

    async def test_isolation_of_messages(self, history: HistoryRepository, pair: tuple[Scope, Scope]) -> None:
        """A thread's messages are read under its own scope and are nothing under another."""
        one, other = pair
        await commit(history, request(one, said("secret"), said("system secret", "system")))
        assert await history.page(other, MessageQuery(archived=None)) == (NOWHERE, [], False)
        assert await history.tail(other, 5) == (await history.head(other), None, [], True, False)
        assert await history.snapshot(other, 5) == (await history.head(other), None, [])
        assert await history.head(other) == (NOWHERE, 0)
        assert await history.count(other) == {}
        await say(history, other, "mine")
        assert texts(await everything(history, other)) == ["mine"]
        assert texts(await everything(history, one)) == ["secret", "system secret"]

    async def test_isolation_of_keys_and_ids(self, history: HistoryRepository, pair: tuple[Scope, Scope]) -> None:
        """Idempotency keys, message ids and seqs of one thread mean nothing in another."""
        for scope, text in zip(pair, "ab", strict=True):
            receipt = await commit(history, request(scope, said(text, id="m-1"), key="k"))
            assert (receipt.first_seq, receipt.replayed) == (1, False)
        for scope, text in zip(pair, "ab", strict=True):
            assert (await commit(history, request(scope, said(text, id="m-1"), key="k"))).replayed

    async def test_isolation_of_archiving(self, history: HistoryRepository, pair: tuple[Scope, Scope]) -> None:
        """Archiving one thread leaves the other alone."""
        for scope in pair:
            await fill(history, scope, 3)
        await history.archive(pair[0], 1, 3, True)
        assert not any(record.archived for record in await everything(history, pair[1]))

    async def test_isolation_of_erasing(
        self, history: HistoryRepository, threads: ThreadRepository, pair: tuple[Scope, Scope]
    ) -> None:
        """Clearing, deleting and forking act on one thread and not on the other."""
        one, other = pair
        await commit(history, request(other, said("stays"), key="k"))
        before = await threads.get(other)
        assert await threads.clear(one, NOON) is None
        assert await threads.delete(one, NOON) is False
        for erase in (threads.clear, threads.delete):
            await say(history, one, "goes")
            await erase(one, NOON)
        assert await threads.get(other) == before
        assert texts(await everything(history, other)) == ["stays"]

    async def test_isolation_of_lists(
        self, history: HistoryRepository, threads: ThreadRepository, pair: tuple[Scope, Scope]
    ) -> None:
        """An owner's list has the owner's own threads, each once."""
        for scope in pair:
            await say(history, scope, "x")
        for scope in pair:
            listed = [thread.id for thread in (await threads.select(scope.owner, 50)).threads]
            assert sorted(listed) == sorted(each.thread for each in pair if each.owner == scope.owner)


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
