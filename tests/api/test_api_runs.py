"""Runs, as LangGraph's SDK sees them: made, waited for, queued, cancelled, resumed."""

import asyncio
import uuid

import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import ConflictError, NotFoundError, UnprocessableEntityError


async def test_a_run_is_waited_for(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    created: list[object] = []
    values = await client.runs.wait(thread, "stepping", input={"items": ["x"]}, on_run_created=created.append)
    assert values == {"items": ["x", "first", "second"]}
    [run] = await client.runs.list(thread)
    assert created == [{"run_id": run["run_id"], "thread_id": thread}]
    assert (run["status"], run["multitask_strategy"]) == ("success", "enqueue")


async def test_a_run_is_joined(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(thread, "stepping", input={"items": ["x"]}, metadata={"a": 1})
    assert run["status"] == "pending"
    assert await client.runs.join(thread, run["run_id"]) == {"items": ["x", "first", "second"]}
    done = await client.runs.get(thread, run["run_id"])
    assert (done["status"], done["metadata"]["a"], done["kwargs"]["input"]) == ("success", 1, {"items": ["x"]})
    assert await client.runs.list(thread, status="pending") == []
    assert await client.runs.list(thread, select=["status"]) == [{"status": "success"}]


async def test_a_run_that_fails_says_why(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    with pytest.raises(Exception, match="ValueError: told to fail"):
        await client.runs.wait(thread, "stepping", input={"answer": "fail"})
    failed = await client.runs.wait(thread, "stepping", input={"answer": "fail"}, raise_error=False)
    assert failed == {"__error__": {"error": "ValueError", "message": "told to fail"}}
    assert (await client.runs.list(thread, limit=1))[0]["status"] == "error"
    assert (await client.threads.get(thread))["status"] == "error"


async def test_a_run_without_a_thread_leaves_none_behind(client: LangGraphClient) -> None:
    assert await client.runs.wait(None, "stepping", input={"items": ["x"]}) == {"items": ["x", "first", "second"]}
    assert await client.threads.count() == 0
    await client.runs.wait(None, "stepping", input={"items": ["x"]}, on_completion="keep")
    assert await client.threads.count() == 1


async def test_runs_are_made_together(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    runs = await client.runs.create_batch(
        [{"assistant_id": "stepping", "input": {}, "thread_id": thread}, {"assistant_id": "stepping", "input": {}}]  # type: ignore[list-item]
    )
    assert runs[0]["thread_id"] == thread
    assert await client.runs.join(thread, runs[0]["run_id"]) == {"items": ["first", "second"]}


async def test_an_absent_thread_is_made_where_the_run_says_so(client: LangGraphClient) -> None:
    thread = str(uuid.uuid4())
    with pytest.raises(NotFoundError):
        await client.runs.create(thread, "stepping", input={})
    await client.runs.wait(thread, "stepping", input={}, if_not_exists="create")
    assert (await client.threads.get(thread))["status"] == "idle"


async def test_what_is_no_assistant_is_refused(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    with pytest.raises(UnprocessableEntityError):
        await client.runs.create(thread, "nothing", input={})
    with pytest.raises(NotFoundError):
        await client.runs.create(thread, str(uuid.uuid4()), input={})
    with pytest.raises(UnprocessableEntityError):
        await client.runs.create(thread, "stepping", input={}, stream_mode="nothing")  # type: ignore[arg-type]
    with pytest.raises(UnprocessableEntityError):
        await client.runs.create(thread, "stepping", input={}, webhook="ftp://somewhere")


async def test_runs_of_a_thread_come_one_after_the_other(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    runs = [await client.runs.create(thread, "stepping", input={"items": [str(n)], "wait": 0.05}) for n in range(3)]
    values = await client.runs.join(thread, runs[-1]["run_id"])
    assert values["items"] == ["0", "first", "second", "1", "first", "second", "2", "first", "second"]


async def test_a_busy_thread_rejects_a_run_where_that_asks_for_it(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(thread, "stepping", input={"wait": 20})
    with pytest.raises(ConflictError):
        await client.runs.create(thread, "stepping", input={}, multitask_strategy="reject")
    await client.runs.cancel(thread, run["run_id"], wait=True)


@pytest.mark.parametrize(("strategy", "kept"), [("interrupt", ["one", "first"]), ("rollback", [])])
async def test_a_run_takes_the_place_of_the_one_at_work(
    client: LangGraphClient, strategy: str, kept: list[str]
) -> None:
    """`interrupt` keeps what that one had done, `rollback` takes it back."""
    thread = (await client.threads.create())["thread_id"]
    first = await client.runs.create(thread, "slow", input={"items": ["one"]})
    await _until_it_has_done(client, thread, ["one", "first"])
    values = await client.runs.wait(thread, "stepping", input={"items": ["two"]}, multitask_strategy=strategy)  # type: ignore[arg-type]
    assert values["items"] == [*kept, "two", "first", "second"]
    if strategy == "interrupt":
        assert (await client.runs.get(thread, first["run_id"]))["status"] == "interrupted"
    else:
        with pytest.raises(NotFoundError):
            await client.runs.get(thread, first["run_id"])


async def test_a_run_is_cancelled_and_resumed(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(thread, "slow", input={"items": ["x"]})
    await _until_it_has_done(client, thread, ["x", "first"])
    await client.runs.cancel(thread, run["run_id"], wait=True)
    assert (await client.runs.get(thread, run["run_id"]))["status"] == "interrupted"
    assert (await client.threads.get(thread))["status"] == "interrupted"
    with pytest.raises(NotFoundError):
        await client.runs.cancel(thread, run["run_id"])
    state = await client.threads.get_state(thread)
    assert (state["next"], state["values"]["items"]) == (["second"], ["x", "first"])


async def test_a_run_that_is_rolled_back_leaves_nothing(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, "stepping", input={"items": ["x"]})
    run = await client.runs.create(thread, "slow", input={"items": ["y"]})
    await _until_it_has_done(client, thread, ["x", "first", "second", "y", "first"])
    await client.runs.cancel(thread, run["run_id"], wait=True, action="rollback")
    assert (await client.threads.get_state(thread))["values"] == {"items": ["x", "first", "second"]}
    with pytest.raises(NotFoundError):
        await client.runs.get(thread, run["run_id"])


async def test_many_runs_are_cancelled(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    runs = [await client.runs.create(thread, "slow", input={}) for _ in range(3)]
    await client.runs.cancel_many(thread_id=thread, run_ids=[run["run_id"] for run in runs[1:]])
    await client.runs.cancel_many(status="all")
    await client.runs.join(thread, runs[0]["run_id"])
    assert {run["status"] for run in await client.runs.list(thread)} == {"interrupted"}
    with pytest.raises(NotFoundError):
        await client.runs.cancel_many(status="all")


async def test_a_run_is_deleted(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(thread, "slow", input={})
    await client.runs.delete(thread, run["run_id"])
    assert await client.runs.list(thread) == []
    assert (await client.threads.get(thread))["status"] != "busy"


async def test_a_delayed_run_starts_later(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    late = await client.runs.create(thread, "stepping", input={"items": ["late"]}, after_seconds=1)
    soon = await client.runs.wait(thread, "stepping", input={"items": ["soon"]})
    assert soon["items"] == ["soon", "first", "second"]
    assert (await client.runs.join(thread, late["run_id"]))["items"][3:] == ["late", "first", "second"]


async def test_a_question_of_the_graph_is_answered(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    asked = await client.runs.wait(thread, "asking", input={"items": []})
    assert asked["__interrupt__"][0]["value"] == {"question": "go on?"}
    waiting = await client.threads.get(thread)
    assert waiting["status"] == "interrupted"
    assert [[each["value"] for each in task] for task in waiting["interrupts"].values()] == [[{"question": "go on?"}]]
    answered = await client.runs.wait(thread, "asking", command={"resume": "yes"})
    assert answered == {"items": ["first", "heard yes"], "answer": "yes"}
    assert (await client.threads.get(thread))["interrupts"] == {}


async def test_a_command_updates_and_goes_to_a_node(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, "stepping", input={"items": ["x"]})
    values = await client.runs.wait(thread, "stepping", command={"update": {"items": ["u"]}, "goto": "second"})
    assert values["items"] == ["x", "first", "second", "u", "second"]


async def test_a_run_stops_before_and_after_nodes(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    assert await client.runs.wait(thread, "stepping", input={}, interrupt_before=["second"]) == {"items": ["first"]}
    assert (await client.threads.get(thread))["status"] == "interrupted"
    assert await client.runs.wait(thread, "stepping", input=None) == {"items": ["first", "second"]}


async def test_the_graph_gets_its_configuration_and_a_store_of_its_own(client: LangGraphClient) -> None:
    """Whatever it was compiled with; a configuration may come as `context` or as `configurable`."""
    kind = await client.assistants.create("mannered", context={"tone": "kind"})
    assert await client.runs.wait(None, kind["assistant_id"], input={}) == {"items": ["kind in mannered"]}
    stern = await client.runs.wait(None, "mannered", input={}, config={"configurable": {"tone": "stern"}})
    assert stern == {"items": ["stern in mannered"]}
    item = await client.store.get_item(["tones"], "last")
    assert item["value"] == {"tone": "stern"}


async def test_a_graph_may_be_made_for_each_run(client: LangGraphClient) -> None:
    assert await client.runs.wait(None, "made", input={"items": ["x"]}) == {"items": ["x", "first", "second"]}


async def test_many_threads_run_at_once(client: LangGraphClient) -> None:
    threads = [(await client.threads.create())["thread_id"] for _ in range(10)]
    results = await asyncio.gather(
        *(client.runs.wait(thread, "stepping", input={"items": [thread]}) for thread in threads)
    )
    assert [result["items"][0] for result in results] == threads


async def _until_it_has_done(client: LangGraphClient, thread: str, items: list[str]) -> None:
    while (await client.threads.get_state(thread))["values"].get("items") != items:  # noqa: ASYNC110 - another process says when
        await asyncio.sleep(0.02)
