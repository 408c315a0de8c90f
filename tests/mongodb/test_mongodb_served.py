"""`recuerdo serve` over MongoDB: two users of a company talk with one agent, and nothing is lost when it is killed."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError

from recuerdo.adapters.registry import open_repositories
from recuerdo.core.api_keys import issue
from recuerdo.core.scope import Owner
from recuerdo.history.history import utc_now
from servers.recuerdo import running_recuerdo

PEOPLE: dict[str, str] = {"emi": "user", "eva": "user", "ada": "editor"}


async def keys_of(url: str) -> dict[str, str]:
    async with open_repositories(url) as repositories:
        assert repositories.api_keys is not None
        issued = {name: issue(Owner("acme", name), utc_now(), role=role) for name, role in PEOPLE.items()}
        for each in issued.values():
            await repositories.api_keys.add(each.key)
    return {name: each.secret for name, each in issued.items()}


async def say(client: LangGraphClient, thread: str, assistant: str, text: str) -> list[str]:
    """All messages of the thread, with which the stream of the run ends."""
    said = {"messages": [{"role": "user", "content": text}]}
    parts = [part async for part in client.runs.stream(thread, assistant, input=said, stream_mode="values")]
    assert parts[-1].event == "values", parts
    return texts(parts[-1].data)


def texts(values: Any) -> list[str]:
    return [message["content"] for message in values["messages"]]


@pytest.fixture(params=["replica set", "single server"])
def served_url(request: pytest.FixtureRequest) -> str:
    if request.param == "replica set":
        return request.getfixturevalue("empty_mongodb_url")
    return f"{request.getfixturevalue('standalone_mongodb_url')}served"


async def test_two_users_share_an_agent_that_remembers_each_after_kill_9(served_url: str) -> None:
    """Its name and employer, the states of before to go on from, and the items of each user's store."""
    keys = await keys_of(served_url)
    with running_recuerdo(database_url=served_url, auth_api_keys="true", embeddings="offline") as server:
        async with AsyncExitStack() as stack:
            emi, eva, ada = [
                await stack.enter_async_context(get_client(url=server.url, api_key=keys[name], timeout=120))
                for name in PEOPLE
            ]
            shared = await ada.http.post(
                "/assistants", json={"graph_id": "recuerdo", "name": "Support", "visibility": "tenant"}
            )
            agent = shared["assistant_id"]
            threads = [(await client.threads.create())["thread_id"] for client in (emi, eva)]
            [first, second] = await asyncio.gather(
                say(emi, threads[0], agent, "Hola, me llamo Emiliano"), say(eva, threads[1], agent, "Hola, soy Eva")
            )
            assert (len(first), len(second)) == (2, 2)
            await say(emi, threads[0], agent, "Trabajo en Data Oilers")
            await emi.store.put_item(["notes"], "colour", {"text": "azul"})
            server.kill()
            server.start()
            said = await say(emi, threads[0], agent, "¿Cómo me llamo?")
            assert (len(said), "Emiliano" in said[-1]) == (6, True)
            assert "Data Oilers" in (await say(emi, threads[0], agent, "¿Dónde trabajo?"))[-1]
            assert "Emiliano" not in (await say(eva, threads[1], agent, "¿Cómo me llamo?"))[-1]

            states = await emi.threads.get_history(threads[0], limit=100)
            [before] = [each for each in states if len(each["values"].get("messages", [])) == 2 and not each["next"]]
            other = {"messages": [{"role": "user", "content": "Vivo en Rosario"}]}
            checkpoint = before["checkpoint"]["checkpoint_id"]
            branch = await emi.runs.wait(threads[0], agent, input=other, checkpoint_id=checkpoint)
            assert texts(branch)[:3] == [*first, "Vivo en Rosario"]
            assert texts((await emi.threads.get_state(threads[0], checkpoint_id=checkpoint))["values"]) == first

            found = await emi.store.search_items(["notes"], filter={"text": "azul"})
            assert [item["key"] for item in found["items"]] == ["colour"]
            assert (await eva.store.search_items(["notes"]))["items"] == []
            for foreign in (eva.threads.get(threads[0]), eva.threads.get_state(threads[0])):
                with pytest.raises(NotFoundError):
                    await foreign
