"""A strict reader of server-sent events, after the standard's parsing rules, that also refuses what is no event."""

import json
from typing import Any, NamedTuple

import httpx


class Event(NamedTuple):
    name: str
    data: Any


def read_events(body: str) -> list[Event]:
    """The events of a whole stream."""
    assert body.endswith("\n\n"), "the last event is not finished"
    frames = body[:-2].split("\n\n")
    return [_event(frame) for frame in frames if not frame.startswith(":")]


def _event(frame: str) -> Event:
    fields: dict[str, str] = {}
    for line in frame.split("\n"):
        name, colon, value = line.partition(": ")
        assert colon, f"not a field: {line!r}"
        assert name in ("event", "data", "id"), f"unknown field: {name!r}"
        assert name not in fields, f"{name} twice"
        assert "\r" not in value
        fields[name] = value
    return Event(fields["event"], json.loads(fields["data"]))


def stream_chat(client: httpx.Client, **body: Any) -> list[Event]:
    response = client.post("/v1/chat/stream", json=body)
    assert response.status_code == 200, response.text
    return read_events(response.text)
