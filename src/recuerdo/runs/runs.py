"""Runs, as callers ask for them: made, waited for, followed, cancelled."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping
from contextlib import aclosing, suppress
from datetime import timedelta
from functools import partial
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from recuerdo.concurrency.tasks import stop
from recuerdo.core.documents import Decision, DocumentKey, DocumentQuery, reader
from recuerdo.core.errors import EpochChanged, Forbidden, NotFound, Unavailable
from recuerdo.core.graph_ports import DocumentRepository, RunEvents
from recuerdo.core.identifiers import new_id
from recuerdo.core.ports import Clock
from recuerdo.core.runs import Assistant, CancelAction, MultitaskStrategy, Run, RunEvent, RunRequest, RunResult
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.tracing import current_request
from recuerdo.runs.assistants import Assistants
from recuerdo.runs.encoding import encode
from recuerdo.runs.engine import Engine, RunLocation
from recuerdo.runs.lifecycle import admit_run, cancel, change_work
from recuerdo.runs.threads import Threads, thread_config

_decode = reader("run", Run)
_decode_result = reader("result", RunResult)
_SECONDS_BETWEEN_LOOKS = 1.0
_TIMEOUT_SECONDS = 30.0
"""How long a database may be away before callers that wait for a run get an error."""

_MOST = 10_000
_ABOUT_CALLERS = "langgraph_auth_"


class NewRun(NamedTuple):
    """A request for a run: `assistant` is an id or a graph's name; without a thread the run gets one of its own.

    `makes_thread` lets an absent thread be made, `after_seconds` delays the start. `caller` is what the graph finds in
    its config about who asks.
    """

    assistant: str
    request: RunRequest
    thread_id: str | None = None
    metadata: Mapping[str, Any] = {}
    strategy: MultitaskStrategy = "enqueue"
    makes_thread: bool = False
    after_seconds: float = 0
    caller: Mapping[str, Any] = {}


class Runs:
    """The runs of all users: documents store them, an engine executes them, and events report them."""

    def __init__(
        self,
        documents: DocumentRepository,
        events: RunEvents,
        engine: Engine,
        assistants: Assistants,
        threads: Threads,
        host: Callable[[], Awaitable[Any]],
        clock: Clock,
        epoch_of: Callable[[Scope], Awaitable[int]] | None = None,
    ) -> None:
        """`epoch_of` looks up in which epoch a thread's history is, 0 where there is none."""
        self._epoch_of = epoch_of
        self._documents = documents
        self._events = events
        self._engine = engine
        self._assistants = assistants
        self._threads = threads
        self._host = host
        self._clock = clock
        self.arrivals = threads.arrivals

    async def create(self, owner: Owner, new: NewRun) -> Run:
        """Queue a run, and start it when it is its turn. Raises NotFound, ThreadBusy, EpochChanged, InvalidInput,
        or ConfigurationError where the database stores no checkpoints.
        """
        if owner.is_visitor and (new.request.webhook is not None or new.after_seconds > 0):
            raise Forbidden("Visitors may neither name a webhook nor start a run later. Sign in, or send a credential.")
        run = self._made(new, await self._assistants.resolve(owner, new.assistant))
        await self._host()  # what no graph can be opened for is not queued
        if self._epoch_of is not None:
            actual = 0 if new.thread_id is None else await self._epoch_of(owner.thread(run.thread_id))
            if (expected := new.request.expected_epoch) not in (None, actual):
                raise EpochChanged(expected, actual)
            if actual:  # checked again when the run starts, and with each of its writes
                run = replace(run, kwargs=replace(run.kwargs, expected_epoch=actual))
        thread = self._threads.new(run.thread_id, new.metadata) if new.thread_id is None or new.makes_thread else None
        key, decide = DocumentKey("thread", run.thread_id), partial(admit_run, run=run, new_thread=thread)
        try:
            admission = await change_work(self._documents, owner, run.thread_id, decide, key)
        except NotFound:
            conversation = await self._threads.conversation(owner, run.thread_id)
            if conversation is None:
                raise
            decide = partial(admit_run, run=run, new_thread=conversation)
            admission = await change_work(self._documents, owner, run.thread_id, decide, key)
        self.arrivals.ring(owner, run.thread_id)
        action: CancelAction = "rollback" if new.strategy == "rollback" else "interrupt"
        for each in admission.stopping:
            self._engine.stop(RunLocation(owner, run.thread_id, each.run_id), action)
        if admission.starts:
            self._engine.wake(RunLocation(owner, run.thread_id, run.run_id))
        return admission.run

    def _made(self, new: NewRun, assistant: Assistant) -> Run:
        now, request = self._clock(), new.request
        temporary = new.thread_id is None
        config = _without_callers(_merged(assistant.config, request.config))
        context = {**assistant.context, **request.context} or dict(config.get("configurable") or {})
        if new.caller:
            config = _merged(config, {"configurable": new.caller})
        return Run(
            run_id=new_id(),
            thread_id=new.thread_id or new_id(),
            assistant_id=assistant.assistant_id,
            graph_id=assistant.graph_id,
            metadata={
                **assistant.metadata,
                **new.metadata,
                "graph_id": assistant.graph_id,
                "assistant_id": assistant.assistant_id,
            },
            kwargs=replace(
                request, config=config, context=context, temporary=temporary and request.on_completion == "delete"
            ),
            multitask_strategy=new.strategy,
            created_at=now,
            updated_at=now,
            start_at=now + timedelta(seconds=new.after_seconds) if new.after_seconds else None,
            request=current_request.get(),
        )

    async def get(self, owner: Owner, thread_id: str | None, run_id: str) -> Run:
        """The run, on that thread when one is named. Raises NotFound."""
        body = await self._documents.get(owner, DocumentKey("run", run_id))
        run = _decode(body) if body is not None else None
        if run is None or thread_id not in (None, run.thread_id):
            raise NotFound("run", run_id)
        return run

    async def found(self, owner: Owner, thread_id: str, run_id: str) -> Run:
        """The run, also one whose row is gone while its result is kept. Raises NotFound."""
        try:
            return await self.get(owner, thread_id, run_id)
        except NotFound:
            kept = await self._kept(owner, run_id)
            if kept.run.thread_id != thread_id:
                raise
            return kept.run

    async def select(self, owner: Owner, thread_id: str, query: DocumentQuery) -> list[Run]:
        """The thread's runs that match. Raises NotFound for the thread."""
        await self._threads.get(owner, thread_id)
        query = msgspec.structs.replace(query, group=thread_id)
        return [*map(_decode, await self._documents.select(owner, "run", query))]

    async def current(self, owner: Owner, thread_id: str) -> Run | None:
        """The thread's run that is executed now, or else the next one that waits. Raises NotFound for the thread."""
        for status in ("running", "pending"):
            query = DocumentQuery(where={"status": status}, descending=False, limit=1)
            if found := await self.select(owner, thread_id, query):
                return found[0]
        return None

    async def delete(self, owner: Owner, thread_id: str, run_id: str) -> None:
        """Forget the run, and stop it first when it is not finished. Raises NotFound."""
        run = await self.get(owner, thread_id, run_id)
        if run.is_open:
            await self.cancel(owner, thread_id, [run_id], "interrupt")
            await self.finished(owner, run)
        await self._documents.change(
            owner, thread_id, [], lambda _: Decision(None, delete=[DocumentKey("run", run_id)])
        )

    async def cancel(self, owner: Owner, thread_id: str, run_ids: Collection[str], action: CancelAction) -> list[Run]:
        """Stop the thread's unfinished runs among these, and return them. Raises NotFound when there is none."""
        key = DocumentKey("thread", thread_id)
        decide = partial(cancel, run_ids=run_ids, action=action, now=self._clock())
        done = await change_work(self._documents, owner, thread_id, decide, key)
        if not done.ended and not done.stopping:
            raise NotFound("unfinished run", ", ".join(run_ids))
        for run in done.ended:
            await self._events.end(run.run_id)
        for run in done.stopping:
            self._engine.stop(RunLocation(owner, thread_id, run.run_id), action)
        if done.next is not None:
            self._engine.wake(RunLocation(owner, thread_id, done.next.run_id))
        return [*done.ended, *done.stopping]

    async def cancel_all(
        self,
        owner: Owner,
        statuses: Collection[str],
        action: CancelAction,
        cancel: Callable[[Owner, str, Collection[str], CancelAction], Awaitable[list[Run]]] | None = None,
    ) -> list[Run]:
        """Stop the user's runs of these statuses, thread by thread, by `cancel`. Raises NotFound when there is none."""
        found: list[Run] = []
        for status in statuses:
            query = DocumentQuery(where={"status": status}, limit=_MOST)
            found += map(_decode, await self._documents.select(owner, "run", query))
        if not found:
            raise NotFound.saying("You have no unfinished runs.")
        stopped: list[Run] = []
        for thread_id in {run.thread_id for run in found}:
            mine = [run.run_id for run in found if run.thread_id == thread_id]
            with suppress(NotFound):
                stopped += await (cancel or self.cancel)(owner, thread_id, mine, action)
        return stopped

    async def delete_thread(self, owner: Owner, thread_id: str) -> None:
        """Erase a thread, and stop what runs on it. Raises NotFound."""
        for run_id in await self._threads.delete(owner, thread_id):
            self._engine.stop(RunLocation(owner, thread_id, run_id), "interrupt")
            await self._events.end(run_id)

    async def delete_threads(self, owner: Owner, metadata: Mapping[str, Any]) -> None:
        """Erase all threads of the user that have the metadata."""
        query = DocumentQuery(where={"metadata": metadata}, limit=_MOST)
        for thread in (await self._threads.search(owner, query, {})).threads:
            with suppress(NotFound):
                await self.delete_thread(owner, thread.thread_id)

    async def wait(self, owner: Owner, run: Run) -> Any:
        """The result of a run that was just made; see `result`."""
        expected = self._engine.expect(run.run_id)
        ended = asyncio.create_task(self.finished(owner, run))
        try:
            await asyncio.wait([expected, ended], return_when=asyncio.FIRST_COMPLETED)
            if expected.done():
                return expected.result()
            await ended
            return await self._result(owner, run)
        finally:
            self._engine.forget(run.run_id)
            await stop(ended)

    async def result(self, owner: Owner, run: Run) -> Any:
        """The result of the run once it is finished: its thread's values, or `{"__error__": ...}`. Raises NotFound."""
        await self.finished(owner, run)
        return await self._result(owner, run)

    async def _result(self, owner: Owner, run: Run) -> Any:
        body = await self._documents.get(owner, DocumentKey("run", run.run_id))
        if body is None:
            return msgspec.json.decode((await self._kept(owner, run.run_id)).payload)
        run = _decode(body)
        if run.status == "error" or (run.error is not None and run.checkpoint_id is None):
            return {"__error__": run.error}
        return await self._left(owner, run)

    async def _left(self, owner: Owner, run: Run) -> Any:
        """The values where the run left its thread, or where the thread is when that is pruned. Raises NotFound."""
        host = await self._host()
        for place in ({"checkpoint_id": run.checkpoint_id}, None) if run.checkpoint_id else (None,):
            with suppress(NotFound):
                return await host.result(owner, run.graph_id, thread_config(owner, run.thread_id, place))
            await self.get(owner, run.thread_id, run.run_id)  # the thread may have been deleted
        return {}

    async def _kept(self, owner: Owner, run_id: str) -> RunResult:
        body = await self._documents.get(owner, DocumentKey("result", run_id))
        if body is None:
            raise NotFound("run", run_id)
        return _decode_result(body)

    async def finished(self, owner: Owner, run: Run) -> None:
        """Wait until the run is over, in any process. Raises Unavailable when the database is away for long."""
        listening = asyncio.create_task(self._listen(run.run_id))
        loop = asyncio.get_running_loop()
        answered_at = loop.time()
        try:
            while True:
                try:
                    body = await self._documents.get(owner, DocumentKey("run", run.run_id))
                    if body is None or not _decode(body).is_open:
                        return
                    answered_at = loop.time()
                except Unavailable:
                    if loop.time() - answered_at > _TIMEOUT_SECONDS:
                        raise
                if listening.done():  # also when another process continues the run
                    await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
                await asyncio.wait([listening], timeout=_SECONDS_BETWEEN_LOOKS)
        finally:
            await stop(listening)

    async def follow(self, owner: Owner, run: Run, after: str = "") -> AsyncGenerator[RunEvent]:
        """The run's events after the id `after`, to its end.

        If no event arrived, because the run ended long ago or its events can't be read on this replica, one final event
        stands for them: the run's error, or, if only its result is left, its values where it streams values.
        """
        watching = asyncio.create_task(self._end_when_over(owner, run))
        is_heard = bool(after)
        try:
            async with aclosing(self._events.follow(run.run_id, after)) as events:
                async for event in events:
                    is_heard = True
                    yield event
        finally:
            watching.cancel()
        if not is_heard and (ending := await self._ending(owner, run)) is not None:
            yield ending

    async def _ending(self, owner: Owner, run: Run) -> RunEvent | None:
        """The final event of a run whose events did not arrive, from its row or result; None if it needs none."""
        place = f"{int(self._clock().timestamp() * 1000)}-0"
        if (body := await self._documents.get(owner, DocumentKey("run", run.run_id))) is not None:
            run = _decode(body)
            return RunEvent(place, "error", encode(run.error)) if run.status == "error" else None
        try:
            kept = await self._kept(owner, run.run_id)
        except NotFound as gone:
            return RunEvent(place, "error", encode(gone))
        if kept.run.error is not None:
            return RunEvent(place, "error", encode(kept.run.error))
        is_told = "values" in kept.run.kwargs.stream_mode and not kept.run.kwargs.thread_events
        return RunEvent(place, "values", bytes(kept.payload)) if is_told else None

    async def _end_when_over(self, owner: Owner, run: Run) -> None:
        """Release the listeners of runs that a process ended whose events don't reach us."""
        await self.finished(owner, run)
        await self._events.end(run.run_id)

    async def _listen(self, run_id: str) -> None:
        async with aclosing(self._events.follow(run_id)) as events:
            async for _ in events:
                pass


def _without_callers(config: dict[str, Any]) -> dict[str, Any]:
    """Return the config without keys that would name another principal."""
    given: Mapping[str, Any] = config.get("configurable") or {}
    kept = {name: given[name] for name in given if not name.startswith(_ABOUT_CALLERS)}
    return config if len(kept) == len(given) else {**config, "configurable": kept}


def _merged(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two configs: values of the second replace those of the first, and mappings are merged."""
    merged = {**first, **second}
    for name in ("configurable", "metadata"):
        if name in merged:
            merged[name] = {**(first.get(name) or {}), **(second.get(name) or {})}
    return merged
