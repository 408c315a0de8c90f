"""A plugin of pytest's: the Agents SDK's own tests, with sessions of Recuerdo in place of the SDK's on SQLite.

They are in the files that the tests name, or all in the database of RECUERDO_SUITE_DATABASE.
"""

import atexit
import os
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import agents.extensions.memory
import agents.memory

import agents
from recuerdo import Recuerdo
from recuerdo.integrations.bridge import Bridge
from recuerdo.integrations.openai_agents import RecuerdoSession

_bridge = Bridge()
_opened: dict[str, tuple[Any, Recuerdo]] = {}
_database = os.environ.get("RECUERDO_SUITE_DATABASE")
_run = uuid4().hex


class AsyncSQLiteSession(RecuerdoSession):
    """Takes what the SDK's sessions on SQLite take: a tenant for each file, and one for each session without any.

    Errors name the class, and the tests expect this name.
    """

    def __init__(self, session_id: str, db_path: str | Path = ":memory:", *_: Any, **options: Any) -> None:
        is_file = str(db_path) != ":memory:"
        memory = _open(_database or (f"sqlite:///{db_path}" if is_file else "memory://"))
        tenant = f"{_run}{db_path}"[-255:] if is_file else uuid4().hex
        thread = memory.thread(tenant=tenant, user="tests", thread=session_id)
        super().__init__(thread, session_settings=options.get("session_settings"), bridge=_bridge)


def _open(url: str) -> Recuerdo:
    if url not in _opened:
        opening = Recuerdo.open(url, embeddings="none")
        _opened[url] = opening, _bridge.run(opening.__aenter__())
    return _opened[url][1]


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
