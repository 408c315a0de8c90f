"""The records of each request: an id, the metrics of its route, and lines in the log."""

import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Generator
from email.message import Message as Headers

import pytest
from operating import PATIENCE
from prometheus_client.parser import text_string_to_metric_families

from servers.recuerdo import RecuerdoServer, running_recuerdo

CANARY = "canary-90ab"


@pytest.fixture(scope="module")
def server() -> Generator[RecuerdoServer]:
    with running_recuerdo(access_log="true", log_format="json", slow_request="0") as server:
        yield server


def get(server: RecuerdoServer, path: str, **headers: str) -> tuple[int, Headers, bytes]:
    return ask(urllib.request.Request(server.url + path, headers={"X-Recuerdo-User": "emi", **headers}))


def chat(server: RecuerdoServer, message: str, path: str = "/v1/chat", **headers: str) -> None:
    post(server, path, {"message": message, "thread_id": "t"}, **headers)


def post(server: RecuerdoServer, path: str, body: dict[str, object], **headers: str) -> bytes:
    headers |= {"X-Recuerdo-User": "emi", "Content-Type": "application/json"}
    status, _, answer = ask(urllib.request.Request(server.url + path, json.dumps(body).encode(), headers))
    assert status in (200, 201)
    return answer


def ask(request: urllib.request.Request) -> tuple[int, Headers, bytes]:
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, response.headers, response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, error.read()


def logged(server: RecuerdoServer, request_id: str) -> dict[str, object]:
    """The line of the access log about a request, which is written behind the response."""
    for _ in range(PATIENCE * 50):
        found = [json.loads(line) for line in server.log.read_text("utf-8").splitlines() if line.startswith("{")]
        for line in found:
            if line["logger"] == "recuerdo.access" and line.get("request_id") == request_id:
                return line
        time.sleep(0.02)
    raise AssertionError(f"no line about {request_id}")


def requests_by_route(server: RecuerdoServer) -> dict[tuple[str, str, str], float]:
    families = text_string_to_metric_families(get(server, "/metrics")[2].decode())
    [family] = [family for family in families if family.name == "recuerdo_http_requests_seconds"]
    counts = [sample for sample in family.samples if sample.name.endswith("_count")]
    return {(one.labels["method"], one.labels["route"], one.labels["status"]): one.value for one in counts}


def test_a_response_names_its_request_by_the_callers_id_or_a_new_one(server: RecuerdoServer) -> None:
    assert get(server, "/ok", **{"X-Request-Id": "order-17"})[1]["X-Request-Id"] == "order-17"
    first, second = (get(server, "/ok")[1]["X-Request-Id"] for _ in range(2))
    assert len({first, second, ""}) == 3


@pytest.mark.parametrize("bad", ["x" * 129, "a b", '"quoted"', "ñ"])
def test_an_id_that_could_spoil_a_log_is_replaced(server: RecuerdoServer, bad: str) -> None:
    assert re.fullmatch(r"[0-9a-f]{32}", get(server, "/ok", **{"X-Request-Id": bad})[1]["X-Request-Id"])


def test_an_error_names_its_request_too(server: RecuerdoServer) -> None:
    status, headers, _ = get(server, "/v1/threads/absent/messages?limit=x", **{"X-Request-Id": "broken-1"})
    assert (status, headers["X-Request-Id"]) == (422, "broken-1")


def test_requests_are_counted_by_route_and_never_by_what_callers_write(server: RecuerdoServer) -> None:
    get(server, f"/v1/threads/{CANARY}/messages")
    get(server, f"/v1/threads/%2F{CANARY}/messages")
    get(server, f"/{CANARY}")
    counted = requests_by_route(server)
    assert counted["GET", "/v1/threads/{thread_id}/messages", "404"] >= 2
    assert counted["GET", "none", "404"] >= 1
    assert not any(CANARY in label for labels in counted for label in labels)


def test_the_access_log_has_fields_and_neither_ids_nor_queries(server: RecuerdoServer) -> None:
    get(server, f"/v1/threads/{CANARY}/messages?limit=7", **{"X-Request-Id": "logged-1"})
    line = logged(server, "logged-1")
    assert line["event"] == "GET /v1/threads/{thread_id}/messages"
    assert (line["method"], line["route"], line["status"]) == ("GET", "/v1/threads/{thread_id}/messages", 404)
    assert float(str(line["milliseconds"])) > 0
    assert CANARY not in server.log.read_text("utf-8")


def test_a_slow_request_is_a_warning_even_without_an_access_log() -> None:
    """A repeated warning is written once a minute, so that a slow route does not fill the disk."""
    with running_recuerdo(log_format="json", slow_request="0.000001") as server:
        get(server, "/v1/threads", **{"X-Request-Id": "slow-1"})
        line = logged(server, "slow-1")
    assert (line["level"], line["event"], line["route"]) == ("warning", "slow: GET /v1/threads", "/v1/threads")


def test_the_line_of_a_slow_turn_says_what_it_waited_for() -> None:
    """Turns that are slow one after the other have a line each: they are no repetition of each other."""
    with running_recuerdo(log_format="json", slow_request="0.000001", embeddings="offline") as server:
        for number in range(3):
            chat(server, "¿Dónde vivo? Vivo en Lima", **{"X-Request-Id": f"turn-{number}"})
            line = logged(server, f"turn-{number}")
            assert line["event"] == "slow: POST /v1/chat"
            for what in ("model", "database"):
                assert float(str(line[f"{what}_milliseconds"])) > 0
            time.sleep(1.1)
        assert "embeddings_milliseconds" in line


def test_a_streamed_turn_is_slow_as_a_whole_and_a_stream_that_is_only_listened_to_never_is() -> None:
    with running_recuerdo(log_format="json", slow_request="0.000001") as server:
        chat(server, "Vivo en Lima", "/v1/chat/stream", **{"X-Request-Id": "streamed-1"})
        line = logged(server, "streamed-1")
        assert line["event"] == "slow: POST /v1/chat/stream"
        assert float(str(line["model_milliseconds"])) > 0
        thread = json.loads(post(server, "/threads", {}))["thread_id"]
        begun = {"assistant_id": "recuerdo", "input": {"messages": [{"role": "user", "content": "Hola"}]}}
        run = json.loads(post(server, f"/threads/{thread}/runs", begun))["run_id"]
        get(server, f"/threads/{thread}/runs/{run}/stream", **{"X-Request-Id": "listener-1"})
        get(server, "/v1/threads", **{"X-Request-Id": "after-1"})
        assert logged(server, "after-1")
        assert '"listener-1"' not in server.log.read_text("utf-8")


def test_a_trace_that_a_caller_began_is_in_the_log_without_a_collector(server: RecuerdoServer) -> None:
    trace = "0af7651916cd43dd8448eb211c80319c"
    get(server, "/ok", **{"X-Request-Id": "traced-1", "traceparent": f"00-{trace}-b7ad6b7169203331-01"})
    line = logged(server, "traced-1")
    assert line["trace_id"] == trace
