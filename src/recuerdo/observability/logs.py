"""One line an event, for people or for programs, and never what was said."""

import json
import logging
import traceback
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

from recuerdo.core.errors import RecuerdoError

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}


class ConsoleFormatter(logging.Formatter):
    """`2026-11-21 12:00:00,000 WARNING recuerdo.history: what happened depth=3`, tracebacks below."""

    def format(self, record: logging.LogRecord) -> str:
        """See logging.Formatter."""
        when = self.formatTime(record)
        fields = "".join(f" {name}={value}" for name, value in _fields(record).items())
        failure = _failure(record)
        line = f"{when} {record.levelname} {record.name}: {_event(record)}{fields}".replace("\n", "\\n")
        return "\n".join([line, *failure.get("stack", ()), *filter(None, [failure.get("error")])])


class JsonFormatter(logging.Formatter):
    """One JSON object a line: `time`, `level`, `logger`, `event`, the event's own fields, `error` and `stack`."""

    def format(self, record: logging.LogRecord) -> str:
        """See logging.Formatter."""
        event: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": _event(record),
        }
        return json.dumps(_fields(record) | event | _failure(record), default=str, ensure_ascii=False)


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
    return {"error": _told(record.exc_info[1]), "stack": _stack(record.exc_info[2])}


def _told(error: BaseException) -> str:
    name = type(error).__name__
    return f"{name}: {error}" if isinstance(error, RecuerdoError) else name


def _stack(trace: TracebackType | None) -> list[str]:
    return [f"  {frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(trace)]
