"""Kinds of actions that a program registers, and those that nobody knows."""

import asyncio
import threading
from collections.abc import AsyncGenerator
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

import msgspec
import pytest
from acting import Working, ids, query, working_over

from recuerdo.actions.records import RecordLocation, read_handover
from recuerdo.core.actions import ActionEnvelope, Query, Queue, UnknownAction
from recuerdo.core.documents import Decision, Document
from recuerdo.core.errors import ConfigurationError
from recuerdo.core.graph_ports import DocumentRepository
from servers.patience import PATIENCE


class Forecast(ActionEnvelope, frozen=True, kw_only=True, tag="forecast"):
    queue: ClassVar[Queue] = "query"
    city: str


def forecast(action_id: str = "f-1") -> Forecast:
    return Forecast(**ids(action_id), city="Lima")


async def sunny(action: Forecast, _: Any) -> str:
    return f"sunny in {action.city}"


class Sunny:
    async def __call__(self, action: Forecast, context: Any) -> str:
        return await sunny(action, context)


async def look_up(action: Query, _: Any) -> str:
    return action.text


@pytest.fixture(params=["memory", "sqlite", "postgres"])
async def working(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Working]:
    urls = {"memory": "memory://", "sqlite": f"sqlite:///{tmp_path / 'actions.db'}"}
    url = urls.get(request.param) or request.getfixturevalue("empty_postgres_url")
    async with working_over(url, pause=0.02) as opened:
        yield opened


async def test_a_kind_that_a_program_registers_is_done(working: Working) -> None:
    actions, worker, *_ = working
    worker.register(Forecast, sunny)
    worker.take("query", look_up)
    assert (await actions.do(forecast())).value == "sunny in Lima"
    assert (await actions.do(query())).value == "x"


async def test_a_handler_may_be_a_plain_function(working: Working) -> None:
    """It runs in a thread, where it holds up nobody else's work."""
    actions, worker, *_ = working
    loop_thread, threads = threading.get_ident(), list[int]()

    def rainy(action: Forecast, _: Any) -> str:
        threads.append(threading.get_ident())
        return f"rainy in {action.city}"

    worker.register(Forecast, rainy)
    assert (await actions.do(forecast())).value == "rainy in Lima"
    assert loop_thread not in threads


@pytest.mark.parametrize("handler", [partial(sunny), lambda action, context: sunny(action, context), Sunny()])
async def test_a_handler_may_be_whatever_returns_an_awaitable(working: Working, handler: Any) -> None:
    actions, worker, *_ = working
    worker.register(Forecast, handler)
    assert (await actions.do(forecast())).value == "sunny in Lima"


async def test_a_class_that_is_no_action_is_refused_by_its_name(working: Working) -> None:
    wrong: Any = int
    with pytest.raises(ConfigurationError, match=r"'int'.* is not a kind of action"):
        working.worker.register(wrong, sunny)


async def test_a_result_that_cannot_be_stored_fails_its_action_at_once(working: Working) -> None:
    """It was executed again whenever its lease was over, and given up because of a process that had died."""
    actions, worker, *_ = working
    executed: list[Forecast] = []

    async def answer(action: Forecast, _: Any) -> object:
        executed.append(action)
        return object()

    worker.register(Forecast, answer)
    async with asyncio.timeout(PATIENCE):
        failed = await actions.do(forecast())
    assert "is not JSON" in (failed.error or "")
    assert len(executed) == 1


async def test_a_kind_that_nobody_knows_is_a_dead_letter_that_can_be_tried_again(working: Working) -> None:
    actions, worker, another, _ = working
    worker.take("query", look_up)
    async with asyncio.timeout(PATIENCE):
        given_up = await actions.do(forecast())
    assert "'forecast'" in (given_up.error or "")
    [letter] = await actions.dead_letters()
    assert isinstance(letter.payload, UnknownAction)
    assert (letter.payload.type, letter.payload.action_id, letter.queue) == ("forecast", "f-1", "query")
    another().register(Forecast, sunny)
    await actions.retry(forecast().owner, "f-1")
    assert (await actions.wait(forecast())).value == "sunny in Lima"


async def test_a_worker_that_does_not_know_a_kind_leaves_it_to_one_that_does(working: Working) -> None:
    """However many there are of it, they hold nothing up, and none of its attempts is used up."""
    actions, worker, another, _ = working
    worker.take("query", look_up)
    waiting = [forecast(f"f-{number}") for number in range(100)]
    for each in waiting:
        await actions.enqueue(each)
    assert (await actions.do(query())).value == "x"
    knowing = another()
    knowing.concurrency = 100
    knowing.register(Forecast, sunny)
    done = [await actions.wait(each) for each in waiting]
    known = [each for each in done if each.error is None]
    assert known
    assert {(each.value, each.attempts) for each in known} == {("sunny in Lima", 1)}


async def test_a_worker_of_own_kinds_alone_leaves_the_others_of_its_queue_alone(working: Working) -> None:
    actions, worker, another, _ = working
    worker.register(Forecast, sunny)
    for number in range(100):
        await actions.enqueue(query(f"q-{number}"))
    assert (await actions.do(forecast())).value == "sunny in Lima"
    await asyncio.sleep(0.3)
    assert await actions.dead_letters() == []
    another().take("query", look_up)
    assert (await actions.wait(query("q-99"))).attempts == 1


@pytest.mark.parametrize("change", [{"schema": 2}, {"priority": 7}], ids=str)
async def test_an_action_of_a_later_version_goes_to_the_dead_letters(working: Working, change: dict[str, Any]) -> None:
    """As a replica of that version handed it over."""
    actions, worker, _, documents = working
    await actions.enqueue(query())
    await rewrite(documents, change)
    worker.take("query", look_up)
    async with asyncio.timeout(PATIENCE):
        assert "in this version" in ((await actions.wait(query())).error or "")
    [letter] = await actions.dead_letters()
    assert letter.payload.action_id == "a-1"


async def rewrite(documents: DocumentRepository, change: dict[str, Any]) -> None:
    place = RecordLocation.of(query())

    def decide(rows: Any) -> Decision[None]:
        [found] = [row for row in rows if row.key in place.keys]
        row = msgspec.json.decode(found.body)
        body = msgspec.json.encode({**row, "payload": {**row["payload"], **change}})
        return Decision(None, [Document(found.kind, found.id, found.group, body, found.open, found.due)])

    await documents.change(place.owner, place.group, place.keys, decide)


def test_a_row_that_was_written_before_rows_named_their_queue_is_read() -> None:
    payload = msgspec.json.decode(msgspec.json.encode(query()))
    now = datetime.now().astimezone().isoformat()
    row = read_handover(msgspec.json.encode({"payload": payload, "created_at": now, "due": now}))
    assert (row.queue, row.payload, row.status) == ("query", query(), "waiting")


async def test_what_is_no_kind_of_its_own_is_refused(working: Working) -> None:
    class Nowhere(ActionEnvelope, frozen=True, kw_only=True, tag="nowhere"):
        pass

    class Another(ActionEnvelope, frozen=True, kw_only=True, tag="forecast"):
        queue: ClassVar[Queue] = "query"

    class Version(ActionEnvelope, frozen=True, kw_only=True, tag="query"):
        queue: ClassVar[Literal["query"]] = "query"

    working.worker.register(Forecast, sunny)
    for kind, problem in [(Nowhere, "queue"), (Another, "'forecast'"), (Version, "'query'")]:
        with pytest.raises(ConfigurationError, match=problem):
            working.worker.register(kind, sunny)  # pyright: ignore[reportArgumentType]
