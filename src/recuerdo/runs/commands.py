"""The commands of the thread-centric protocol: start a run, answer a question, look at states, go another way."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, cast

from recuerdo.core.errors import Conflict, InvalidInput, NotFound
from recuerdo.core.runs import AgentThread, MultitaskStrategy, RunRequest
from recuerdo.core.scope import Owner
from recuerdo.runs.runs import NewRun, Runs
from recuerdo.runs.thread_stream import seq_before
from recuerdo.runs.threads import Threads

Params = dict[str, Any]
Answer = dict[str, Any]

_SECONDS_TO_REST = 10.0
_SECONDS_TO_ASK = 0.5
"""How long to wait for a run that has sent its question and is about to store it."""

_STRATEGIES = ("reject", "interrupt", "rollback", "enqueue")
_PLACE = ("checkpoint_id", "checkpoint_ns", "checkpoint_map")
_STATUSES = {"busy": "running", "interrupted": "interrupted", "error": "failed", "idle": "completed"}
_NEWEST = 1000


class _CommandError(Exception):
    """The answer is an error of the protocol, and this is which."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Commands:
    """Does what a command says, and answers in the protocol's words."""

    def __init__(self, runs: Runs, threads: Threads) -> None:
        self._runs = runs
        self._threads = threads
        self._methods: Mapping[str, Callable[[Owner, str, Params], Awaitable[Answer]]] = {
            "run.start": self._start,
            "input.respond": self._respond,
            "state.get": self._state,
            "state.listCheckpoints": self._checkpoints,
            "state.fork": self._fork,
            "agent.getTree": self._tree,
        }

    async def answer(self, owner: Owner, thread_id: str, command_id: int, method: str, params: Params) -> Answer:
        """Execute the command. Raises NotFound when the thread is absent and the command makes none."""
        if method != "run.start":
            await self._threads.get(owner, thread_id)
        try:
            done = await self._do(owner, thread_id, method, params)
        except _CommandError as error:
            return error_answer(command_id, error.code, str(error))
        except (InvalidInput, Conflict, NotFound) as error:
            return error_answer(command_id, "invalid_argument", str(error))
        return {"type": "success", "id": command_id, **done}

    async def _do(self, owner: Owner, thread_id: str, method: str, params: Params) -> Answer:
        if method in self._methods:
            return await self._methods[method](owner, thread_id, params)
        if method.startswith(("subscription.", "input.")):
            raise _CommandError("not_supported", f"{method} is nothing that can be done here.")
        raise _CommandError(
            "unknown_command", f"There is no command {method!r}. Try one of: {', '.join(self._methods)}."
        )

    async def _start(self, owner: Owner, thread_id: str, params: Params) -> Answer:
        assistant = _text(params, "assistant_id")
        request = _request(params, input=params.get("input"))
        queues = _strategy(params) == "enqueue"
        thread = await self._resting(owner, thread_id, _SECONDS_TO_ASK if queues else 0)
        if thread is not None and thread.interrupts and request.checkpoint is None and request.input is not None:
            request = _request(params, command={"resume": request.input})
        return await self._launch(owner, thread_id, assistant, params, request)

    async def _respond(self, owner: Owner, thread_id: str, params: Params) -> Answer:
        thread = await self._resting(owner, thread_id, _SECONDS_TO_REST) or await self._threads.get(owner, thread_id)
        answers = {_text(each, "interrupt_id"): each.get("response") for each in _responses(params)}
        open_questions = {each["id"] for questions in thread.interrupts.values() for each in questions}
        if unknown := answers.keys() - open_questions:
            raise _CommandError("no_such_interrupt", f"The thread does not wait for {', '.join(sorted(unknown))}.")
        command = {"resume": answers, "update": params.get("update"), "goto": params.get("goto")}
        request = _request(params, command={name: value for name, value in command.items() if value is not None})
        return await self._launch(owner, thread_id, _assistant(thread), params, request)

    async def _fork(self, owner: Owner, thread_id: str, params: Params) -> Answer:
        thread = await self._threads.get(owner, thread_id)
        place = {"checkpoint_id": _text(params, "checkpoint_id")}
        state = await self._threads.state(owner, thread_id, place)
        if state["created_at"] is None:
            raise _CommandError("no_such_checkpoint", f"The thread has no checkpoint {place['checkpoint_id']}.")
        request = _request(params, input=params.get("input"), checkpoint=place)
        done = await self._launch(owner, thread_id, _assistant(thread), params, request)
        return {**done, "result": {**done["result"], "thread_id": thread_id}}

    async def _launch(
        self, owner: Owner, thread_id: str, assistant: str, params: Params, request: RunRequest
    ) -> Answer:
        metadata = _object(params, "metadata")
        new = NewRun(assistant, request, thread_id, metadata, _strategy(params), makes_thread=True)
        run = await self._runs.create(owner, new)
        return {"result": {"run_id": run.run_id}, "meta": {"applied_through_seq": seq_before(run)}}

    async def _state(self, owner: Owner, thread_id: str, params: Params) -> Answer:
        state = await self._threads.state(owner, thread_id, {"checkpoint_ns": "|".join(params.get("namespace") or ())})
        values, keys = state["values"], params.get("keys")
        if keys is not None and isinstance(values, dict):
            values = {name: value for name, value in cast(Params, values).items() if name in keys}
        place = state["checkpoint"]
        shown = {"checkpoint": {"id": place["checkpoint_id"], "ns": place.get("checkpoint_ns", "")}} if place else {}
        return {"result": {"values": values, **shown}}

    async def _checkpoints(self, owner: Owner, thread_id: str, params: Params) -> Answer:
        limit = params.get("limit", 10)
        if not isinstance(limit, int) or not 0 < limit <= _NEWEST:
            raise InvalidInput("limit", f"must be a number from 1 to {_NEWEST}")
        place = {"checkpoint_ns": "|".join(params.get("namespace") or ())}
        states = await self._threads.history(
            owner, thread_id, limit=limit, before=params.get("before"), checkpoint=place
        )
        return {"result": {"checkpoints": [_summary(state) for state in states]}}

    async def _tree(self, owner: Owner, thread_id: str, _params: Params) -> Answer:
        thread = await self._threads.get(owner, thread_id)
        graph = str(thread.metadata.get("graph_id", ""))
        return {"result": {"tree": {"namespace": [], "status": _STATUSES[thread.status], "graph_name": graph}}}

    async def _resting(self, owner: Owner, thread_id: str, seconds: float) -> AgentThread | None:
        """The thread when nothing runs on it; None when it is absent, or busy for longer than the timeout.

        A question is streamed before it is stored: an immediate answer waits until it is.
        """
        try:
            thread = await self._threads.get(owner, thread_id)
            if seconds and thread.status == "busy" and (run := await self._runs.current(owner, thread_id)) is not None:
                with suppress(TimeoutError):
                    async with asyncio.timeout(seconds):
                        await self._runs.finished(owner, run)
                thread = await self._threads.get(owner, thread_id)
        except NotFound:
            return None
        return thread if thread.status != "busy" else None


def error_answer(command_id: int | None, code: str, message: str) -> Answer:
    """An error in the protocol's words."""
    return {"type": "error", "id": command_id, "error": code, "message": message}


def _request(params: Params, **fields: Any) -> RunRequest:
    """The run that the params ask for. A checkpoint may stand in the config: it is where the run begins, once."""
    epoch = params.get("expected_epoch")
    if epoch is not None and (type(epoch) is not int or epoch < 0):
        raise InvalidInput("expected_epoch", "must be a number from 0 on: the first of a thread's version")
    config = _object(params, "config")
    configurable = _object(config, "configurable")
    place = {name: configurable[name] for name in _PLACE if name in configurable}
    if place.get("checkpoint_id"):
        fields = {"checkpoint": place, **fields}
    configurable = {name: value for name, value in configurable.items() if name not in _PLACE}
    config = {**config, "configurable": configurable}
    return RunRequest(config=config, thread_events=True, resumable=True, expected_epoch=epoch, **fields)


def _responses(params: Params) -> list[Params]:
    several = params.get("responses")
    if several is None:
        return [params]
    if not isinstance(several, list) or not all(isinstance(each, dict) for each in cast(list[Any], several)):
        raise InvalidInput("responses", "must be a list of objects")
    return cast(list[Params], several)


def _assistant(thread: AgentThread) -> str:
    if "assistant_id" not in thread.metadata:
        raise InvalidInput("thread_id", "nothing has run on the thread yet: send run.start first")
    return str(thread.metadata["assistant_id"])


def _strategy(params: Params) -> MultitaskStrategy:
    strategy = params.get("multitask_strategy") or params.get("multitaskStrategy") or "enqueue"
    if strategy not in _STRATEGIES:
        raise InvalidInput("multitask_strategy", f"must be one of: {', '.join(_STRATEGIES)}")
    return strategy


def _text(params: Params, name: str) -> str:
    if not isinstance(params.get(name), str):
        raise InvalidInput(name, "is needed, as a text")
    return params[name]


def _object(params: Params, name: str) -> Params:
    given: Any = params.get(name) or {}
    if not isinstance(given, dict):
        raise InvalidInput(name, "must be an object")
    return cast(Params, given)


def _summary(state: dict[str, Any]) -> dict[str, Any]:
    metadata: dict[str, Any] = state["metadata"] or {}
    return {
        "id": state["checkpoint_id"],
        "timestamp": state["created_at"],
        "step": metadata.get("step"),
        "metadata": metadata,
    }
