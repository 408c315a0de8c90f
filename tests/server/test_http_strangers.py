"""Many tenants use the same ids at the same moment: whatever they ask, nobody is answered with a byte of another's."""

import asyncio
import os
import random
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from serving import serving

from recuerdo import Recuerdo
from recuerdo.adapters.local import LocalApiKeys, LocalDatabase
from recuerdo.app.graphs import Hosted, hosting
from recuerdo.core.api_keys import issue
from recuerdo.core.scope import Owner
from recuerdo.server import ServerOptions
from recuerdo.server.auth.options import AuthOptions

TENANTS = 20
OPERATIONS = int(os.environ.get("RECUERDO_TEST_STRANGERS", "1000"))
SEED = int(os.environ.get("RECUERDO_TEST_SEED", "1"))
PATIENCE = 120.0
THREADS = [f"{number}1111111-1111-4111-8111-111111111111" for number in range(3)]
TEXTS = ["My name is {0}", "I live in {0}", "I work at {0} and like {0}", "{0}"]

Call = tuple[str, str, Any]
Choice = Callable[[random.Random, str, list[str]], Call]

CHOICES: list[Choice] = [
    lambda pick, word, _: ("POST", f"/v1/threads/{pick.choice(THREADS)}/messages", said(pick, word)),
    lambda pick, word, _: ("POST", "/v1/memories", {"text": pick.choice(TEXTS).format(word)}),
    lambda pick, word, _: ("POST", "/v1/tenant/memories", {"text": pick.choice(TEXTS).format(word)}),
    lambda pick, word, _: ("PUT", "/store/items", {"namespace": ["a"], "key": "k", "value": {"word": word}}),
    lambda pick, word, _: ("POST", "/threads", {**thread(pick), "metadata": {"word": word}, "if_exists": "do_nothing"}),
    lambda pick, word, _: ("PATCH", f"/threads/{pick.choice(THREADS)}", {"metadata": {"word": word}}),
    lambda pick, word, _: ("POST", "/assistants", {**assistant(pick), "name": word}),
    lambda pick, word, _: ("PATCH", f"/assistants/{pick.choice(THREADS)}", {"name": word}),
    lambda pick, word, _: ("POST", f"/threads/{pick.choice(THREADS)}/runs/wait", run(word)),
    lambda pick, word, _: ("POST", "/v1/chat", {"message": word, "thread_id": pick.choice(THREADS)}),
    lambda pick, word, _: ("GET", f"/v1/threads/{pick.choice(THREADS)}/messages", None),
    lambda pick, word, _: ("GET", f"/v1/threads/{pick.choice(THREADS)}/window", None),
    lambda pick, word, _: ("GET", f"/threads/{pick.choice(THREADS)}", None),
    lambda pick, word, _: ("GET", f"/threads/{pick.choice(THREADS)}/state", None),
    lambda pick, word, _: ("POST", f"/threads/{pick.choice(THREADS)}/history", {}),
    lambda pick, word, _: ("GET", f"/threads/{pick.choice(THREADS)}/runs", None),
    lambda pick, word, _: ("GET", f"/assistants/{pick.choice(THREADS)}", None),
    lambda pick, word, _: ("GET", f"/v1/contexts/{pick.choice(THREADS)}", None),
    lambda pick, word, _: ("GET", "/store/items?namespace=a&key=k", None),
    lambda pick, word, _: ("GET", "/v1/threads", None),
    lambda pick, word, _: ("GET", "/v1/memories", None),
    lambda pick, word, _: ("GET", "/v1/tenant/memories", None),
    lambda pick, word, _: ("POST", "/threads/search", {"limit": 100}),
    lambda pick, word, _: ("POST", "/assistants/search", {"limit": 100}),
    lambda pick, word, _: ("POST", "/store/items/search", {}),
    lambda pick, word, _: ("POST", "/v1/memories/search", {"query": "name live work"}),
    lambda pick, word, _: ("POST", "/v1/search", {"query": pick.choice(TEXTS).format("")}),
    lambda pick, word, others: ("POST", "/v1/search", {"query": pick.choice(others)[:4]}),
    lambda pick, word, _: ("DELETE", f"/threads/{pick.choice(THREADS)}", None),
    lambda pick, word, _: ("DELETE", f"/v1/threads/{pick.choice(THREADS)}", None),
]


def said(pick: random.Random, word: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": pick.choice(TEXTS).format(word)}]}


def thread(pick: random.Random) -> dict[str, Any]:
    return {"thread_id": pick.choice(THREADS)}


def assistant(pick: random.Random) -> dict[str, Any]:
    return {"assistant_id": pick.choice(THREADS), "graph_id": "recuerdo", "if_exists": "do_nothing"}


def run(word: str) -> dict[str, Any]:
    message = {"role": "user", "content": f"I am {word}"}
    return {"assistant_id": "recuerdo", "input": {"messages": [message]}, "if_not_exists": "create"}


@pytest.fixture(scope="module")
def keys() -> LocalApiKeys:
    return LocalApiKeys(LocalDatabase())


@pytest.fixture(scope="module")
def crowded_url(keys: LocalApiKeys, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    database = f"sqlite:///{tmp_path_factory.mktemp('crowded') / 'all.db'}"
    with serving(opened(database), ServerOptions(auth=AuthOptions(api_keys=True), api_keys=keys)) as url:
        yield url


@asynccontextmanager
async def opened(database: str) -> AsyncGenerator[Hosted]:
    async with Recuerdo.open(database, embeddings="none") as memory, hosting(memory) as hosted:
        yield hosted


async def test_nobody_gets_a_byte_of_another_tenant(crowded_url: str, keys: LocalApiKeys) -> None:
    """The users have one name, and a word each that nobody else may be shown."""
    pick = random.Random(SEED)
    words = [f"w{pick.getrandbits(64):016x}" for _ in range(TENANTS)]
    statuses: dict[int, int] = {}

    async def act(number: int) -> None:
        mine, others = words[number], [word for word in words if word != words[number]]
        choose = random.Random(SEED * 1000 + number)
        issued = issue(Owner(f"tenant-{number}", "emi"), datetime.now(UTC))
        await keys.add(issued.key)
        headers = {"x-api-key": issued.secret}
        async with httpx.AsyncClient(base_url=crowded_url, headers=headers, timeout=PATIENCE) as client:
            for _ in range(OPERATIONS // TENANTS):
                method, path, body = choose.choice(CHOICES)(choose, mine, others)
                answer = await client.request(method, path, json=body)
                statuses[answer.status_code] = statuses.get(answer.status_code, 0) + 1
                assert not [word for word in others if word in answer.text], (method, path, answer.text)
                assert answer.status_code < 500, (method, path, answer.text)

    async with asyncio.TaskGroup() as group:
        for number in range(TENANTS):
            group.create_task(act(number))
    assert statuses.get(200, 0) > sum(statuses.values()) // 3, statuses
