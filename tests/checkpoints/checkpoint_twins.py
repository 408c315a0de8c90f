"""A saver that does everything twice, with LangGraph's InMemorySaver as the oracle, and compares all that is read."""

from collections.abc import AsyncIterator, Collection, Sequence
from itertools import count
from typing import Any

from langchain_core.messages import BaseMessage
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.types import Send

from recuerdo.integrations.langgraph import RecuerdoSaver


class Twins(BaseCheckpointSaver[Any]):
    """Writes to both, reads from both; what ours says is handed out."""

    def __init__(self, savers: Sequence[RecuerdoSaver], *, texts: bool = False) -> None:
        super().__init__()
        self.oracle = InMemorySaver()
        self.savers = savers
        self.turn = 0
        self.reads = 0
        self._texts = texts
        self._numbers = count(1)

    @property
    def ours(self) -> RecuerdoSaver:
        """The saver whose turn it is: they stand for processes that share a database."""
        return self.savers[self.turn % len(self.savers)]

    def get_next_version(self, current: Any, channel: None) -> Any:
        """Texts, as the savers of LangGraph have them, or numbers, of which the oracle needs new ones in a fork."""
        return self.oracle.get_next_version(current, None) if self._texts else next(self._numbers)

    async def aget_tuple(self, config):
        expected, found = self.oracle.get_tuple(config), await self.ours.aget_tuple(config)
        assert_alike(plain_tuple(found), plain_tuple(expected))
        self.reads += 1
        return found

    async def alist(self, config, *, filter=None, before=None, limit=None) -> AsyncIterator[CheckpointTuple]:  # noqa: A002
        expected = list(self.oracle.list(config, filter=filter, before=before, limit=limit))
        found = [each async for each in self.ours.alist(config, filter=filter, before=before, limit=limit)]
        if config is not None and config["configurable"].get("checkpoint_ns") is not None:
            assert_alike([plain_tuple(each) for each in found], [plain_tuple(each) for each in expected])
        self.reads += len(found)
        for each in found:
            yield each

    async def aput(self, config, checkpoint, metadata, new_versions):
        self.oracle.put(config, checkpoint, metadata, new_versions)
        return await self.ours.aput(config, checkpoint, metadata, new_versions)

    async def aput_writes(self, config, writes, task_id, task_path=""):
        self.oracle.put_writes(config, writes, task_id, task_path)
        await self.ours.aput_writes(config, writes, task_id, task_path)

    async def aget_delta_channel_history(self, *, config, channels):
        expected = self.oracle.get_delta_channel_history(config=config, channels=channels)
        found = await self.ours.aget_delta_channel_history(config=config, channels=channels)
        assert_alike(plain(dict(found)), plain(dict(expected)))
        return found

    async def adelete_thread(self, thread_id: str) -> None:
        self.oracle.delete_thread(thread_id)
        await self.ours.adelete_thread(thread_id)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        oracle = self.oracle
        for namespace, rows in list(oracle.storage[source_thread_id].items()):
            oracle.storage[target_thread_id][namespace] = dict(rows)
        for table in (oracle.writes, oracle.blobs):
            for key in [key for key in table if key[0] == source_thread_id]:
                row = table[key]
                table[(target_thread_id, *key[1:])] = dict(row) if isinstance(row, dict) else row
        await self.ours.acopy_thread(source_thread_id, target_thread_id)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        for thread in thread_ids:
            for namespace, rows in list(self.oracle.storage[thread].items()):
                self._drop(thread, namespace, rows.keys() - {max(rows, default="")})
        await self.ours.aprune(thread_ids, strategy=strategy)

    async def adelete_for_runs(self, run_ids: Collection[str]) -> None:
        for thread, namespaces in list(self.oracle.storage.items()):
            for namespace, rows in list(namespaces.items()):
                made = {
                    row: self.oracle.serde.loads_typed(metadata).get("run_id") for row, (_, metadata, _) in rows.items()
                }
                self._drop(thread, namespace, {row for row, run in made.items() if run in run_ids})
        await self.ours.adelete_for_runs(list(run_ids))

    def _drop(self, thread: str, namespace: str, gone: Collection[str]) -> None:
        for checkpoint in gone:
            del self.oracle.storage[thread][namespace][checkpoint]
            self.oracle.writes.pop((thread, namespace, checkpoint), None)


def assert_alike(found: Any, expected: Any, where: str = "") -> None:
    """Say where the two differ first."""
    if isinstance(found, dict) and isinstance(expected, dict):
        assert found.keys() == expected.keys(), where
        for name in found:
            assert_alike(found[name], expected[name], f"{where}.{name}")
    elif isinstance(found, list | tuple) and isinstance(expected, list | tuple) and len(found) == len(expected):
        for index, (one, other) in enumerate(zip(found, expected, strict=True)):
            assert_alike(one, other, f"{where}[{index}]")
    else:
        assert found == expected, where


def plain_tuple(found: CheckpointTuple | None) -> Any:
    """A saver's answer about a checkpoint."""
    if found is None:
        return None
    return plain(
        {
            "config": _place(found.config),
            "parent": _place(found.parent_config),
            "checkpoint": dict(found.checkpoint),
            "metadata": found.metadata,
            "writes": [list(write) for write in found.pending_writes or []],
        }
    )


def plain(value: Any) -> Any:
    """The value so that it is equal to another one only if nobody can tell them apart."""
    match value:
        case BaseMessage():
            return type(value).__name__, plain(vars(value)), plain(value.__pydantic_extra__ or {})
        case Send():
            return "Send", value.node, plain(value.arg)
        case _DeltaSnapshot():
            return "snapshot", plain(value.value)
        case dict():
            return {key: plain(part) for key, part in value.items()}
        case list() | tuple():
            return type(value).__name__, [plain(part) for part in value]
        case _:
            return type(value).__name__, value


def _place(config: Any) -> Any:
    names = ("thread_id", "checkpoint_ns", "checkpoint_id")
    return config and {name: config["configurable"].get(name, "") for name in names}
