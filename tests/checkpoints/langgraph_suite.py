"""LangGraph's own tests with our checkpointer: a plugin of pytest for `scripts/langgraph-suite`.

Every test that takes a checkpointer runs with LangGraph's in-memory saver, the control, and with ours on SQLite,
PostgreSQL and MongoDB. The run fails when ours fails a test that the control passes.
"""

import os
from collections import defaultdict
from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from uuid import uuid4

import pymongo.client_session_shared
import pytest

from recuerdo.integrations.langgraph import RecuerdoSaver
from recuerdo.integrations.langgraph.saver import Opening

CONTROL = "memory"
OURS = ("recuerdo_sqlite", "recuerdo_postgres", "recuerdo_mongodb")
FIXTURES = ("sync_checkpointer", "async_checkpointer")

EXCLUDED: dict[str, str] = {}
"""Tests that are about LangGraph's own savers, by name, each with the reason."""

# LangGraph's tests count the UUIDs that they draw: the driver draws its own elsewhere.
cast(Any, pymongo.client_session_shared).uuid = SimpleNamespace(uuid4=uuid4)

_NAME = "checkpointer"
_KEY = "test"


def _opening(request: pytest.FixtureRequest, folder: Path) -> Opening[RecuerdoSaver]:
    """A saver for one test, which is a tenant of its own."""
    url = f"sqlite:///{folder / 'suite.db'}"
    if request.param == "recuerdo_postgres":
        url = request.getfixturevalue("postgres_url")
    if request.param == "recuerdo_mongodb":
        url = request.getfixturevalue("empty_mongodb_url")
    return RecuerdoSaver.from_conn_string(url, tenant=f"suite-{uuid4()}", user="suite")


@pytest.fixture(params=[CONTROL, *OURS])
def sync_checkpointer(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """The saver that LangGraph's fixture of this name gives, for the control and for ours."""
    if request.param == CONTROL:
        yield _control()
        return
    with _opening(request, tmp_path) as saver:
        yield saver


@pytest.fixture(params=[CONTROL, *OURS])
async def async_checkpointer(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Any]:
    """See sync_checkpointer."""
    if request.param == CONTROL:
        yield _control()
        return
    async with _opening(request, tmp_path) as saver:
        yield saver


def _control() -> Any:
    from tests.memory_assert import MemorySaverAssertImmutable  # pyright: ignore[reportMissingImports]  # pyright: ignore[reportUnknownVariableType]

    return cast(Any, MemorySaverAssertImmutable)()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests that take a checkpointer."""
    kept = [item for item in items if _checkpointer(item) and getattr(item, "originalname", "") not in EXCLUDED]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept
    for item in items:
        name = _checkpointer(item)
        item.user_properties += [(_NAME, name), (_KEY, item.nodeid.replace(name, CONTROL))]


def _checkpointer(item: pytest.Item) -> str:
    params = getattr(getattr(item, "callspec", None), "params", {})
    return next((params[fixture] for fixture in FIXTURES if fixture in params), "")


class Verdict:
    """Which tests each checkpointer passes and fails."""

    def __init__(self) -> None:
        self.failed: dict[str, set[str]] = defaultdict(set)
        self.passed: dict[str, set[str]] = defaultdict(set)
        self.places: dict[tuple[str, str], str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        about = dict(report.user_properties)
        name, test = str(about.get(_NAME)), str(about.get(_KEY))
        self.places[name, test] = report.nodeid
        if report.failed:
            self.failed[name].add(test)
        elif report.passed and report.when == "call":
            self.passed[name].add(test)

    @property
    def ours_alone(self) -> list[tuple[str, str]]:
        """The checkpointers of ours and the tests that they fail though the control passes them."""
        fine = self.passed[CONTROL] - self.failed[CONTROL]
        return [(name, test) for name in OURS for test in sorted(self.failed[name] & fine)]

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None]:
        yield
        if session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED if self.ours_alone else pytest.ExitCode.OK
        if self.ours_alone and (again := os.environ.get("RECUERDO_SUITE_AGAIN")):
            tests = [self.places[each, test] for name, test in self.ours_alone for each in (CONTROL, name)]
            Path(again).write_text("".join(f"{test}\n" for test in dict.fromkeys(tests)))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section("checkpointers")
        for name in (CONTROL, *OURS):
            passed = self.passed[name] - self.failed[name]
            terminalreporter.write_line(f"{name}: {len(passed)} passed, {len(self.failed[name])} failed")
        for name, reason in EXCLUDED.items():
            terminalreporter.write_line(f"excluded: {name}: {reason}")
        for name, test in self.ours_alone:
            terminalreporter.write_line(f"{name} fails what {CONTROL} passes: {test}")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Verdict(), "recuerdo-verdict")
