"""Random graphs and random callers: whatever is read is what LangGraph's own InMemorySaver says."""

import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from random import Random
from typing import Any

import pytest
from checkpoint_twins import Twins
from fuzzed_graph import build, change, message
from langgraph.types import Command

from recuerdo.core.errors import RecuerdoError
from recuerdo.integrations.langgraph import RecuerdoSaver

SEEDS = range(int(os.environ.get("RECUERDO_FUZZ_SEEDS", "6")))
STEPS = int(os.environ.get("RECUERDO_FUZZ_STEPS", "10"))


@pytest.mark.parametrize("seed", SEEDS)
async def test_what_is_read_from_sqlite_is_what_was_written(seed: int, tmp_path) -> None:
    await _play(f"sqlite:///{tmp_path / 'recuerdo.db'}", seed)


@pytest.mark.parametrize("seed", SEEDS)
async def test_what_is_read_from_postgres_is_what_was_written(seed: int, postgres_url: str) -> None:
    await _play(postgres_url, seed + 1000)


async def _play(url: str, seed: int) -> None:
    random = Random(seed)
    async with _twins(url, seed, texts=random.random() < 0.5) as twins:
        player = _Player(twins, random, delta=random.random() < 0.3)
        for _ in range(STEPS):
            twins.turn = random.randrange(2)
            await player.step()
        await player.look_at_everything()
        assert twins.reads > STEPS


@asynccontextmanager
async def _twins(url: str, seed: int, *, texts: bool) -> AsyncIterator[Twins]:
    """Two processes on one database: each has what it remembers for itself."""
    async with AsyncExitStack() as stack:
        openings = [RecuerdoSaver.from_conn_string(url, tenant=f"fuzz-{seed}", user="u") for _ in range(2)]
        yield Twins([await stack.enter_async_context(opening) for opening in openings], texts=texts)


class _Player:
    def __init__(self, twins: Twins, random: Random, *, delta: bool) -> None:
        self._twins = twins
        self._random = random
        self._graph = build(twins, delta=delta)
        self._threads = ["t0"]
        self._runs = 0
        self._delta = delta

    async def step(self) -> None:
        """One thing that a caller may do."""
        act = self._random.choices(
            (
                self._run,
                self._fork,
                self._update,
                self._copy_checkpoint,
                self._vandalise,
                self._prune,
                self._copy,
                self._undo,
            ),
            (8, 3, 3, 1, 2, 1, 1, 1),
        )[0]
        try:
            await act()
        except ValueError as error:  # e.g. two nodes have removed the same message
            if isinstance(error, RecuerdoError):
                raise

    async def look_at_everything(self) -> None:
        """Read all checkpoints of all threads."""
        for thread in self._threads:
            for namespace in list(self._twins.oracle.storage[thread]):
                config = {"configurable": {"thread_id": thread, "checkpoint_ns": namespace}}
                for turn in range(2):
                    self._twins.turn = turn
                    async for _ in self._twins.alist(config):
                        pass
            with suppress(ValueError):  # a DeltaChannel whose writes don't go together is replayed here
                async for _ in self._graph.aget_state_history(self._config(thread)):
                    pass

    def _config(self, thread: str | None = None, **more: Any) -> Any:
        self._runs += 1
        configurable = {"thread_id": thread or self._random.choice(self._threads), **more}
        return {"configurable": configurable, "metadata": {"run_id": f"run-{self._runs}"}}

    async def _run(self, config: Any = None) -> None:
        config = config or self._config()
        state = await self._graph.aget_state(config)
        given: Any = {"plan": [self._random.randrange(10_000)], "messages": self._messages()}
        if state.interrupts and self._random.random() < 0.7:
            given = Command(resume={"answer": [1, True]})
        durability = self._random.choice(("sync", "async", "exit"))
        await self._graph.ainvoke(given, config, durability=durability)

    def _messages(self) -> Any:
        if self._random.random() < 0.2:
            return message(self._random)
        if self._random.random() < 0.1:
            return [("user", "a tuple")]
        return [message(self._random) for _ in range(self._random.randrange(1, 3))]

    async def _fork(self) -> None:
        """Time travel: a run from an old checkpoint."""
        if (old := await self._old_checkpoint()) is not None:
            await self._run({**self._config(), "configurable": old["configurable"]})

    async def _update(self) -> None:
        old = await self._old_checkpoint() if self._random.random() < 0.5 else self._config()
        if old is not None:
            state = await self._graph.aget_state(old)
            await self._graph.aupdate_state(old, change(state.values, self._random), as_node="one")

    async def _copy_checkpoint(self) -> None:
        if (old := await self._old_checkpoint()) is not None:
            await self._graph.aupdate_state(old, None, as_node="__copy__")

    async def _vandalise(self) -> None:
        """Change what was read: nobody else may see it."""
        state = await self._graph.aget_state(self._config())
        for each in state.values.get("messages", []):
            each.content = "vandalised"
            each.additional_kwargs["vandalised"] = True
            each.response_metadata.clear()
        for part in state.values.values():
            if isinstance(part, list):
                part.clear()

    async def _prune(self) -> None:
        if not self._delta:
            await self._twins.aprune([self._random.choice(self._threads)])

    async def _copy(self) -> None:
        copy = f"t{len(self._threads)}"
        await self._twins.acopy_thread(self._random.choice(self._threads), copy)
        self._threads.append(copy)

    async def _undo(self) -> None:
        if not self._delta:
            await self._twins.adelete_for_runs({f"run-{self._random.randrange(self._runs + 1)}"})

    async def _old_checkpoint(self) -> Any:
        history = [each async for each in self._graph.aget_state_history(self._config(), limit=20)]
        return self._random.choice(history).config if history else None
