"""The page of agents: what they are made of, and a place to run them, answer them and change their state."""

import json
import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from browser.browsing import HOSTILE, PHONE, OpenPage, look, say
from servers.recuerdo import RecuerdoServer, running_recuerdo

pytestmark = pytest.mark.browser

GRAPH = """
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt

def listen(state):
    return {}

def send(state):
    answer = interrupt({"question": "Send it?", "draft": state["messages"][-1].content})
    return {"messages": [("ai", f"sent: {answer}")]}

def wait(state):
    return {"messages": [("ai", "nothing to do")]}

desk = (
    StateGraph(MessagesState)
    .add_node(listen).add_node(send).add_node(wait).add_edge(START, "listen")
    .add_conditional_edges("listen", lambda state: "send" if state["messages"] else "wait", ["send", "wait"])
    .add_edge("send", END).add_edge("wait", END).compile()
)
"""


def test_another_agent_is_chosen_answers_and_says_who_it_is(server: RecuerdoServer, open_page: OpenPage) -> None:
    context = {"prompts": {"system": "Sé breve."}, "limits": {"window": 20, "memories": 4}}
    made = {"graph_id": "recuerdo", "name": "Secretaria", "context": context | {"retrieval": {"collections": ["desk"]}}}
    with httpx.Client(base_url=server.url, headers={"X-Recuerdo-User": "chooser"}) as client:
        agent = client.post("/assistants", json=made).raise_for_status().json()["assistant_id"]
    page = open_page(server.url, user="chooser")
    say(page, "Me llamo Ana")
    page.locator("#model summary").click()
    page.get_by_label("Agente").select_option(label="Secretaria")
    say(page, "¿Cómo me llamo?")
    names = page.locator(".message.assistant .speaker")
    expect(names).to_have_text(["Recuerdo", "Secretaria"])
    page.reload()
    expect(names).to_have_text(["Recuerdo", "Secretaria"])
    expect(page.locator("#model-name")).to_have_text("Secretaria")
    page.locator(".why-button").last.click()
    expect(page.locator("#why-dialog .seen-entry.system")).to_contain_text("Sé breve.")
    page.keyboard.press("Escape")
    page.evaluate(f"location.hash = '#/agents/{agent}'")
    facts = "InstruccionesSé breve.Límites20 mensajes · 4 recuerdosDocumentosdesk"
    expect(page.locator("#agents-page .facts")).to_have_text(facts)


def test_an_agent_is_run_step_by_step_answered_and_gone_back_with(tmp_path: Path, open_page: OpenPage) -> None:
    (tmp_path / "agent.py").write_text(GRAPH)
    (tmp_path / "langgraph.json").write_text(json.dumps({"graphs": {"desk": "./agent.py:desk"}}))
    settings = {"database_url": f"sqlite:///{tmp_path / 'recuerdo.db'}", "config": str(tmp_path / "langgraph.json")}
    with running_recuerdo(**settings, embeddings="none") as server:
        with httpx.Client(base_url=server.url, headers={"X-Recuerdo-User": "maker"}) as client:
            made = {"graph_id": "desk", "name": HOSTILE[1], "context": {"system_prompt": HOSTILE[0]}}
            agent = client.post("/assistants", json=made).raise_for_status().json()["assistant_id"]
            client.patch(f"/assistants/{agent}", json={"description": HOSTILE[2]}).raise_for_status()
        page = open_page(f"{server.url}/#/agents", user="maker")
        expect(page.locator("#agent-list li")).to_have_count(2)
        look(page, "agents-desktop-light")
        page.locator("#agent-list a", has_text="img").click()
        expect(page.locator(".graph .node")).to_have_count(5)
        page.locator("#run-input").fill(HOSTILE[3])
        page.locator("#run").click()
        expect(page.locator("#run-asks")).to_contain_text("Send it?")
        expect(page.locator('.node[data-state="waiting"]')).to_have_text("send")
        look(page, "agent-desktop-light")
        page.locator("#run-answer").fill("yes")
        page.locator("#run-answer").press("Enter")
        expect(page.locator("#run-asks")).to_be_empty()
        page.get_by_text("Estado", exact=True).click()
        state = page.locator("#run-state")
        expect(state).to_have_value(re.compile("sent: yes"))
        state.fill(state.input_value().replace("sent: yes", "sent: no"))
        page.get_by_role("button", name="Escribir este estado").click()
        expect(page.locator(".playground .steps").last.locator("li")).to_have_count(5)
        expect(state).to_have_value(re.compile("sent: no"))
        page.get_by_role("button", name="Seguir desde aquí").nth(2).click()
        page.get_by_role("button", name="Seguir con send").click()
        expect(page.locator("#run-asks")).to_contain_text("Send it?")
        phone = open_page(f"{server.url}/#/agents/{agent}", user="maker", color_scheme="dark", locale="pt-BR", **PHONE)
        expect(phone.get_by_text("Experimentar")).to_be_visible()
        look(phone, "agent-phone-dark")


def test_an_agent_is_made_talked_with_and_deleted(server: RecuerdoServer, open_page: OpenPage) -> None:
    page = open_page(f"{server.url}/#/agents", user="founder")
    expect(page.locator("#agent-list li").first).to_be_visible()
    before = page.locator("#agent-list li").count()
    page.get_by_label("Nombre del agente nuevo").fill(HOSTILE[0])
    page.get_by_label("Instrucciones").fill("Habla siempre de usted.")
    page.get_by_role("button", name="Crear un agente").click()
    expect(page.locator("#agents-page .facts")).to_have_text("InstruccionesHabla siempre de usted.")
    page.evaluate("location.hash = '#/'")
    page.locator("#model summary").click()
    page.locator("#agent").select_option(label=HOSTILE[0])
    say(page, "Me llamo Ana")
    expect(page.locator(".message.assistant .speaker")).to_have_text([HOSTILE[0]])
    page.evaluate("location.hash = '#/agents'")
    expect(page.locator("#agent-list li")).to_have_count(before + 1)
    page.locator("#agent-list a", has_text=HOSTILE[0]).click()
    page.locator("#agents-page .page-head").get_by_role("button", name="Eliminar").click()
    page.locator("#confirm .danger").click()
    expect(page.locator("#agent-list li")).to_have_count(before)
    page.evaluate("location.hash = '#/'")
    expect(page.locator("#agent").locator("option", has_text=HOSTILE[0])).to_have_count(0)
