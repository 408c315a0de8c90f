"""Chooses a window while a history is read from its end."""

from collections.abc import Callable, Collection, Sequence
from typing import Protocol

from recuerdo.core.messages import Message
from recuerdo.windowing.budgets import Allowance

Unit = dict[int, Message]
"""Messages that enter and leave a window together, by how many messages came after each."""


class Selection(Protocol):
    """The making of one window, from the newest message to older ones."""

    def take(self, message: Message) -> bool:
        """Consider the next older message, neither archived nor a system message.

        Returns False when no older one can change the window: the rest need not be read.
        """
        ...

    def finish(self) -> list[Message]:
        """The window of the taken messages, oldest first, the system message at the start."""
        ...


class UnitSelection:
    """Keeps the newest units that the allowance pays for, behind the messages of the head.

    Results wait until their call comes: the next older one with their id is theirs.
    """

    __slots__ = ("_allowances", "_head", "_kept", "_open", "_results", "_taken")

    def __init__(self, head: Sequence[Message], allowances: Sequence[Allowance]) -> None:
        self._head = head
        self._allowances = allowances
        self._kept: Unit = {}
        self._results: dict[str | None, Unit] = {}
        self._taken = 0
        self._open = True
        for allowance in allowances:
            if allowance.is_spent:
                self._open = False

    def take(self, message: Message) -> bool:
        if not self._open:
            return False
        position = self._taken
        self._taken += 1
        if message.role == "tool":
            self._results.setdefault(message.tool_call_id, {})[position] = message
        elif not message.tool_calls:
            self._consider({position: message})
        elif unit := self._with_results(position, message):
            self._consider(unit)
        return self._open

    def finish(self) -> list[Message]:
        kept = self._kept
        return [*self._head, *map(kept.__getitem__, sorted(kept, reverse=True))]

    def _with_results(self, position: int, call: Message) -> Unit | None:
        """The call and its results, or None when some are missing and the conversation has gone on."""
        results = [self._results.pop(call_id, {}) for call_id in {tool_call.id for tool_call in call.tool_calls}]
        unit = {position: call}
        for each in results:
            unit |= each
        is_tail = len(unit) == self._taken
        return unit if is_tail or all(results) else None

    def _consider(self, unit: Unit) -> None:
        messages = unit.values()
        for allowance in self._allowances:
            if not allowance.fits(messages):
                self._open = not self._ever_fits(messages)
                return
        self._kept |= unit
        for allowance in self._allowances:
            allowance.pay()
            if allowance.is_spent:
                self._open = False

    def _ever_fits(self, messages: Collection[Message]) -> bool:
        return all(allowance.ever_fits(messages) for allowance in self._allowances)


class SelectionBehind:
    """Shows another selection only the messages after the seq `until`.

    Messages without a seq are new: nothing that is stored comes after them.
    """

    def __init__(self, selection: Selection, until: int) -> None:
        self._selection = selection
        self._until = until
        self._open = True

    def take(self, message: Message) -> bool:
        if 0 < message.seq <= self._until:
            self._open = False
        if self._open and self._selection.take(message):
            self._open = message.seq != self._until + 1
            return self._open
        return False

    def finish(self) -> list[Message]:
        return self._selection.finish()


class RefinedSelection:
    """Applies further policies, one after the other, to what another selection has chosen."""

    def __init__(
        self, selection: Selection, refinements: Sequence[Callable[[Sequence[Message]], list[Message]]]
    ) -> None:
        self._selection = selection
        self._refinements = refinements

    def take(self, message: Message) -> bool:
        return self._selection.take(message)

    def finish(self) -> list[Message]:
        window = self._selection.finish()
        for refine in self._refinements:
            window = refine(window)
        return window


class WholeSelection:
    """Takes everything: for a policy that has only its `apply`."""

    def __init__(self, system: Message | None, apply: Callable[[Sequence[Message]], list[Message]]) -> None:
        self._system = system
        self._apply = apply
        self._taken: list[Message] = []

    def take(self, message: Message) -> bool:
        self._taken.append(message)
        return True

    def finish(self) -> list[Message]:
        head = [self._system] if self._system else []
        return self._apply([*head, *reversed(self._taken)])
