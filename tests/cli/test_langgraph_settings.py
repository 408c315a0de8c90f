"""The settings of a langgraph.json and of LangGraph's own variables are used, or `recuerdo serve` refuses to start."""

import json
import signal
from pathlib import Path
from typing import Any

import httpx
import pytest
from command import run, serving

from recuerdo.core.errors import ConfigurationError
from recuerdo.runs.sources import read_sources

GRAPH = """
from langgraph.graph import END, START, MessagesState, StateGraph

def echo(state):
    return {"messages": [("ai", "echo")]}

graph = StateGraph(MessagesState).add_node(echo).add_edge(START, "echo").add_edge("echo", END).compile()

def embed(texts):
    return [[1.0, 0.0] if "cat" in text else [0.0, 1.0] for text in texts]

def keyless(texts):
    raise RuntimeError("there is no key")
"""
SECRET = "postgresql://emi:secret@db.example/app"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "agent.py").write_text(GRAPH)
    return tmp_path


def named(folder: Path, **more: Any) -> None:
    (folder / "langgraph.json").write_text(json.dumps({"graphs": {"echo": "./agent.py:graph"}, **more}))


@pytest.mark.parametrize(
    ("more", "settings", "words"),
    [
        ({"store": {"uri": SECRET}}, {}, ("store.uri", "RECUERDO_DATABASE_URL")),
        ({"checkpointer": {"conn_string": SECRET}}, {}, ("checkpointer.conn_string", "RECUERDO_DATABASE_URL")),
        ({"env": {"POSTGRES_URI": SECRET}}, {}, ("POSTGRES_URI in the env", "RECUERDO_DATABASE_URL")),
        ({}, {"POSTGRES_URI": SECRET}, ("POSTGRES_URI", "RECUERDO_DATABASE_URL")),
        ({}, {"DATABASE_URI": SECRET}, ("DATABASE_URI", "RECUERDO_DATABASE_URL")),
        ({}, {"RECUERDO_POSTGRES_URI": SECRET}, ("is not a setting", "RECUERDO_DATABASE_URL")),
        ({}, {"RECUERDO_REDIS_URI": "redis://x"}, ("is not a setting", "RECUERDO_CACHE_URL")),
        ({"store": {"path": "./store.py:make"}}, {}, ("store.path", "Leave it out")),
        ({"checkpointer": {"path": "./saver.py:make"}}, {}, ("checkpointer.path", "Leave it out")),
        ({"checkpointer": {"backend": "mongo"}}, {}, ("checkpointer.backend", "Leave it out")),
        ({"encryption": {"path": "./cipher.py:cipher"}}, {}, ("encryption", "Leave it out")),
        ({"checkpointer": {"ttl": {"default_ttl": 43200}}}, {}, ("checkpointer.ttl", "RECUERDO_RETENTION=threads=30d")),
        ({"store": {"index": {"embed": "./agent.py:absent", "dims": 2}}}, {}, ("store.index.embed", "absent")),
        ({"store": {"index": {"embed": "./agent.py:graph", "dims": 2}}}, {}, ("store.index.embed", "callable")),
        (
            {"store": {"index": {"embed": "./agent.py:keyless", "dims": 2}}},
            {},
            ("store.index.embed", "there is no key"),
        ),
        ({"store": {"index": {"embed": "./agent.py:embed", "dims": 3}}}, {}, ("store.index.embed", "2 dimensions")),
        ({"store": {"index": {"embed": "nobody:model", "dims": 2}}}, {}, ("store.index.embed", "nobody")),
        ({"store": {"index": {"dims": 2}}}, {}, ("store.index", "embed")),
    ],
)
def test_what_would_be_ignored_is_refused_in_one_line(
    folder: Path, more: dict[str, Any], settings: dict[str, str], words: tuple[str, ...]
) -> None:
    named(folder, **more)
    done = run(folder, "serve", "--config", "langgraph.json", "--port", "0", "--embeddings", "none", **settings)
    assert done.returncode == 1
    assert all(word in done.stderr for word in words), done.stderr
    assert "secret" not in done.stderr
    assert "Traceback" not in done.stderr


def test_a_database_that_is_set_is_used_whatever_langgraph_names(folder: Path) -> None:
    named(folder, store={"uri": SECRET}, env={"POSTGRES_URI": SECRET}, checkpointer={"backend": "postgres"})
    with serving(folder, "--config", "langgraph.json", "--database-url", "sqlite:///flag.db", POSTGRES_URI=SECRET):
        assert (folder / "flag.db").exists()


def test_settings_of_ours_may_stand_among_the_variables_of_the_file(folder: Path) -> None:
    (folder / ".env").write_text('RECUERDO_DATABASE_URL="sqlite:///named.db"\nRECUERDO_EMBEDDINGS=none\n')
    named(folder, env=".env")
    with serving(folder, "--config", "langgraph.json") as server:
        _, printed = server.end(signal.SIGTERM)
    assert "Data: sqlite:///named.db" in printed
    assert (folder / "named.db").exists()
    assert not (folder / ".recuerdo" / "recuerdo.db").exists()


def test_a_file_of_variables_is_read_as_other_programs_read_it(folder: Path) -> None:
    """A comment behind the URL of the database became a part of its name."""
    (folder / ".env").write_text(
        "\ufeffA=one # first\nexport B=\"two # two\"\nC='x\ny'\nD=${A}1\nE\nF=a#b\n"
        "RECUERDO_DATABASE_URL=sqlite:///named.db  # ours\n"
    )
    named(folder, env=".env")
    assert read_sources(folder / "langgraph.json").environment == {
        "A": "one",
        "B": "two # two",
        "C": "x\ny",
        "D": "one1",
        "F": "a#b",
        "RECUERDO_DATABASE_URL": "sqlite:///named.db",
    }


@pytest.mark.parametrize(
    "more",
    [
        *({"env": 5}, {"env": ["A=1"]}, {"env": {"A": None}}, {"dependencies": "."}),
        *({"store": {"index": index}} for index in ("x", {"dims": "2"}, {"fields": "text"}, {"fields": [1]})),
        *({"store": {"ttl": ttl}} for ttl in (5, {"default_ttl": "x"}, {"default_ttl": 0}, {"default_ttl": True})),
        *({"checkpointer": {"ttl": ttl}} for ttl in (5, {"default_ttl": "x"}, {"default_ttl": -1})),
    ],
)
def test_entries_of_another_shape_are_refused(folder: Path, more: dict[str, Any]) -> None:
    named(folder, **more)
    with pytest.raises(ConfigurationError, match=r"env|dependencies|index|ttl"):
        read_sources(folder / "langgraph.json")


def test_a_file_of_variables_in_another_encoding_is_refused(folder: Path) -> None:
    (folder / ".env").write_bytes("A=año".encode("latin1"))
    named(folder, env=".env")
    with pytest.raises(ConfigurationError, match="UTF-8"):
        read_sources(folder / "langgraph.json")


def test_agents_are_kept_in_the_database_that_the_file_names_for_the_server(folder: Path) -> None:
    """They went to a local file, where no server looks."""
    named(folder, env={"RECUERDO_DATABASE_URL": "sqlite:///named.db"})
    arguments = ("agents", "add", "Mine", "--graph", "echo", "--config", "langgraph.json")
    assert run(folder, *arguments).returncode == 0
    assert (folder / "named.db").exists()
    named(folder, store={"uri": SECRET})
    refused = run(folder, *arguments)
    assert refused.returncode == 1
    assert "RECUERDO_DATABASE_URL" in refused.stderr
    assert not (folder / ".recuerdo").exists()


def test_an_embedding_function_in_a_file_finds_items_and_terms_are_kept(folder: Path) -> None:
    named(folder, store={"index": {"embed": "./agent.py:embed", "dims": 2}, "ttl": {"default_ttl": 60}})
    with (
        serving(folder, "--config", "langgraph.json", "--embeddings", "none") as server,
        httpx.Client(base_url=server.url) as client,
    ):
        for key, text in (("a", "a dog"), ("b", "a cat")):
            client.put("/store/items", json={"namespace": ["pets"], "key": key, "value": {"text": text}})
        found = client.post("/store/items/search", json={"namespace_prefix": ["pets"], "query": "cat"}).json()
    assert [item["key"] for item in found["items"]] == ["b", "a"]
    assert found["items"][0]["score"] == pytest.approx(1.0)
