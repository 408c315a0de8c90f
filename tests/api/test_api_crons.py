"""Schedules, as LangGraph's SDK sees them."""

from datetime import UTC, datetime, timedelta

import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError, UnprocessableEntityError


async def test_a_schedule_is_made_found_changed_and_deleted(client: LangGraphClient) -> None:
    made = await client.crons.create("stepping", schedule="*/5 * * * *", input={"items": ["x"]}, metadata={"a": 1})
    cron_id = made["cron_id"]  # type: ignore[typeddict-item]
    [found] = await client.crons.search(metadata={"a": 1})
    assert (found["cron_id"], found["payload"]["input"], found["enabled"]) == (cron_id, {"items": ["x"]}, True)
    assert _time(found["next_run_date"]) - datetime.now(UTC) <= timedelta(minutes=5)
    changed = await client.crons.update(cron_id, schedule="0 0 1 1 *", enabled=False)
    assert (changed["schedule"], changed["enabled"]) == ("0 0 1 1 *", False)
    assert await client.crons.search(enabled=True) == []
    assert await client.crons.count() == 1
    await client.crons.delete(cron_id)
    with pytest.raises(NotFoundError):
        await client.crons.delete(cron_id)


async def test_a_schedule_on_a_thread_is_found_by_it(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    await client.crons.create_for_thread(thread, "stepping", schedule="0 0 * * *", timezone="America/Montevideo")
    [found] = await client.crons.search(thread_id=thread)
    assert _time(found["next_run_date"]).hour == 3, "midnight there"


async def test_a_schedule_that_can_not_be_read_is_refused(client: LangGraphClient) -> None:
    with pytest.raises(UnprocessableEntityError):
        await client.crons.create("stepping", schedule="now and then")
    with pytest.raises(UnprocessableEntityError):
        await client.crons.create("stepping", schedule="0 0 * * *", timezone="Nowhere/City")


async def test_a_schedule_ends(client: LangGraphClient) -> None:
    await client.crons.create("stepping", schedule="0 0 * * *", end_time=datetime.now(UTC) + timedelta(seconds=1))
    [found] = await client.crons.search()
    assert found["next_run_date"] is None


async def test_nobody_sees_anothers_schedule(client: LangGraphClient, stranger: LangGraphClient) -> None:
    made = await client.crons.create("stepping", schedule="0 0 * * *")
    for call in (stranger.crons.delete, stranger.crons.update):
        with pytest.raises(NotFoundError):
            await call(made["cron_id"])  # type: ignore[typeddict-item]
    assert await stranger.crons.count() == 0


def _time(text: object) -> datetime:
    return datetime.fromisoformat(str(text))
