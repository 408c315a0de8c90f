"""Log formatters: one line per event, for people or for programs, without message text."""

import json
import logging
import re
import time
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from math import inf
from types import TracebackType
from typing import Any, NamedTuple, cast

from recuerdo.core.errors import RecuerdoError
from recuerdo.core.tracing import current_request

_MOST_KNOWN = 1000
_MOST_CAUSES = 5
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that end a line, command a terminal, or change the order in which others are shown."""

_ADDRESS = re.compile(r"\b0x[0-9a-f]+")
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}


_SLOW_REQUESTS = "recuerdo.access"
_VERBOSE_LIBRARIES = ("uvicorn",)
"""Libraries whose `debug` messages never contain the data sent. Others would log prompts and keys."""


def log_from(level: str, form: str = "console") -> None:
    """Log to standard error: our own records from this level on, libraries' warnings, and at `debug` also requests."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter() if form == "json" else ConsoleFormatter())
    handler.addFilter(Reminders())
    handler.addFilter(name_request)
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("recuerdo").setLevel(level.upper())
    logging.getLogger("recuerdo.audit").setLevel(logging.INFO)  # at any level: it is a record, not a remark
    for name in _VERBOSE_LIBRARIES:
        logging.getLogger(name).setLevel(logging.INFO if level == "debug" else logging.WARNING)


def name_request(record: logging.LogRecord) -> bool:
    """A logging filter that adds the `request_id` and the `trace_id` of the request that a record is about."""
    request = current_request.get()
    if request.request_id:
        record.request_id = request.request_id
    if request.trace_id:
        record.trace_id = request.trace_id
    return True


class _Repeated(NamedTuple):
    """When a warning was last logged, when it last occurred, and how often it was suppressed in between."""

    said_at: float
    seen_at: float
    times: int


_NEVER = _Repeated(-inf, -inf, 0)


class Reminders(logging.Filter):
    """Logs a repeated warning once, and then every `reminder` seconds with its number of occurrences.

    Otherwise retries during a database outage would fill the disk. A warning that did not occur for `quiet` seconds is
    new again. Slow requests, of which each is another, are logged once a second and route. Records below the level of
    a warning always pass.
    """

    def __init__(
        self, quiet: float = 10.0, reminder: float = 60.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()
        self._quiet = quiet
        self._reminder = reminder
        self._clock = clock
        self._known: dict[tuple[object, ...], _Repeated] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING:
            return True
        now = self._clock()
        key = (*_same(record), int(now) if record.name == _SLOW_REQUESTS else None)
        known = self._known.pop(key, _NEVER)  # reinserted at the end: the first one is the least recent
        is_due = now - known.seen_at > self._quiet or now - known.said_at >= self._reminder
        self._known[key] = _Repeated(now, now, 0) if is_due else _Repeated(known.said_at, now, known.times + 1)
        if len(self._known) > _MOST_KNOWN:
            del self._known[next(iter(self._known))]
        if is_due and known.times:
            record.repeated = known.times
        return is_due


class ConsoleFormatter(logging.Formatter):
    """`2026-11-21 12:00:00,000 WARNING recuerdo.history: what happened depth=3`, tracebacks below."""

    def format(self, record: logging.LogRecord) -> str:
        when = self.formatTime(record)
        fields = "".join(f" {name}={_quoted(value)}" for name, value in _fields(record).items())
        failure = _failure(record)
        line = f"{when} {record.levelname} {record.name}: {_event(record)}{fields}"
        told = [*failure.get("stack", ()), *filter(None, [failure.get("error")])]
        causes = [f"  because of {cause}" for cause in failure.get("causes", ())]
        return "\n".join(map(_printable, [line, *told, *causes]))


class JsonFormatter(logging.Formatter):
    """One JSON object a line: `time`, `level`, `logger`, `event`, its own fields, `error`, `stack`, `causes`."""

    def format(self, record: logging.LogRecord) -> str:
        event: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": _event(record),
        }
        return json.dumps(_fields(record) | event | _failure(record), default=str, ensure_ascii=False)


def _printable(line: str) -> str:
    return _UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), line)


def _quoted(value: object) -> str:
    """The value of a field, in quotes if it could be taken for several fields."""
    text = str(value)
    return json.dumps(text, ensure_ascii=False) if "=" in text or '"' in text else text


def _same(record: logging.LogRecord) -> tuple[object, ...]:
    """A key that is equal for records that differ only in the object they mention."""
    failed_at = _stack(record.exc_info[2]) if record.exc_info else []
    return record.name, record.levelno, _ADDRESS.sub("", _event(record)), *failed_at


def _event(record: logging.LogRecord) -> str:
    """The first line: in further lines asyncio prints objects with their content."""
    return record.getMessage().strip().partition("\n")[0]


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    """The fields passed as `extra`."""
    return {name: value for name, value in vars(record).items() if name not in _STANDARD}


def _failure(record: logging.LogRecord) -> dict[str, Any]:
    """Where an exception was raised; only our own errors with their text, because libraries quote their input."""
    if not record.exc_info or record.exc_info[1] is None:
        return {}
    error = record.exc_info[1]
    causes = [_placed(cause) for cause in _causes(error)]
    return {"error": _summary(error), "stack": _stack(record.exc_info[2])} | ({"causes": causes} if causes else {})


def _causes(error: BaseException) -> list[BaseException]:
    """The chain of causes, nearest first."""
    found = [error]
    while (cause := _cause(found[-1])) is not None and cause not in found and len(found) <= _MOST_CAUSES:
        found.append(cause)
    return found[1:]


def _cause(error: BaseException) -> BaseException | None:
    if isinstance(error, BaseExceptionGroup):
        return cast(BaseExceptionGroup[BaseException], error).exceptions[0]
    return error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _placed(error: BaseException) -> str:
    frames = _stack(error.__traceback__)
    return _summary(error) + (f" at {frames[-1].strip()}" if frames else "")


def _summary(error: BaseException) -> str:
    name = type(error).__name__
    return f"{name}: {error}" if isinstance(error, RecuerdoError) else name


def _stack(trace: TracebackType | None) -> list[str]:
    return [f"  {frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(trace)]
