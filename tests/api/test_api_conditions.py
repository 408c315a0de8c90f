"""Conditions of searches of the LangGraph API that are nested deeper than anything that is stored."""

from typing import Any

import httpx
import pytest

from recuerdo.core.conditions import DEEPEST
from servers.recuerdo import RecuerdoServer


def nested(levels: int) -> dict[str, Any]:
    inner: dict[str, Any] = {"a": 1}
    for _ in range(levels - 1):
        inner = {"a": inner}
    return inner


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/threads/search", "metadata"),
        ("/threads/search", "values"),
        ("/threads/count", "metadata"),
        ("/threads/{thread}/history", "metadata"),
        ("/assistants/search", "metadata"),
        ("/assistants/{assistant}/versions", "metadata"),
        ("/runs/crons/search", "metadata"),
        ("/store/items/search", "filter"),
    ],
)
def test_a_condition_that_is_nested_too_deep_is_refused_by_its_name(
    api_server: RecuerdoServer, user: str, path: str, field: str
) -> None:
    with httpx.Client(base_url=api_server.url, headers={"X-Recuerdo-User": user}) as client:
        thread = client.post("/threads", json={"metadata": nested(DEEPEST)}).json()["thread_id"]
        [assistant, *_] = client.post("/assistants/search", json={}).json()
        place = path.format(thread=thread, assistant=assistant["assistant_id"])
        assert client.post(place, json={field: nested(DEEPEST)}).status_code == 200
        refused = client.post(place, json={field: nested(500)})
    assert refused.status_code == 422
    [complaint] = refused.json()["detail"]
    assert complaint["loc"] == ["body", field]
