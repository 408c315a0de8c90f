"""The state of a thread's graph, as the API shows it."""

from typing import Any, cast

from langgraph.types import StateSnapshot

from recuerdo.runs.encoding import interrupt

_SHOWN = ("checkpoint_id", "thread_id", "checkpoint_ns", "checkpoint_map")


def shown_state(snapshot: StateSnapshot) -> dict[str, Any]:
    """A snapshot as JSON's types, but for its values; an empty one still names the checkpoint that was asked for."""
    checkpoint, parent = _checkpoint(snapshot.config), _checkpoint(snapshot.parent_config)
    if checkpoint and "checkpoint_id" not in checkpoint:
        checkpoint = None
    return {
        "values": snapshot.values,
        "next": list(snapshot.next),
        "tasks": [_task(task) for task in snapshot.tasks],
        "metadata": None if snapshot.created_at is None else snapshot.metadata,
        "created_at": snapshot.created_at,
        "checkpoint": checkpoint,
        "parent_checkpoint": parent,
        "interrupts": [interrupt(each) for each in snapshot.interrupts],
        "checkpoint_id": checkpoint["checkpoint_id"] if checkpoint else None,
        "parent_checkpoint_id": parent.get("checkpoint_id") if parent else None,
    }


def interrupts_of(snapshot: StateSnapshot) -> dict[str, Any]:
    """The questions that the graph waits for, by task."""
    return {task.id: [interrupt(each) for each in task.interrupts] for task in snapshot.tasks if task.interrupts}


def checkpoint_of(snapshot: StateSnapshot) -> str | None:
    """The id of the checkpoint that the snapshot shows; None where there is none."""
    return None if snapshot.created_at is None else snapshot.config.get("configurable", {}).get("checkpoint_id")


def result_of(snapshot: StateSnapshot) -> Any:
    """What somebody gets who waited for the run: the values, and the questions that it ended with."""
    values: Any = snapshot.values  # pyright: ignore[reportUnknownMemberType]
    if snapshot.interrupts and isinstance(values, dict):
        return {**cast(dict[str, Any], values), "__interrupt__": [interrupt(each) for each in snapshot.interrupts]}
    return values


def _task(task: Any) -> dict[str, Any]:
    state: Any = task.state
    is_snapshot = isinstance(state, StateSnapshot)
    return {
        "id": task.id,
        "name": task.name,
        "path": list(task.path),
        "error": None if task.error is None else repr(task.error) if isinstance(task.error, Exception) else task.error,
        "interrupts": [interrupt(each) for each in task.interrupts],
        "checkpoint": None if is_snapshot or state is None else _checkpoint(state),
        "state": shown_state(state) if is_snapshot else None,
        "result": getattr(task, "result", None),
    }


def _checkpoint(config: Any) -> dict[str, Any] | None:
    if not config:
        return None
    configurable = cast(dict[str, Any], config.get("configurable", {}))
    return {name: configurable[name] for name in _SHOWN if name in configurable}
