"""A word that is said in every way that there is, and where to look for it."""

import json

import psycopg
from langgraph.graph import START, MessagesState, StateGraph

from recuerdo import Message, MessageWindow, Recuerdo
from recuerdo.core.documents import Decision, Document
from recuerdo.core.scope import Owner
from recuerdo.integrations.langgraph import RecuerdoSaver

CANARY = "kanarienvogel"
EMI = Owner("acme", "emi")


class Conversation(MessagesState):
    """Messages, and a text that is large enough to be kept apart from each checkpoint."""

    notes: str


def dumped(url):
    with psycopg.connect(url) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'recuerdo'").fetchall()
        for (name,) in tables:
            for (row,) in connection.execute(f'SELECT whole::text FROM recuerdo."{name}" AS whole').fetchall():
                yield row.encode()


async def live(memory: Recuerdo) -> None:
    """Say the word in every way that there is."""
    thread = memory.thread(tenant="acme", user="emi", thread="t")
    await thread.append(Message.user(f"Me llamo {CANARY}"), idempotency_key="k")
    await memory.history.flush()
    await memory.chat.reply(EMI.thread("chat"), f"Vivo en {CANARY}")
    await memory.user(tenant="acme", user="emi").add(f"Trabaja en {CANARY}", attribute="employer", value=CANARY)
    await memory.user(tenant="acme", user="emi").search_history(CANARY)
    await memory.history.indexed()
    run = {"run_id": "r", "kwargs": {"input": CANARY}, "error": CANARY, "created_at": "2030-01-01T00:00:00Z"}
    document = Document("run", "r", "g", json.dumps(run).encode(), True)
    await memory.documents.change(EMI, "g", [], lambda _: Decision(None, put=[document]))
    await graph(memory).ainvoke({"messages": [("user", f"Soy {CANARY}")]}, {"configurable": {"thread_id": "graph"}})
    await memory.events.begin(EMI, "t", "run-1")
    await memory.events.publish("run-1", "values", f'"{CANARY}"'.encode(), 1)
    await memory.events.end("run-1", 1)
    await thread.window(MessageWindow(10))


def graph(memory):
    built = StateGraph(Conversation)
    answer = {"messages": [("assistant", f"Hola {CANARY} " * 200)], "notes": f"Dijo {CANARY} " * 1000}
    built.add_node("answer", lambda _: answer)
    built.add_edge(START, "answer")
    return built.compile(checkpointer=RecuerdoSaver(memory, tenant="acme", user="emi"))
