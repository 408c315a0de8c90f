"""The rules of windows once more, forwards and by brute force: slow, and easy to see through."""

from collections.abc import Callable, Sequence

from recuerdo.core.messages import Message
from recuerdo.windowing import Summary

Measure = tuple[int, Callable[[Message], int]]
"""A limit, and what a message takes of it."""


def expected_window(
    history: Sequence[Message], measures: Sequence[Measure], summary: Summary | None = None
) -> list[Message]:
    shown = [message for message in history if not message.archived]
    head = [message for message in shown if message.role == "system"][-1:]
    talk = [message for message in shown if message.role != "system"]
    if summary:
        talk = [message for message in talk if message.seq == 0 or message.seq > summary.until_seq]
        if fits([*head, summary.as_message()], measures):
            head.append(summary.as_message())
    units = [unit for unit in whole_units(talk) if fits([*head, *(talk[i] for i in unit)], measures)]
    for start in range(len(units) + 1):
        chosen = sorted(i for unit in units[start:] for i in unit)
        window = [*head, *(talk[i] for i in chosen)]
        if fits(window, measures):
            return window
    raise AssertionError("the system message itself does not fit")


def fits(window: Sequence[Message], measures: Sequence[Measure]) -> bool:
    return all(sum(map(cost, window)) <= limit for limit, cost in measures)


def whole_units(talk: Sequence[Message]) -> list[list[int]]:
    """The units that a window may have, each as the indexes of its messages, the oldest unit first."""
    units = {index: [index] for index, message in enumerate(talk) if message.role != "tool"}
    for index, message in enumerate(talk):
        call = call_of(talk, index) if message.role == "tool" else None
        if call is not None:
            units[call].append(index)
    return [unit for index, unit in units.items() if is_answered(talk, unit) or unit == [*range(index, len(talk))]]


def call_of(talk: Sequence[Message], result: int) -> int | None:
    """Where the call of the result at this index stands."""
    wanted = talk[result].tool_call_id
    for index in reversed(range(result)):
        if wanted in [call.id for call in talk[index].tool_calls]:
            return index
    return None


def is_answered(talk: Sequence[Message], unit: Sequence[int]) -> bool:
    answered = {talk[index].tool_call_id for index in unit[1:]}
    return all(call.id in answered for call in talk[unit[0]].tool_calls)
