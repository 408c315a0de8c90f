"""Logs: one line an event, and never what was said, nor a key."""

import asyncio
import http.client
import json
import logging
import re
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest
from operating import PATIENCE, environment

from recuerdo.adapters.postgres.signals import PostgresSignals
from recuerdo.core.errors import DatabaseUnavailable
from recuerdo.observability.logs import ConsoleFormatter, JsonFormatter, Reminders
from servers import preloaded
from servers.openai_server import OpenAIServer

SECRET = "canary-7f3a"
KEY = "sk-canary-key-51"


def record(message: str, *arguments: object, error: BaseException | None = None, **extra: Any) -> logging.LogRecord:
    trace = (type(error), error, error.__traceback__) if error else None
    logger = logging.getLogger("recuerdo.test")
    return logger.makeRecord(logger.name, logging.WARNING, "x.py", 1, message, arguments, trace, extra=extra)


def raised(error: Exception) -> Exception:
    try:
        raise error
    except Exception as caught:
        return caught


def test_a_json_line_has_the_event_and_its_fields() -> None:
    line = JsonFormatter().format(record("spool of %d waits", 3, depth=3, path=Path("/x"), text="ñ\n"))
    assert "\n" not in line
    event = json.loads(line)
    assert event.pop("time").endswith("+00:00")
    assert event == {
        "level": "warning",
        "logger": "recuerdo.test",
        "event": "spool of 3 waits",
        "depth": 3,
        "path": "/x",
        "text": "ñ\n",
    }


def test_a_field_can_not_pose_as_another_event() -> None:
    """Fields named like ours lose, and a line break does not begin a line."""
    event = json.loads(JsonFormatter().format(record("real", event="fake", level="fake")))
    assert (event["event"], event["level"]) == ("real", "warning")
    assert "\n" not in ConsoleFormatter().format(record("real", field="x\n2026-01-01 ERROR fake"))


@pytest.mark.parametrize("text", ["x\r2026 ERROR y", "x\x1b[2Jy", "x\x85y", "x\u2028y", "x\u202ey", "x\ny"])
def test_no_text_ends_a_line_commands_a_terminal_or_turns_a_line_around(text: str) -> None:
    for each in (
        record("real", field=text),
        record("real %s", text),
        record("failed", error=raised(DatabaseUnavailable(text))),
    ):
        told = ConsoleFormatter().format(each)
        assert all(line.isprintable() for line in told.split("\n")), repr(told)
        assert not [line for line in told.splitlines() if line.startswith(("2026 ERROR", "y"))]


def test_no_value_of_a_field_poses_as_another_field() -> None:
    told = ConsoleFormatter().format(record("refused", user="emi role=operator", tenant='a" role="b'))
    assert told.endswith(r'refused user="emi role=operator" tenant="a\" role=\"b"')


def test_a_console_line_is_for_people() -> None:
    line = ConsoleFormatter().format(record("spool of %d waits", 3, depth=3))
    assert re.fullmatch(r"\d{4}-\d\d-\d\d [\d:,]+ WARNING recuerdo.test: spool of 3 waits depth=3", line)


@pytest.mark.parametrize("formatter", [JsonFormatter(), ConsoleFormatter()])
def test_of_a_failure_the_place_is_told_and_not_the_text(formatter: logging.Formatter) -> None:
    """Errors of libraries quote what the libraries were given."""
    line = formatter.format(record("failed", error=raised(ValueError(f"bad value: {SECRET}"))))
    assert SECRET not in line
    assert "ValueError" in line
    assert "test_logs.py" in line


@pytest.mark.parametrize("formatter", [JsonFormatter(), ConsoleFormatter()])
def test_what_a_failure_comes_from_is_told_by_its_type_and_place(formatter: logging.Formatter) -> None:
    """`ModelUnavailable` alone says nothing of a certificate that has expired."""

    def fail() -> None:
        try:
            {}[SECRET]
        except KeyError as missing:
            raise DatabaseUnavailable("away") from ExceptionGroup(SECRET, [OSError(SECRET), missing])

    with pytest.raises(DatabaseUnavailable) as caught:
        fail()
    line = formatter.format(record("failed", error=caught.value))
    assert SECRET not in line
    assert line.index("DatabaseUnavailable: away") < line.index("ExceptionGroup") < line.index("OSError")
    unrelated = raised(ValueError(SECRET))
    unrelated.__context__, unrelated.__suppress_context__ = KeyError(SECRET), True
    assert "KeyError" not in formatter.format(record("failed", error=unrelated))
    nested = raised(ValueError(SECRET))
    nested.__context__ = raised(KeyError(SECRET))
    assert re.search(r"KeyError at .*test_logs.py:\d+ raised", formatter.format(record("failed", error=nested)))


@pytest.mark.parametrize("formatter", [JsonFormatter(), ConsoleFormatter()])
def test_of_our_own_failures_the_text_is_told(formatter: logging.Formatter) -> None:
    line = formatter.format(record("failed", error=raised(DatabaseUnavailable("Make room on the file's disk."))))
    assert "DatabaseUnavailable: Make room on the file's disk." in line


@pytest.mark.parametrize("formatter", [JsonFormatter(), ConsoleFormatter()])
def test_objects_that_asyncio_shows_are_left_out(formatter: logging.Formatter) -> None:
    line = formatter.format(record(f"Task exception was never retrieved\nfuture: <Task exception={SECRET}>"))
    assert "never retrieved" in line
    assert SECRET not in line


@contextmanager
def serving(folder: Path, *flags: str, **settings: str) -> Generator[tuple[subprocess.Popen[str], str]]:
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [preloaded.command(), "serve", "--port", "0", *flags],
            cwd=folder,
            env=environment(**settings),
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    try:
        assert process.stdout is not None
        url = next(match[1] for line in process.stdout if (match := re.search(r"open (http://\S+)/ ", line)))
        yield process, url
    finally:
        process.kill()
        process.communicate()


def ask(url: str, method: str, path: str, body: object = None, **headers: str) -> int:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=PATIENCE)
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    connection.request(method, path, content, {"Content-Type": "application/json", "X-Recuerdo-User": "emi"} | headers)
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.status


def test_a_warning_that_keeps_coming_is_said_once_a_minute_with_how_often_it_came() -> None:
    """Whatever object it is about, and at once when it has not come for a while."""
    now = 0.0
    reminders = Reminders(quiet=10, reminder=60, clock=lambda: now)
    said: list[tuple[float, int]] = []
    for now in [*map(float, range(62)), 80.0]:
        warning = record(f"discarding closed connection: <Connection [BAD] at {id(object()) + int(now):#x}>")
        if reminders.filter(warning):
            said.append((now, vars(warning).get("repeated", 0)))
    assert said == [(0.0, 0), (60.0, 59), (80.0, 1)]
    assert reminders.filter(record("another"))


def test_each_slow_request_is_logged_but_no_more_than_one_a_second() -> None:
    now = 0.0
    reminders = Reminders(clock=lambda: now)
    said: list[float] = []
    for now in (0.0, 0.5, 1.25, 2.5, 2.75):
        slow = record("slow: POST /v1/chat")
        slow.name = "recuerdo.access"
        if reminders.filter(slow):
            said.append(now)
    assert said == [0.0, 1.25, 2.5]


def busy_session(url: str) -> list[int]:
    """All that can go right and wrong with texts in it; the statuses."""
    said = f"Me llamo {SECRET} y mi clave es {SECRET}"
    message = {"role": "user", "content": said, "metadata": {"note": SECRET}}
    return [
        ask(url, "POST", "/v1/chat", {"message": said, "thread_id": "t"}),
        ask(url, "POST", "/v1/chat", {"message": said, "thread_id": "t"}),
        ask(url, "POST", "/v1/chat/stream", {"message": said, "thread_id": "t"}),
        ask(url, "POST", "/v1/threads/t/messages", {"messages": [message]}, **{"Idempotency-Key": "k"}),
        ask(url, "POST", "/v1/threads/t/messages", {"messages": [message, message]}, **{"Idempotency-Key": "k"}),
        ask(url, "POST", "/v1/threads/t/messages", {"messages": [message | {"role": SECRET}]}),
        ask(url, "POST", "/v1/threads/t/messages", b"{" + said.encode()),
        ask(url, "POST", "/v1/memories", {"text": said}),
        ask(url, "POST", "/v1/memories/search", {"query": said}),
        ask(url, "GET", "/v1/threads/t/messages"),
        ask(url, "GET", "/metrics"),
        ask(url, "GET", "/v1/threads/t/messages?role=" + SECRET),
    ]


@pytest.mark.parametrize("form", ["json", "console"])
async def test_a_busy_session_leaves_no_word_in_the_log(tmp_path: Path, openai_server: OpenAIServer, form: str) -> None:
    """At the level that logs the most, with a model that answers and one that fails; not even the key is there."""
    settings = {
        "RECUERDO_MODEL": "openai:gpt-test",
        "RECUERDO_MODEL_BASE_URL": openai_server.url,
        "RECUERDO_MODEL_API_KEY": KEY,
        "RECUERDO_EMBEDDINGS": "none",
    }
    flags = ("--log-level", "debug", "--log-format", form)

    openai_server.say(f"Hola, {SECRET}.")
    openai_server.fail(400)

    def run_session() -> list[int]:
        with serving(tmp_path, *flags, **settings) as (process, url):
            statuses = busy_session(url)
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE)
        return statuses

    statuses = await asyncio.to_thread(run_session)
    assert {200, 201, 409, 422, 502} <= set(statuses)
    log = (tmp_path / "log").read_text("utf-8")
    assert "POST /v1/chat" in log
    assert SECRET not in re.sub(rf"\?role={SECRET}", "", log)
    assert KEY not in log
    if form == "json":
        assert all(isinstance(json.loads(line), dict) for line in log.splitlines())


@pytest.mark.parametrize(("level", "ours", "access"), [("debug", 10, 20), ("info", 20, 30), ("error", 40, 30)])
def test_libraries_never_log_what_they_send(level: str, ours: int, access: int) -> None:
    """Whatever is asked for: at `debug` some would write down prompts, headers and keys."""
    script = (
        "import logging\nfrom recuerdo.observability.logs import log_from\n"
        f"log_from({level!r})\n"
        "names = ('recuerdo.history', 'uvicorn.access', 'httpx', 'openai', 'psycopg', 'pymongo')\n"
        "print(*(logging.getLogger(name).getEffectiveLevel() for name in names))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.split() == [str(number) for number in (ours, access, 30, 30, 30, 30)]


def test_what_a_library_says_again_and_again_is_one_line() -> None:
    script = (
        "import logging\nfrom recuerdo.observability.logs import log_from\nlog_from('info')\n"
        "for place in range(100): logging.getLogger('psycopg.pool').warning('discarding <Connection at %#x>', place)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert len(done.stderr.splitlines()) == 1


async def test_a_stopped_postgres_is_told_once_and_not_with_each_attempt_to_listen() -> None:
    """Signals try again twice a second."""
    said = list[str]()

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())

    handler, logger = Kept(), logging.getLogger("recuerdo.adapters.signals")
    handler.addFilter(Reminders())
    logger.addHandler(handler)
    away: Any = SimpleNamespace(listens_at="postgresql://nobody@127.0.0.1:1/x")
    try:
        async with PostgresSignals(away).opened() as signals:
            signals.subscribe(lambda _: None)
            await asyncio.sleep(2.5)
    finally:
        logger.removeHandler(handler)
    assert said == ["signals of other processes come late now: OperationalError"]
