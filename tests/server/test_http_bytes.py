"""However large things are, one answer has a bounded part of a list, and says where to go on."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from serving import serving

from recuerdo import Recuerdo
from recuerdo.app.graphs import Hosted, hosting

BOUND = 20_000
LARGE = "x" * 8_000


@asynccontextmanager
async def opened() -> AsyncGenerator[Hosted]:
    async with Recuerdo.open("memory://", embeddings="none", read_bytes=BOUND) as memory, hosting(memory) as hosted:
        yield hosted


@pytest.fixture(scope="module")
def bounded_url() -> Iterator[str]:
    with serving(opened()) as url:
        yield url


@pytest.fixture
def emi(bounded_url: str, request: pytest.FixtureRequest) -> Iterator[httpx.Client]:
    """A user of each test's own."""
    with httpx.Client(base_url=bounded_url, headers={"X-Recuerdo-User": request.node.name}) as client:
        yield client


def test_a_page_of_messages_says_where_to_go_on(emi: httpx.Client) -> None:
    message = {"role": "user", "content": LARGE}
    emi.post("/v1/threads/t/messages", json={"messages": [message] * 7}).raise_for_status()
    found: list[int] = []
    query: dict[str, Any] = {"limit": 100, "after": 0}
    while True:
        answer = emi.get("/v1/threads/t/messages", params=query)
        assert len(answer.content) < BOUND + 2 * len(LARGE)
        page = answer.json()
        found += [each["seq"] for each in page["messages"]]
        if not page["more"]:
            break
        query["after"] = found[-1]
    assert found == [*range(1, 8)]


def test_a_window_has_as_many_messages_as_there_is_room_for(emi: httpx.Client) -> None:
    messages = [{"role": "user", "content": f"{number} {LARGE}"} for number in range(7)]
    emi.post("/v1/threads/w/messages", json={"messages": messages}).raise_for_status()
    answer = emi.get("/v1/threads/w/window", params={"messages": 7})
    assert [each["seq"] for each in answer.json()["messages"]] == [5, 6, 7]


def test_a_list_of_threads_names_the_next_offset(emi: httpx.Client) -> None:
    for number in range(7):
        emi.post("/threads", json={"metadata": {"number": number, "text": LARGE}}).raise_for_status()
    seen: list[int] = []
    offset: str | None = "0"
    while offset is not None:
        answer = emi.post("/threads/search", json={"limit": 100, "offset": int(offset)})
        assert len(answer.content) < BOUND + 2 * len(LARGE)
        assert answer.headers["X-Pagination-Total"] == "7"
        seen += [each["metadata"]["number"] for each in answer.json()]
        offset = answer.headers.get("X-Pagination-Next")
    assert seen == [*range(7)][::-1]


def test_a_list_of_states_goes_on_before_its_last(emi: httpx.Client) -> None:
    thread = emi.post("/threads", json={"metadata": {"graph_id": "recuerdo"}}).json()["thread_id"]
    for number in range(5):
        body = {"values": {"messages": [{"role": "user", "content": f"{number} {LARGE}"}]}, "as_node": "__start__"}
        emi.post(f"/threads/{thread}/state", json=body).raise_for_status()
    whole: list[str] = []
    before: str | None = None
    while True:
        body = {"limit": 100} if before is None else {"limit": 100, "before": before}
        states = emi.post(f"/threads/{thread}/history", json=body).json()
        if not states:
            break
        assert len(states) < 5
        whole += [each["checkpoint"]["checkpoint_id"] for each in states]
        before = whole[-1]
    assert len(whole) == len(set(whole)) == 5


def test_a_list_of_items_goes_on_behind_as_many_as_there_are(emi: httpx.Client) -> None:
    for number in range(7):
        item = {"namespace": ["a"], "key": str(number), "value": {"text": LARGE}}
        emi.put("/store/items", json=item).raise_for_status()
    seen: list[str] = []
    while items := emi.post("/store/items/search", json={"limit": 100, "offset": len(seen)}).json()["items"]:
        assert len(items) <= 3
        seen += [each["key"] for each in items]
    assert sorted(seen) == [*"0123456"]


def test_a_list_of_assistants_names_the_next_offset(emi: httpx.Client) -> None:
    for number in range(7):
        body = {"graph_id": "recuerdo", "metadata": {"number": number}, "config": {"tags": [LARGE]}}
        emi.post("/assistants", json=body).raise_for_status()
    seen: list[int] = []
    offset: str | None = "0"
    while offset is not None:
        body = {"limit": 100, "offset": int(offset), "graph_id": "recuerdo"}
        answer = emi.post("/assistants/search", json=body)
        assert len(answer.content) < BOUND + 2 * len(LARGE)
        seen += [each["metadata"]["number"] for each in answer.json() if "number" in each["metadata"]]
        offset = answer.headers.get("X-Pagination-Next")
    assert sorted(seen) == [*range(7)]


def test_a_list_of_runs_names_the_next_offset(emi: httpx.Client) -> None:
    thread = emi.post("/threads", json={}).json()["thread_id"]
    for number in range(5):
        body = {"assistant_id": "recuerdo", "metadata": {"number": number, "text": LARGE}, "after_seconds": 9999}
        emi.post(f"/threads/{thread}/runs", json=body).raise_for_status()
    seen: list[int] = []
    offset: str | None = "0"
    while offset is not None:
        answer = emi.get(f"/threads/{thread}/runs", params={"limit": 100, "offset": offset})
        assert len(answer.content) < BOUND + 2 * len(LARGE)
        seen += [each["metadata"]["number"] for each in answer.json()]
        offset = answer.headers.get("X-Pagination-Next")
    assert seen == [*range(5)][::-1]


@pytest.mark.parametrize(("what", "key"), [("memories", "before"), ("documents", "after")])
def test_a_list_of_what_is_short_goes_on_too(emi: httpx.Client, what: str, key: str) -> None:
    added: set[str] = set()
    for number in range(7):
        text = f"{number} likes {LARGE[:3500]}"
        body = {"text": text} if what == "memories" else {"source": f"{number}.md", "content": "x", "title": text}
        made = emi.post(f"/v1/{what}", json=body).raise_for_status().json()
        added.add(made.get("document", made)["id"])
    seen: list[str] = []
    query: dict[str, Any] = {}
    while True:
        page = emi.get(f"/v1/{what}", params=query).raise_for_status().json()
        assert 0 < len(page[what]) < 7
        seen += [each["id"] for each in page[what]]
        if page[key] is None:
            break
        query[key] = page[key]
    assert len(seen) == 7
    assert {*seen} == added
