"""A server that is killed, hangs, or is not there."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
from pymongo.errors import NetworkTimeout, NotPrimaryError, OperationFailure, PyMongoError, WTimeoutError

from faults.faults_load import OWNER, THREADS, Receipt, check, planned
from recuerdo.adapters.mongodb import MongoDatabase, MongoDocuments, MongoHistory, MongoMemories, MongoThreads
from recuerdo.adapters.mongodb.connection import translate
from recuerdo.adapters.signals import LocalSignals
from recuerdo.core.documents import Decision, Document
from recuerdo.core.errors import ConfigurationError, DatabaseUnavailable, InvalidInput, OutcomeUnknown, RecuerdoError
from recuerdo.core.identifiers import new_id
from recuerdo.core.memories import LedgerState, MemoryChange
from recuerdo.core.scope import Owner
from recuerdo.core.thread_metadata import NO_METADATA, ThreadMetadata
from recuerdo.history import History
from recuerdo.testing.clock import NOON
from recuerdo.testing.samples import commit, everything, fresh_scope, request, said, say, texts
from servers.mongodb import MongoServer
from servers.process import free_port
from servers.proxy import running_proxy

IMPATIENT_MS = 1500
KILLS = 2
APPENDS = 12
WRITERS = 3

Cut = Callable[[bytes], AbstractAsyncContextManager[MongoDatabase]]


@pytest.fixture
def server_url(mongodb_server: MongoServer) -> str:
    return f"{mongodb_server.url}faults-{new_id()}"


async def append_whatever_happens(history: History, writer: str) -> list[Receipt]:
    """A client as it should be: it sends what failed again, under the same key."""
    receipts: list[Receipt] = []
    for number in range(APPENDS):
        plan = planned(writer, number)
        while len(receipts) == number:
            try:
                appended = await history.append(
                    OWNER.thread(plan.thread), plan.messages, idempotency_key=f"{writer}/{number}"
                )
                receipts.append(Receipt(writer, number, appended.first_seq))
            except DatabaseUnavailable as away:
                await asyncio.sleep(away.retry_after / 5)
    return receipts


async def test_a_killed_server_has_lost_nothing_that_it_acknowledged(
    mongodb_server: MongoServer, server_url: str
) -> None:
    """Killed in mid-load, twice: every receipt holds, nothing is doubled, torn or missing."""
    async with MongoDatabase.open(server_url, timeout_ms=15_000) as database:
        histories = [History(MongoHistory(database), MongoThreads(database)) for _ in range(WRITERS)]
        load = asyncio.gather(*(append_whatever_happens(each, f"w{i}") for i, each in enumerate(histories)))
        for _ in range(KILLS):
            await asyncio.sleep(0.7)
            mongodb_server.kill()
            mongodb_server.start()
        receipts = [receipt for told in await load for receipt in told]
        stored = {thread: await histories[0].read(OWNER.thread(thread)) for thread in THREADS}
        assert len(receipts) == APPENDS * WRITERS
        check(stored, receipts)
        await database.messages.database.client.drop_database(database.messages.database.name)


async def test_while_the_server_is_away_everything_is_unavailable_and_behind_that_it_goes_on(
    mongodb_server: MongoServer, server_url: str
) -> None:
    """Within the timeout, without the URL's secrets; the same open database works when the server is back."""
    scope = fresh_scope()
    async with MongoDatabase.open(server_url, timeout_ms=60_000) as database:
        await say(MongoHistory(database), scope, "before")
    async with MongoDatabase.open(f"{server_url}?timeoutMS={IMPATIENT_MS}", timeout_ms=60_000) as database:
        history, threads = MongoHistory(database), MongoThreads(database)
        mongodb_server.stop()
        try:
            for work in (say(history, scope, "lost"), everything(history, scope), threads.get(scope)):
                started = time.monotonic()
                with pytest.raises(DatabaseUnavailable, match="Check the") as raised:
                    await work
                assert time.monotonic() - started < 10 * IMPATIENT_MS / 1000
                assert raised.value.retry_after > 0
        finally:
            mongodb_server.start()
        await until_it_answers(history)
        assert texts(await everything(history, scope)) == ["before"]


async def test_a_server_that_hangs_is_unavailable_within_the_timeout(
    mongodb_server: MongoServer, server_url: str
) -> None:
    """The message says what to look at."""
    scope = fresh_scope()
    async with MongoDatabase.open(server_url, timeout_ms=60_000):
        pass
    async with MongoDatabase.open(f"{server_url}?timeoutMS={IMPATIENT_MS}") as database:
        history = MongoHistory(database)
        mongodb_server.pause()
        try:
            with pytest.raises(DatabaseUnavailable, match="MongoDB"):
                await say(history, scope, "x")
        finally:
            mongodb_server.resume()
        await until_it_answers(history)


async def test_only_the_first_of_several_questions_waits_for_a_server_that_hangs(
    mongodb_server: MongoServer, server_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A chat asks several things, and goes on without their answers: it must not wait for each."""
    monkeypatch.setattr("recuerdo.concurrency.breaker.SECONDS_FOR_A_SUSPECT", 0.5)
    async with MongoDatabase.open(f"{server_url}?timeoutMS={IMPATIENT_MS}") as database:
        history = MongoHistory(database)
        mongodb_server.pause()
        try:
            async with asyncio.timeout(4 * IMPATIENT_MS / 1000):
                for _ in range(6):
                    with pytest.raises(DatabaseUnavailable):
                        await history.head(fresh_scope())
        finally:
            mongodb_server.resume()
        await until_it_answers(history)


async def until_it_answers(history: MongoHistory) -> None:
    """It must, by itself; how long the driver takes to see the server again is its own affair."""
    for _ in range(100):
        try:
            await history.head(fresh_scope())
        except DatabaseUnavailable:
            await asyncio.sleep(0.1)
            continue
        return
    raise AssertionError("the server is back, and the database is not")


async def test_no_server_at_all() -> None:
    """The refusal names the host and not the password."""
    url = f"mongodb://emi:s3cret@127.0.0.1:{free_port()}/recuerdo?timeoutMS=300"
    with pytest.raises(
        DatabaseUnavailable, match=r"Can't open MongoDB at 127\.0\.0\.1:\d+ \(.*(refused|failed)"
    ) as raised:
        async with MongoDatabase.open(url):
            pass
    assert "s3cret" not in str(raised.value)


@pytest.mark.parametrize(
    "url",
    [
        "mongodb://emi:s3cret/@127.0.0.1/recuerdo",
        "mongodb://emi:s3cret@127.0.0.1:port/recuerdo",
        "mongodb://emi:s3cret@[::1/recuerdo",
        "mongodb://emi:s3cret@/recuerdo",
        "mongodb://",
    ],
)
async def test_a_url_that_can_not_be_read(url: str) -> None:
    """It is a ConfigurationError that shows how to write one, and nothing of what was in it."""
    with pytest.raises(ConfigurationError, match="mongodb://user:password@host") as raised:
        async with MongoDatabase.open(url):
            pass
    assert "s3cret" not in str(raised.value)


@pytest.mark.parametrize(
    ("error", "expected", "words"),
    [
        (OperationFailure("s3cret", 18), ConfigurationError, "credentials"),
        (OperationFailure("s3cret", 13), ConfigurationError, "readWrite"),
        (OperationFailure("s3cret", 50), DatabaseUnavailable, "timeoutMS"),
        (OperationFailure("s3cret", 10334), InvalidInput, "16 MB"),
        (OperationFailure("s3cret", 14031), DatabaseUnavailable, "code 14031"),
        (WTimeoutError("s3cret", 64), DatabaseUnavailable, "majority"),
        (NotPrimaryError("s3cret"), DatabaseUnavailable, "connection"),
        (NetworkTimeout("s3cret"), DatabaseUnavailable, "in time"),
    ],
)
def test_what_is_said_of_failures(error: PyMongoError, expected: type[RecuerdoError], words: str) -> None:
    """The error says what to check or to do, and nothing that the driver said."""
    said_of_it = translate(error)
    assert isinstance(said_of_it, expected)
    assert words in str(said_of_it)
    assert "s3cret" not in str(said_of_it)


async def test_a_closed_database(database_url: str) -> None:
    """Using it after that is an error that says so."""
    async with MongoDatabase.open(database_url, timeout_ms=60_000) as database:
        history = MongoHistory(database)
    with pytest.raises(DatabaseUnavailable, match="closed"):
        await history.head(fresh_scope())


@pytest.mark.parametrize(("retries", "count"), [("false", 12), ("true", 2)])
async def test_an_append_whose_answer_is_cut_off_may_be_stored_and_says_so(
    mongodb_server: MongoServer, server_url: str, retries: str, count: int
) -> None:
    """All say that it is unknown, and all are stored; repeated with their keys they are found."""
    with running_proxy(mongodb_server.port) as proxy:
        through = server_url.replace(str(mongodb_server.port), str(proxy.port), 1)
        async with (
            MongoDatabase.open(f"{through}?timeoutMS=5000&directConnection=true&retryWrites={retries}") as cut,
            MongoDatabase.open(server_url, timeout_ms=60_000) as database,
        ):
            appends = [request(fresh_scope(), said("x"), key="k") for _ in range(count)]
            proxy.cut_answers_to(b"last_seq")  # as only the change of a thread has it
            for append in appends:
                with pytest.raises(OutcomeUnknown, match="unknown"):
                    await commit(MongoHistory(cut), append)
            proxy.heal()
            for append in appends:
                assert texts(await everything(MongoHistory(database), append.scope)) == ["x"]
                assert (await commit(MongoHistory(cut), append)).replayed


@pytest.fixture
def cut_once(mongodb_server: MongoServer, server_url: str) -> Iterator[Cut]:
    """A database whose driver sends a write again, since the answer to the first one is cut off."""

    @asynccontextmanager
    async def cut(word: bytes) -> AsyncGenerator[MongoDatabase]:
        through = server_url.replace(str(mongodb_server.port), str(proxy.port), 1)
        async with MongoDatabase.open(f"{through}?timeoutMS=60000&directConnection=true&retryWrites=true") as database:
            proxy.cut_answers_to(word, once=True)
            yield database
            assert proxy.cuts == 1

    with running_proxy(mongodb_server.port) as proxy:
        yield cut


@pytest.mark.parametrize("is_delete", [False, True])
async def test_an_erasing_that_the_driver_sends_again_was_done_once(
    server_url: str, cut_once: Cut, is_delete: bool
) -> None:
    """The caller is told that it was done, and not that there was no thread; nor is there a second epoch."""
    async with MongoDatabase.open(server_url) as direct:
        scope = fresh_scope()
        before = (await say(MongoHistory(direct), scope, "x")).version
        async with cut_once(b"erasing") as database:  # as the change has it that marks the epoch
            threads = MongoThreads(database)
            if is_delete:
                assert await threads.delete(scope, NOON)
            else:
                assert await threads.clear(scope, NOON) == (before.epoch + 1, 0)
        assert await everything(MongoHistory(direct), scope) == []


@pytest.mark.parametrize("word", [b"$push", b"$pull"])
async def test_a_fork_that_the_driver_sends_again_keeps_its_messages(
    server_url: str, cut_once: Cut, word: bytes
) -> None:
    """Whether the answer was lost that reserves its epoch, or the one that begins it."""
    async with MongoDatabase.open(server_url) as direct:
        scope = fresh_scope()
        await say(MongoHistory(direct), scope, "a", "b")
        async with cut_once(word) as database:
            fork = await MongoThreads(database).fork(scope, 2, "fork", NOON)
        target = scope.owner.thread("fork")
        assert fork.version == (await MongoHistory(direct).head(target)).version
        assert texts(await everything(MongoHistory(direct), target)) == ["a", "b"]


@pytest.mark.parametrize("is_new", [False, True])
async def test_metadata_that_the_driver_sends_again_are_set(server_url: str, cut_once: Cut, is_new: bool) -> None:
    """They are not taken for somebody else's, nor is their thread for one that was there before."""
    wanted = ThreadMetadata.of({"channel": "web"})
    async with MongoDatabase.open(server_url) as direct:
        scope = fresh_scope()
        if not is_new:
            await say(MongoHistory(direct), scope, "x")
        async with cut_once(b"fields") as database:
            assert await MongoThreads(database).set_metadata(scope, wanted, None if is_new else NO_METADATA, NOON)
        found = await MongoThreads(direct).get(scope)
        assert found is not None
        assert found.metadata == {"channel": "web"}


async def test_an_archiving_that_the_driver_sends_again_tells_what_it_did(server_url: str, cut_once: Cut) -> None:
    """How many messages it has archived."""
    async with MongoDatabase.open(server_url) as direct:
        scope = fresh_scope()
        await say(MongoHistory(direct), scope, "a", "b")
        async with cut_once(b"archived") as database:
            assert await MongoHistory(database).archive(scope, 1, 2, True) == 2


async def test_a_change_of_memories_that_the_driver_sends_again_is_made_once(server_url: str, cut_once: Cut) -> None:
    """Its caller is told that it was made."""
    owner = Owner("acme", new_id())
    change = MemoryChange(at=NOON, action="added", entries=[])
    async with cut_once(b"applied") as database:
        assert await MongoMemories(database).apply(owner, change, LedgerState(0, 0)) == LedgerState(0, 1)


@pytest.mark.parametrize("is_new", [False, True])
async def test_a_decision_about_documents_that_the_driver_sends_again_is_made_once(
    server_url: str, cut_once: Cut, is_new: bool
) -> None:
    """Nobody decides anew about what his own decision has left."""
    owner, seen = Owner("acme", new_id()), []

    def decide(found: Sequence[Document]) -> Decision[int]:
        seen.append([each.id for each in found])
        return Decision(len(found), put=[Document("run", new_id(), "t", b"{}", open=True)])

    async with MongoDatabase.open(server_url) as direct, cut_once(b"pending") as database:
        if not is_new:
            await MongoDocuments(direct, LocalSignals()).change(owner, "t", [], decide)
            seen.clear()
        await MongoDocuments(database, LocalSignals()).change(owner, "t", [], decide)
    assert len(seen) == 1
