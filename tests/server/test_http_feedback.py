"""Feedback on replies goes with the thread, whichever way the thread goes."""

import base64
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from serving import serving

from recuerdo import Recuerdo
from recuerdo.app.graphs import Hosted, hosting
from recuerdo.server import ServerOptions

KEY = base64.b64encode(bytes(range(32))).decode()
WAYS = {
    "deleted": ("DELETE", "/v1/threads/t-1"),
    "cleared": ("POST", "/v1/threads/t-1/clear"),
}


@pytest.fixture(scope="module", params=["plain", "encrypted"])
def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    path: Path = tmp_path_factory.mktemp(request.param) / "r.db"
    key = KEY if request.param == "encrypted" else None

    @asynccontextmanager
    async def opened() -> AsyncGenerator[Hosted]:
        opening = Recuerdo.open(f"sqlite:///{path}", embeddings="none", encryption_key=key)
        async with opening as memory, hosting(memory) as hosted:
            yield hosted

    with serving(opened(), ServerOptions()) as url, httpx.Client(base_url=url) as client:
        yield client


@pytest.mark.parametrize("way", WAYS)
def test_feedback_goes_with_its_thread_and_no_other(client: httpx.Client, way: str) -> None:
    client.headers["X-Recuerdo-User"] = way
    for thread in ("t-1", "t-10"):
        said = {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]}
        client.post(f"/v1/threads/{thread}/messages", json=said).raise_for_status()
        rated = {"thread": thread, "seq": 2, "rating": 1}
        item = {"namespace": ["feedback"], "key": f"{thread}/2", "value": rated}
        client.put("/store/items", json=item).raise_for_status()
    client.put("/store/items", json={"namespace": ["notes"], "key": "k", "value": {"thread": "t-1"}}).raise_for_status()
    client.request(*WAYS[way]).raise_for_status()
    left = client.post("/store/items/search", json={"limit": 10}).json()["items"]
    assert sorted(item["key"] for item in left) == ["k", "t-10/2"]
