"""`recuerdo serve --reload`, and a langgraph.json with something wrong in it."""

import json
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from recuerdo.app.settings import read_settings
from recuerdo.cli.serving import auth_options, find_mounted_app
from recuerdo.core.errors import ConfigurationError
from servers.recuerdo import RecuerdoServer, running_recuerdo

GRAPH = """
from langgraph.graph import END, START, StateGraph
from langgraph_sdk import Auth
from typing_extensions import TypedDict

asking, knowing = Auth(), Auth()


@asking.authenticate
async def ask(password):
    return "emi"


@knowing.authenticate
def know():
    return "emi"


class Said(TypedDict, total=False):
    said: str


def say(_: Said) -> dict:
    return {"said": "WORD"}


graph = StateGraph(Said).add_node("say", say).add_edge(START, "say").add_edge("say", END)
"""
SECONDS = 200.0


@pytest.fixture
def config(tmp_path: Path) -> Path:
    write(tmp_path, "before")
    return written(tmp_path, {})


def write(folder: Path, word: str) -> None:
    (folder / "speaking.py").write_text(GRAPH.replace("WORD", word))


def written(folder: Path, more: dict[str, Any]) -> Path:
    file = folder / "langgraph.json"
    file.write_text(json.dumps({"graphs": {"speaking": "./speaking.py:graph"}, **more}))
    return file


def said(url: str) -> str | None:
    try:
        body: dict[str, Any] = {"assistant_id": "speaking", "input": {}}
        answer = httpx.post(f"{url}/runs/wait", json=body, timeout=SECONDS)
    except httpx.TransportError:  # it is starting again
        return None
    if answer.status_code == 503:  # it is about to
        return None
    return answer.raise_for_status().json()["said"]


def wait_for(word: str, server: RecuerdoServer) -> None:
    deadline = time.monotonic() + SECONDS
    while (heard := said(server.url)) != word and time.monotonic() < deadline:
        time.sleep(0.1)
    assert heard == word


def test_a_change_of_a_graph_is_served_without_a_restart_by_hand(config: Path) -> None:
    with running_recuerdo(
        more=["--reload"], database_url=f"sqlite:///{config.parent / 'r.db'}", config=str(config), embeddings="none"
    ) as server:
        assert said(server.url) == "before"
        write(config.parent, "after")
        wait_for("after", server)
        (config.parent / "speaking.py").write_text("import no_such_package")
        deadline = time.monotonic() + SECONDS
        while "no_such_package" not in server.log.read_text() and time.monotonic() < deadline:
            time.sleep(0.1)
        write(config.parent, "mended")
        wait_for("mended", server)
    with pytest.raises(httpx.TransportError):
        httpx.get(f"{server.url}/ok")


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        ({"auth": {"path": "./speaking.py:graph"}}, "must be a langgraph_sdk.Auth with an @auth.authenticate handler"),
        ({"auth": {"path": "./speaking.py:asking"}}, "asks for password. It may ask for: request, path"),
        ({"auth": {"path": "./absent.py:auth"}}, "handlers of `auth` can't be loaded"),
        ({"auth": {"path": "speaking"}}, "write auth.path as"),
        ({"auth": 5}, "'auth' must be an object"),
        ({"http": {"app": "./speaking.py:graph"}}, "Let it name a Starlette or a FastAPI"),
    ],
)
def test_what_is_wrong_with_a_langgraph_json_is_said(
    config: Path, more: dict[str, Any], complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    settings = read_settings(config=str(written(config.parent, more)))
    with pytest.raises(ConfigurationError) as refused:
        assert auth_options(settings) is find_mounted_app(settings) is None
    assert complaint in str(refused.value)


def test_handlers_and_settings_do_not_both_say_who_asks(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("RECUERDO_AUTH_API_KEYS", "true")
    settings = read_settings(config=str(written(config.parent, {"auth": {"path": "./speaking.py:knowing"}})))
    with pytest.raises(ConfigurationError, match="Remove one of the two"):
        auth_options(settings)


def test_a_server_with_graphs_that_can_not_be_loaded_does_not_start_and_names_each(config: Path) -> None:
    graphs = {name: f"./{name}.py:graph" for name in ("speaking", "unfinished", "absent", "nameless", "failing")}
    config.write_text(json.dumps({"graphs": graphs}))
    (config.parent / "unfinished.py").write_text("graph = (")
    (config.parent / "nameless.py").write_text("chart = 1")
    (config.parent / "failing.py").write_text("import no_such_package")
    with (
        pytest.raises(RuntimeError) as failed,
        running_recuerdo(database_url="memory://", config=str(config), embeddings="none"),
    ):
        pass
    told = str(failed.value)
    assert "The graph 'unfinished' can't be loaded from './unfinished.py:graph': SyntaxError" in told
    assert "The graph 'absent' can't be loaded" in told
    assert "The graph 'nameless' is not there" in told
    assert "ModuleNotFoundError: No module named 'no_such_package'" in told
    assert "'speaking'" not in told
    assert "is ready" not in told
    assert "Traceback" not in told


def test_an_application_that_can_not_start_is_named_and_nothing_secret_told(config: Path) -> None:
    written(config.parent, {"http": {"app": "./failing.py:app"}})
    (config.parent / "failing.py").write_text(FAILING)
    with (
        pytest.raises(RuntimeError) as failed,
        running_recuerdo(database_url="memory://", config=str(config), embeddings="none"),
    ):
        pass
    assert f"The server could not start: RuntimeError in {config.parent}/failing.py, line 9" in str(failed.value)
    assert "hunter2" not in str(failed.value)


FAILING = """
from contextlib import asynccontextmanager

from starlette.applications import Starlette


@asynccontextmanager
async def lifespan(app):
    raise RuntimeError("no queue for me, password=hunter2")
    yield


app = Starlette(lifespan=lifespan)
"""
