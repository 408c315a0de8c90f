"""Traces: which work is a span, and the tracer that sends spans to an OpenTelemetry collector.

The names and attributes of models and agents are those of OpenTelemetry's conventions for generative AI:
https://opentelemetry.io/docs/specs/semconv/gen-ai/
Spans contain no message text and no user id.
"""

import functools
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from importlib.metadata import version
from typing import Any

from recuerdo.core.errors import ConfigurationError, MissingExtra
from recuerdo.core.messages import Message
from recuerdo.core.ports import ChatModel
from recuerdo.core.runs import Run
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.tracing import Attributes, Tracer, TraceSpan, current_request

_TENANT = "recuerdo.tenant"
_CONVERSATION = "gen_ai.conversation.id"

HISTORY_SPANS = {
    "append": "recuerdo.append",
    "headed_window": "recuerdo.window",
    "page": "recuerdo.page",
    "search": "recuerdo.search_history",
}
MEMORY_SPANS = {"recall_all": "recuerdo.recall", "remember": "recuerdo.remember", "search": "recuerdo.search_memories"}
CHECKPOINT_SPANS = {"get": "recuerdo.checkpoint.get", "put": "recuerdo.checkpoint.put"}
HOST_SPANS = {"execute": "invoke_agent"}
WORKER_SPANS = {"attempt": "recuerdo.action"}

_SERVICE = "recuerdo"
_PATH = "/v1/traces"
_HEADERS = frozenset({"traceparent", "tracestate"})
_SAMPLED = 1


class _OtelSpan:
    def __init__(self, span: Any, status: Any) -> None:
        self._span = span
        self._status = status

    @property
    def traceparent(self) -> str:
        context = self._span.get_span_context()
        return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags & _SAMPLED:02x}"

    def rename(self, name: str) -> None:
        self._span.update_name(name)

    def set(self, attributes: Attributes) -> None:
        self._span.set_attributes(attributes)

    def fail(self, error_type: str) -> None:
        self._span.set_attribute("error.type", error_type)
        self._span.set_status(self._status)


class OtelTracer:
    """See Tracer. Close it, so that the last spans are sent."""

    def __init__(self, endpoint: str) -> None:
        """Send spans to the OTLP/HTTP receiver at `endpoint`, e.g. `http://127.0.0.1:4318`.

        The SDK's own variables (`OTEL_SERVICE_NAME`, `OTEL_TRACES_SAMPLER`, `OTEL_EXPORTER_OTLP_HEADERS`) are heeded.
        Raises MissingExtra, or ConfigurationError for an endpoint that is not a URL.
        """
        if not endpoint.startswith(("http://", "https://")):
            raise ConfigurationError(f"RECUERDO_OTLP_ENDPOINT is not a URL: {endpoint!r}. Write http://127.0.0.1:4318.")
        try:
            from opentelemetry import trace
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.resources import SERVICE_NAME, OTELResourceDetector, Resource
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import BatchSpanProcessor
            from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
        except ModuleNotFoundError as missing:
            raise MissingExtra("Tracing", "otel") from missing
        self._trace = trace
        self._propagator = TraceContextTextMapPropagator()
        resource = Resource({SERVICE_NAME: _SERVICE, "service.version": version("recuerdo")})
        self._provider = TracerProvider(resource=resource.merge(OTELResourceDetector().detect()))
        exporter = OTLPSpanExporter(endpoint.rstrip("/") + _PATH)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer(_SERVICE)
        self._failed = trace.Status(trace.StatusCode.ERROR)

    @contextmanager
    def serve(self, name: str, headers: Mapping[str, str]) -> Generator[TraceSpan]:
        parent = self._extract(headers)
        with self._opened(name, {}, parent=parent, kind=self._trace.SpanKind.SERVER, is_current=True) as span:
            yield span

    @contextmanager
    def span(self, name: str, attributes: Attributes, *, is_current: bool = True) -> Generator[TraceSpan]:
        kind, parent = self._trace.SpanKind.INTERNAL, self._remote_parent()
        with self._opened(name, attributes, kind=kind, is_current=is_current, parent=parent) as span:
            yield span

    def is_tracing(self) -> bool:
        is_open = self._trace.get_current_span().get_span_context().is_valid
        return is_open or bool(current_request.get().traceparent)

    def _remote_parent(self) -> Any:
        """The span of the current request, where none of its trace is open here."""
        request = current_request.get()
        current = self._trace.get_current_span().get_span_context()
        if not request.traceparent or f"{current.trace_id:032x}" == request.trace_id:
            return None
        return self._extract({"traceparent": request.traceparent})

    def _extract(self, headers: Mapping[str, str]) -> Any:
        return self._propagator.extract({key: value for key, value in headers.items() if key in _HEADERS})

    def close(self) -> None:
        """Send the remaining spans, for some seconds at most."""
        self._provider.shutdown()

    @contextmanager
    def _opened(
        self, name: str, attributes: Attributes, *, kind: Any, is_current: bool, parent: Any = None
    ) -> Generator[TraceSpan]:
        started = self._tracer.start_span(name, parent, kind, attributes)
        opened = _OtelSpan(started, self._failed)
        try:
            if is_current:
                with self._trace.use_span(started, record_exception=False, set_status_on_exception=False):
                    yield opened
            else:
                yield opened
        except Exception as error:
            opened.fail(type(error).__name__)
            raise
        finally:
            started.end()


def trace(service: object, spans: Mapping[str, str], tracer: Tracer) -> None:
    """Record a span for each call of the named methods of this one object; without a tracer nothing is wrapped."""
    for method, name in spans.items():
        setattr(service, method, _traced(getattr(service, method), name, tracer))


def _traced(method: Callable[..., Any], name: str, tracer: Tracer) -> Callable[..., Any]:
    @functools.wraps(method)
    async def traced(*args: Any, **options: Any) -> Any:
        with tracer.span(name, _attributes([*args, *options.values()])):
            return await method(*args, **options)

    return traced


def _attributes(values: Sequence[object]) -> Attributes:
    """Return the attributes that the arguments give: never a user and never a text."""
    found: dict[str, str] = {}
    for value in values:
        scope, owner = getattr(value, "scope", value), getattr(value, "owner", value)
        if isinstance(scope, Scope):
            found |= {_TENANT: scope.tenant, _CONVERSATION: scope.thread}
        elif isinstance(owner, Owner):
            found[_TENANT] = owner.tenant
        elif isinstance(value, Run):
            found |= {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.id": value.assistant_id}
            found |= {_CONVERSATION: value.thread_id, "recuerdo.run.id": value.run_id}
    return found


class TracedModel:
    """A ChatModel whose answers are spans."""

    def __init__(self, model: ChatModel, tracer: Tracer) -> None:
        self._model = model
        self._tracer = tracer

    @property
    def name(self) -> str:
        return self._model.name

    async def stream(self, prompt: Sequence[Message]) -> AsyncGenerator[str, None]:
        provider, _, model = self.name.rpartition(":")
        attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": model,
            "gen_ai.provider.name": provider or "recuerdo",
            "recuerdo.prompt.messages": len(prompt),
        }
        with self._tracer.span(f"chat {model}", attributes, is_current=False) as span:
            pieces = 0
            async with aclosing(self._model.stream(prompt)) as answer:
                async for piece in answer:
                    pieces += 1
                    yield piece
            span.set({"recuerdo.reply.pieces": pieces})


@contextmanager
def open_tracer(endpoint: str | None) -> Generator[OtelTracer | None]:
    """A tracer that sends its remaining spans at the end; None without an endpoint. Raises like OtelTracer."""
    tracer = OtelTracer(endpoint) if endpoint else None
    try:
        yield tracer
    finally:
        if tracer is not None:
            tracer.close()
