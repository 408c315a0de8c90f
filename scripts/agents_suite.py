"""A plugin of pytest's: the Agents SDK's own tests, with sessions of Recuerdo in place of the SDK's on SQLite."""

import atexit
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import agents.extensions.memory
import agents.memory

import agents
from recuerdo import Recuerdo
from recuerdo.integrations.bridge import Bridge
from recuerdo.integrations.openai_agents import RecuerdoSession

_bridge = Bridge()
_opened: dict[str, tuple[Any, Recuerdo]] = {}


class AsyncSQLiteSession(RecuerdoSession):
    """Takes what the SDK's sessions on SQLite take: one Recuerdo for each file, and one for each session without any.

    Errors name the class, and the tests expect this name.
    """

    def __init__(self, session_id: str, db_path: str | Path = ":memory:", *_: Any, **options: Any) -> None:
        name = f"{db_path} {id(self)}" if str(db_path) == ":memory:" else str(db_path)
        memory = _open(name, "memory://" if str(db_path) == ":memory:" else f"sqlite:///{db_path}")
        thread = memory.thread(tenant="sdk", user="tests", thread=session_id)
        super().__init__(thread, session_settings=options.get("session_settings"), bridge=_bridge)


def _open(name: str, url: str) -> Recuerdo:
    if name not in _opened:
        opening = Recuerdo.open(url, embeddings="none")
        _opened[name] = opening, _bridge.run(opening.__aenter__())
    return _opened[name][1]


def _close() -> None:
    with ExitStack() as stack:
        stack.callback(_bridge.close)
        for opening, _ in _opened.values():
            with suppress(Exception):  # the files of the tests are gone by now
                _bridge.run(opening.__aexit__(None, None, None))


atexit.register(_close)
for module, names in (
    (agents, ["SQLiteSession"]),
    (agents.memory, ["SQLiteSession"]),
    (agents.extensions.memory, ["AsyncSQLiteSession"]),
):
    for name in names:
        setattr(module, name, AsyncSQLiteSession)
