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
        line = f"{when} {record.levelname} {record.name}: {_one_line(record.getMessage())}{_one_line(fields)}"
        return "\n".join([line, *_failure(record).get("stack", [])]) + _named(record)


class JsonFormatter(logging.Formatter):
    """One JSON object a line: `time`, `level`, `logger`, `event`, the event's own fields, `error` and `stack`."""

    def format(self, record: logging.LogRecord) -> str:
        """See logging.Formatter."""
        event: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        return json.dumps(_fields(record) | event | _failure(record), default=str, ensure_ascii=False)


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


def _named(record: logging.LogRecord) -> str:
    error = _failure(record).get("error")
    return f"\n{error}" if error else ""


def _one_line(text: str) -> str:
    return text.replace("\r", "\\r").replace("\n", "\\n")
