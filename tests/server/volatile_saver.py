"""Checkpoints that end with the process."""

import copy
from collections.abc import Sequence
from typing import Any, Self, cast

from langgraph.checkpoint.memory import InMemorySaver


class VolatileSaver(InMemorySaver):
    """LangGraph's own saver in memory, with what it leaves out: copies, pruning, and undoing runs."""

    def held_by(self, _run: str, _token: int, _epoch: int | None = None) -> Self:
        """Itself: nobody else has its memory, and could take a run over."""
        return self

    async def astored(self, _config: Any) -> None:
        """Nothing: what lies in memory can't be seen to have changed."""

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """See BaseCheckpointSaver."""
        self.storage[target_thread_id] = copy.deepcopy(self.storage[source_thread_id])
        tables: list[dict[Any, Any]] = [cast(Any, self.writes), cast(Any, self.blobs)]
        for table in tables:
            for key in [key for key in table if key[0] == source_thread_id]:
                table[(target_thread_id, *key[1:])] = copy.deepcopy(table[key])

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """See BaseCheckpointSaver."""
        for namespaces in self.storage.values():
            for checkpoints in namespaces.values():
                for checkpoint_id, (_, metadata, _) in [*checkpoints.items()]:
                    if self.serde.loads_typed(metadata).get("run_id") in run_ids:
                        del checkpoints[checkpoint_id]

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """See BaseCheckpointSaver."""
        for thread_id in thread_ids:
            if strategy == "delete":
                await self.adelete_thread(thread_id)
                continue
            for checkpoints in self.storage[thread_id].values():
                for checkpoint_id in sorted(checkpoints)[:-1]:
                    del checkpoints[checkpoint_id]
