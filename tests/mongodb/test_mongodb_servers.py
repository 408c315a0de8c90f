"""A server that is killed, hangs, or is not there."""

import asyncio
import time

import pytest
from pymongo.errors import NetworkTimeout, NotPrimaryError, OperationFailure, PyMongoError, WTimeoutError

from faults.faults_load import OWNER, THREADS, Receipt, check, planned
from recuerdo.adapters.mongodb import MongoDatabase, MongoHistory, MongoThreads
from recuerdo.adapters.mongodb.connection import translate
from recuerdo.core.errors import ConfigurationError, DatabaseUnavailable, InvalidInput, OutcomeUnknown, RecuerdoError
from recuerdo.core.identifiers import new_id
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
    with pytest.raises(DatabaseUnavailable, match=r"Can't open MongoDB at 127\.0\.0\.1:\d+\.") as raised:
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


@pytest.mark.parametrize("is_delete", [False, True])
async def test_an_erasing_that_the_driver_sends_again_was_done_once(
    mongodb_server: MongoServer, server_url: str, is_delete: bool
) -> None:
    """The caller is told that it was done, and not that there was no thread; nor is there a second epoch."""
    with running_proxy(mongodb_server.port) as proxy:
        through = server_url.replace(str(mongodb_server.port), str(proxy.port), 1)
        async with MongoDatabase.open(f"{through}?timeoutMS=60000&directConnection=true&retryWrites=true") as database:
            history, threads, scope = MongoHistory(database), MongoThreads(database), fresh_scope()
            before = (await say(history, scope, "x")).version
            proxy.cut_answers_to(b"erasing", once=True)  # as the change has it that marks the epoch
            if is_delete:
                assert await threads.delete(scope, NOON)
            else:
                assert await threads.clear(scope, NOON) == (before.epoch + 1, 0)
            assert proxy.cuts == 1
            assert await everything(history, scope) == []
