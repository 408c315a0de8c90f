"""One line an event, for people or for programs, and never what was said."""

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

_MOST_KNOWN = 1000
_MOST_CAUSES = 5
_ADDRESS = re.compile(r"\b0x[0-9a-f]+")
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}


class _Repeated(NamedTuple):
    """When a warning was said, when it came, and how many times it was not said in between."""

    said_at: float
    seen_at: float
    times: int


_NEVER = _Repeated(-inf, -inf, 0)


class Reminders(logging.Filter):
    """Passes a warning that keeps coming once, and from then on once in `reminder` seconds, with how often it came.

    Or a database that is away would fill the disk: whoever needs it tries again and again, and each time it is said.
    A warning that did not come for `quiet` seconds is news again. Less than a warning is always passed.
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
        """See logging.Filter."""
        if record.levelno < logging.WARNING:
            return True
        now, key = self._clock(), _same(record)
        known = self._known.pop(key, _NEVER)  # and behind the others: the first has been quiet for longest
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
        """See logging.Formatter."""
        when = self.formatTime(record)
        fields = "".join(f" {name}={value}" for name, value in _fields(record).items())
        failure = _failure(record)
        line = f"{when} {record.levelname} {record.name}: {_event(record)}{fields}".replace("\n", "\\n")
        told = [*failure.get("stack", ()), *filter(None, [failure.get("error")])]
        return "\n".join([line, *told, *(f"  because of {cause}" for cause in failure.get("causes", ()))])


class JsonFormatter(logging.Formatter):
    """One JSON object a line: `time`, `level`, `logger`, `event`, its own fields, `error`, `stack`, `causes`."""

    def format(self, record: logging.LogRecord) -> str:
        """See logging.Formatter."""
        event: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": _event(record),
        }
        return json.dumps(_fields(record) | event | _failure(record), default=str, ensure_ascii=False)


def _same(record: logging.LogRecord) -> tuple[object, ...]:
    """What a record shares with those that say the same of other objects."""
    failed_at = _stack(record.exc_info[2]) if record.exc_info else []
    return record.name, record.levelno, _ADDRESS.sub("", _event(record)), *failed_at


def _event(record: logging.LogRecord) -> str:
    """The first line: below it asyncio shows objects, with all that is in them."""
    return record.getMessage().strip().partition("\n")[0]


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    """What was given as `extra`."""
    return {name: value for name, value in vars(record).items() if name not in _STANDARD}


def _failure(record: logging.LogRecord) -> dict[str, Any]:
    """Where an exception came from. Its text is told only of our own errors: others quote what they were given."""
    if not record.exc_info or record.exc_info[1] is None:
        return {}
    error = record.exc_info[1]
    causes = [_placed(cause) for cause in _causes(error)]
    return {"error": _told(error), "stack": _stack(record.exc_info[2])} | ({"causes": causes} if causes else {})


def _causes(error: BaseException) -> list[BaseException]:
    """What the error was raised because of, the nearest first."""
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
    return _told(error) + (f" at {frames[-1].strip()}" if frames else "")


def _told(error: BaseException) -> str:
    name = type(error).__name__
    return f"{name}: {error}" if isinstance(error, RecuerdoError) else name


def _stack(trace: TracebackType | None) -> list[str]:
    return [f"  {frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(trace)]
