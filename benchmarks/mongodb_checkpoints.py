"""Checkpoints in MongoDB with our saver and with LangGraph's own, on threads that have had 100 steps."""

from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, empty_checkpoint
from langgraph.checkpoint.base.id import uuid6
from langgraph.checkpoint.mongodb import MongoDBSaver
from pymongo import MongoClient

from benchmarks.graphs import assistant
from benchmarks.rounds import Measurement, compare
from benchmarks.servers import mongodb_url
from recuerdo.integrations.langgraph import RecuerdoSaver

TOPIC = "checkpoints-mongodb"
STEPS = 100
_PEER = "MongoDBSaver"


class Thread:
    """A conversation as a graph's steps leave it: each appends a message, and writes it at its checkpoint."""

    def __init__(self, saver: BaseCheckpointSaver[Any]) -> None:
        self._saver = saver
        self._messages: list[Any] = []
        self._config: RunnableConfig = {"configurable": {"thread_id": str(uuid4()), "checkpoint_ns": ""}}

    async def put(self) -> None:
        """One step: a checkpoint, and what its task wrote."""
        message, step = assistant(), len(self._messages)
        self._messages = [*self._messages, message]
        versions = {"messages": f"{step + 1:032}.0"}
        checkpoint = empty_checkpoint() | {
            "id": str(uuid6(clock_seq=step)),
            "channel_values": {"messages": self._messages},
            "channel_versions": versions,
        }
        self._config = await self._saver.aput(
            self._config, checkpoint, {"source": "loop", "step": step, "parents": {}}, versions
        )
        await self._saver.aput_writes(self._config, [("messages", [message])], str(uuid4()))

    async def get(self) -> None:
        """The latest checkpoint."""
        found = await self._saver.aget_tuple(self._latest)
        assert found is not None
        assert len(found.checkpoint["channel_values"]["messages"]) == len(self._messages)

    async def list(self) -> None:
        """The last 100 checkpoints."""
        assert len([each async for each in self._saver.alist(self._latest, limit=STEPS)]) == STEPS

    @property
    def _latest(self) -> RunnableConfig:
        thread = self._config["configurable"]["thread_id"]
        return {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}


async def measure(folder: Path, *, full: bool) -> list[Measurement]:
    """A further step, the latest checkpoint and the list of all, and the bytes of the thread, on one server."""
    del folder
    found: list[Measurement] = []
    rounds = 12 if full else 4
    with mongodb_url() as url, _theirs(url) as saver:
        async with RecuerdoSaver.from_conn_string(f"{url}ours", user="emi") as own:
            ours, theirs = Thread(own), Thread(saver)
            for _ in range(STEPS):
                await ours.put()
                await theirs.put()
            found.append(_size(url))
            cases: dict[str, Callable[[Thread], Callable[[], Awaitable[None]]]] = {
                f"a step behind {STEPS}, with its write": lambda thread: thread.put,
                "the latest checkpoint": lambda thread: thread.get,
                f"a list of {STEPS}": lambda thread: thread.list,
            }
            for case, of in cases.items():
                turns = 1 if "list" in case else 5
                compared = await compare(of(ours), of(theirs), rounds=rounds, turns=turns)
                found.append(compared.measurement(TOPIC, case, _PEER))
    return found


@contextmanager
def _theirs(url: str) -> Generator[MongoDBSaver]:
    """With the durability of ours."""
    with MongoClient[Any](url, w="majority", journal=True) as client:
        yield MongoDBSaver(client, db_name="theirs")


def _size(url: str) -> Measurement:
    """The bytes of all documents of each."""
    with MongoClient[Any](url) as client:
        ours, theirs = (float(client[name].command("dbStats")["dataSize"]) for name in ("ours", "theirs"))
    ratio = ours / theirs
    return Measurement(
        TOPIC, f"a thread of {STEPS} steps", ours, _PEER, theirs, ratio, ratio, ratio, goal=1.0, unit="bytes"
    )
