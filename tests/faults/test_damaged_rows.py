"""Rows of other things than messages that can't be read any more: the error names them, whoever reads them."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.graph import START, MessagesState, StateGraph

from recuerdo import Recuerdo
from recuerdo.app.graphs import hosting
from recuerdo.core.errors import DamagedRow
from recuerdo.core.identifiers import new_id
from recuerdo.core.runs import AgentThread
from recuerdo.core.scope import Owner
from recuerdo.integrations.langgraph import RecuerdoSaver

OWNER = Owner("acme", "emi")


def damage(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        assert connection.execute(statement).rowcount > 0


async def test_a_memory(tmp_path: Path) -> None:
    async with Recuerdo.open(f"sqlite:///{tmp_path}/r.db", embeddings="none") as memory:
        user = memory.user(tenant="acme", user="emi")
        added = await user.add("Prefers green tea")
        damage(tmp_path / "r.db", "UPDATE memories SET source = '{\"thr'")
        with pytest.raises(DamagedRow, match=f"memory '{added.id}'") as raised:
            await user.list()
    assert (raised.value.what, raised.value.identifier) == ("memory", added.id)


async def test_a_document(tmp_path: Path) -> None:
    memory = Recuerdo.open(f"sqlite:///{tmp_path}/r.db", embeddings="none")
    async with memory as opened, hosting(opened) as hosted:
        threads, now = hosted.runs.threads, datetime(2026, 11, 21, tzinfo=UTC)
        thread = await threads.create(
            OWNER, AgentThread(thread_id=new_id(), created_at=now, updated_at=now, state_updated_at=now)
        )
        damage(tmp_path / "r.db", "UPDATE documents SET body = json_set(body, '$.created_at', 'then')")
        with pytest.raises(DamagedRow, match=f"thread '{thread.thread_id}'"):
            await threads.get(OWNER, thread.thread_id)


async def test_a_checkpoint(tmp_path: Path) -> None:
    builder: Any = StateGraph(MessagesState)
    builder.add_node("answer", lambda _: {"messages": []})
    builder.add_edge(START, "answer")
    place: Any = {"configurable": {"thread_id": "t-1"}}
    for _ in range(2):
        async with RecuerdoSaver.from_conn_string(f"sqlite:///{tmp_path}/r.db", tenant="acme", user="emi") as saver:
            graph = builder.compile(checkpointer=saver)
            await graph.ainvoke({"messages": [HumanMessage("Hola")]}, place)
    damage(tmp_path / "r.db", "UPDATE checkpoints SET body = x'c1'")
    async with RecuerdoSaver.from_conn_string(f"sqlite:///{tmp_path}/r.db", tenant="acme", user="emi") as saver:
        with pytest.raises(DamagedRow, match="The checkpoint '"):
            await builder.compile(checkpointer=saver).aget_state(place)
