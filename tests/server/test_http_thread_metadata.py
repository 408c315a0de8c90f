"""The metadata of threads over /v1: set, merged, listed by, and refused."""

import json

import httpx
import pytest

SALES = {"agent_id": "sales", "channel": "web", "case": {"number": 7, "tags": ["new"]}}


def _thread(client: httpx.Client, thread: str, metadata: dict[str, object] | None = None) -> None:
    said = {"messages": [{"role": "user", "content": "hola"}]}
    assert client.post(f"/v1/threads/{thread}/messages", json=said).status_code == 201
    if metadata is not None:
        assert client.patch(f"/v1/threads/{thread}", json={"metadata": metadata}).status_code == 200


def _listed(client: httpx.Client, **parameters: str | int) -> list[str]:
    response = client.get("/v1/threads", params=parameters)
    assert response.status_code == 200, response.text
    return [each["id"] for each in response.json()["threads"]]


def test_metadata_is_merged(client: httpx.Client) -> None:
    """A change sets the keys that it names, takes away those that are null, and leaves the title and the version."""
    _thread(client, "t", SALES)
    before = client.get("/v1/threads/t").json()
    changed = client.patch(
        "/v1/threads/t", json={"metadata": {"channel": "whatsapp", "case": None, "vip": True}}
    ).json()
    assert changed["metadata"] == {"agent_id": "sales", "channel": "whatsapp", "vip": True}
    after = client.get("/v1/threads/t").json()
    assert after == before | {"metadata": changed["metadata"]}
    both = client.patch("/v1/threads/t", json={"title": "Pedido", "metadata": {"vip": None}}).json()
    assert (both["title"], both["metadata"]) == ("Pedido", {"agent_id": "sales", "channel": "whatsapp"})


def test_threads_are_listed_by_their_metadata(client: httpx.Client) -> None:
    """By the agent, the channel, own fields at any depth, and all of them at once."""
    _thread(client, "sales", SALES)
    _thread(client, "support", {"agent_id": "support", "channel": "web", "case": {"number": 8, "tags": ["new", "vip"]}})
    _thread(client, "plain")
    assert _listed(client) == ["plain", "support", "sales"]
    assert _listed(client, agent_id="sales") == ["sales"]
    assert _listed(client, channel="web") == ["support", "sales"]
    assert _listed(client, channel="web", metadata='{"case":{"tags":["vip"]}}') == ["support"]
    assert _listed(client, metadata='{"case":{"number":7}}') == ["sales"]
    assert _listed(client, metadata='{"case":{"number":"7"}}') == []
    assert _listed(client, channel="telegram") == []


def test_lists_skip_for_those_who_count_pages(client: httpx.Client) -> None:
    """`skip` leaves out as many as it says, of all and of those that a filter chooses."""
    for number in range(5):
        _thread(client, f"t-{number}", {"odd": number % 2 == 1})
    assert _listed(client, limit=2, skip=2) == ["t-2", "t-1"]
    assert _listed(client, metadata='{"odd":false}', skip=1) == ["t-2", "t-0"]
    assert _listed(client, skip=5) == []


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ({"metadata": "x"}, "metadata"),
        ({"metadata": "[1]"}, "metadata"),
        ({"metadata": '{"a":[{"b":1}]}'}, "metadata"),
        ({"metadata": '{"a":' * 100 + "1" + "}" * 100}, "metadata"),
        ({"skip": -1}, "skip"),
        ({"skip": 10_001}, "skip"),
        ({"chanel": "web"}, "chanel"),
    ],
)
def test_filters_that_make_no_sense_are_refused(
    client: httpx.Client, parameters: dict[str, str | int], name: str
) -> None:
    """The answer is a 422 that names the parameter."""
    response = client.get("/v1/threads", params=parameters)
    assert response.status_code == 422
    assert response.json()["detail"][0]["loc"] == ["query", name]


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"text": "x" * 16 * 1024},
        {"list": list(range(128))},
        {str(number): number for number in range(129)},
        {"number": 2**64},
        "no object",
    ],
    ids=["none", "bytes", "elements", "keys", "number", "text"],
)
def test_metadata_that_is_refused_changes_nothing(client: httpx.Client, metadata: object) -> None:
    """Too many bytes, keys or elements, and what no database can keep, are a 422; a title beside it is not set."""
    _thread(client, "t", SALES)
    before = client.get("/v1/threads/t").json()
    response = client.patch(
        "/v1/threads/t",
        content=json.dumps({"title": "New", "metadata": metadata}),
        headers={"Content-Type": "application/json"},
    )
    assert response.status_code == 422
    assert response.json()["detail"][0]["loc"][:2] == ["body", "metadata"]
    assert client.get("/v1/threads/t").json() == before


def test_a_change_says_something(client: httpx.Client) -> None:
    """A change without a title and metadata is refused, and one of a thread that is not there is a 404."""
    _thread(client, "t")
    assert client.patch("/v1/threads/t", json={}).status_code == 422
    assert client.patch("/v1/threads/absent", json={"metadata": SALES}).status_code == 404
    assert client.get("/v1/threads/absent").status_code == 404
