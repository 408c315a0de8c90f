"""The page of a server that serves a graph of somebody's own: it is the graph that answers."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.browsing import OpenPage, say
from servers.recuerdo import RecuerdoServer, running_recuerdo

pytestmark = pytest.mark.browser

GRAPHS = """
from typing import TypedDict
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt

def shout(state):
    text = state["messages"][-1].content
    if text == "ask":
        interrupt("How loud?")
    if text == "fail":
        raise ValueError("too loud")
    return {"messages": [("ai", f"{text.upper()} ({len(state['messages'])})")]}

class Order(TypedDict):
    item: str

def take(state):
    return {"item": state["item"].upper()}

shouting = StateGraph(MessagesState).add_node(shout).add_edge(START, "shout").add_edge("shout", END).compile()
taking = StateGraph(Order).add_node(take).add_edge(START, "take").add_edge("take", END).compile()
"""


@contextmanager
def serving(folder: Path, graph: str) -> Generator[RecuerdoServer]:
    (folder / "agent.py").write_text(GRAPHS)
    (folder / "langgraph.json").write_text(json.dumps({"graphs": {graph: f"./agent.py:{graph}"}}))
    settings = {"database_url": f"sqlite:///{folder / 'recuerdo.db'}", "config": str(folder / "langgraph.json")}
    with running_recuerdo(**settings, embeddings="none") as server:
        yield server


def test_the_page_talks_to_the_graph_that_is_served(tmp_path: Path, open_page: OpenPage) -> None:
    with serving(tmp_path, "shouting") as server:
        page = open_page(server.url)
        expect(page.locator("#model-name")).to_have_text("shouting")
        expect(say(page, "hola").locator(".text")).to_have_text("HOLA (1)")
        expect(say(page, "otra").locator(".text")).to_have_text("OTRA (3)")
        expect(page.locator("#thread-list li")).to_have_count(1)
        page.reload()
        expect(page.locator(".message .text")).to_have_text(["hola", "HOLA (1)", "otra", "OTRA (3)"])
        page.locator("#new-thread").click()
        expect(say(page, "ask").locator(".text")).to_contain_text("How loud?")
        page.locator("#new-thread").click()
        page.locator("#message").fill("fail")
        page.locator("#message").press("Enter")
        expect(page.locator(".failure")).to_contain_text("too loud")
        page.locator(".failure button").click()
        expect(page.locator(".failure")).to_contain_text("too loud")
        expect(page.locator(".message.user")).to_have_count(1)


def test_a_conversation_with_a_graph_is_deleted_with_its_state(tmp_path: Path, open_page: OpenPage) -> None:
    with serving(tmp_path, "shouting") as server:
        page = open_page(server.url)
        say(page, "hola")
        place = page.url
        page.get_by_role("button", name="Eliminar: hola").click()
        page.locator("#confirm button[value=yes]").click()
        expect(page.locator("#thread-list li")).to_have_count(0)
        page.goto(place)
        expect(say(page, "hola").locator(".text")).to_have_text("HOLA (1)")


def test_the_page_says_when_a_graph_takes_no_messages(tmp_path: Path, open_page: OpenPage) -> None:
    with serving(tmp_path, "taking") as server:
        page = open_page(server.url)
        expect(page.locator("#no-messages")).to_contain_text("taking")
        expect(page.locator("#no-messages")).to_contain_text("item")
        expect(page.locator("#message")).to_be_disabled()
