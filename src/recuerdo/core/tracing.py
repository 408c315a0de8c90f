"""The request that a task works for, and the spans that a tracer records of it.

Spans, their names and `traceparent` follow OpenTelemetry and https://www.w3.org/TR/trace-context/.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Literal, NamedTuple, Protocol

Attributes = Mapping[str, str | int | float | bool]


class RequestTrace(NamedTuple):
    """The names of a request in logs and at other services: its id, and its `traceparent` if it has one."""

    request_id: str = ""
    traceparent: str = ""

    @property
    def trace_id(self) -> str:
        """The id of the trace: the second part of the `traceparent`."""
        return self.traceparent[3:35]


NO_REQUEST = RequestTrace()
current_request: ContextVar[RequestTrace] = ContextVar("current_request", default=NO_REQUEST)
"""The request that the current task works for; tasks that it starts share it."""


WaitedFor = Literal["model", "embeddings", "database"]
time_waited: ContextVar[dict[WaitedFor, float] | None] = ContextVar("time_waited", default=None)
"""The seconds that the current request has waited for others; waits at the same time are added up."""


class TraceSpan(Protocol):
    """A timed part of a trace, which ends with its `with` block."""

    @property
    def traceparent(self) -> str:
        """The header that makes another service's span a child of this one."""
        ...

    def rename(self, name: str) -> None: ...

    def set(self, attributes: Attributes) -> None: ...

    def fail(self, error_type: str) -> None:
        """Mark the span as failed. The type of an error is enough: its text may quote a message."""
        ...


class Tracer(Protocol):
    """Records spans. One that is opened inside another is its child."""

    def serve(self, name: str, headers: Mapping[str, str]) -> AbstractContextManager[TraceSpan]:
        """A span for a request from outside, a child of the one that its headers name."""
        ...

    def span(self, name: str, attributes: Attributes, *, is_current: bool = True) -> AbstractContextManager[TraceSpan]:
        """A span for a part of our own work. With `is_current` the spans opened within the block are its children.

        Its parent is the current span of the current request's trace, or the request itself: it may have come to
        another process.

        A block that yields to its caller must not be current: it may be left in another task than it was entered.
        """
        ...

    def is_tracing(self) -> bool:
        """Whether a span belongs to something: to one that is open here, or to the current request."""
        ...


def outgoing_headers() -> dict[str, str]:
    """The headers by which another service can name the current request in its own logs and traces."""
    request = current_request.get()
    named = {"X-Request-Id": request.request_id, "traceparent": request.traceparent}
    return {name: value for name, value in named.items() if value}
