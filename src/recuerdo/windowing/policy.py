"""Window policies, and how several make one."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

from recuerdo.core.errors import InvalidInput
from recuerdo.core.messages import Message
from recuerdo.windowing.budgets import Allowance, WindowBudget
from recuerdo.windowing.selection import RefinedSelection, Selection, SelectionBehind, UnitSelection, WholeSelection
from recuerdo.windowing.summary import Summary

_REACH = 256
_FARTHEST_REACH = 10_000


class WindowPolicy(ABC):
    """Decides what of a history a model is shown.

    A policy of your own needs only `apply`. Its `begin` then reads the whole thread; define `begin` and `reach` too
    when a part of the tail is enough.
    """

    @abstractmethod
    def apply(self, messages: Sequence[Message]) -> list[Message]:
        """The window of a history, which is oldest first. A pure function: neither list nor messages change.

        Raises BudgetTooSmall when the window can't hold the system message.
        """

    @property
    def reach(self) -> int:
        """How many of the newest messages a reader should fetch first: a guess that only costs time when wrong."""
        return _REACH

    def begin(self, system: Message | None) -> Selection:
        """Start to choose the window of a thread with this system message, while it is read from its end.

        Feeding all its messages that are neither archived nor system messages, newest first, gives what `apply`
        gives. Raises BudgetTooSmall.
        """
        return WholeSelection(system, self.apply)

    @property
    def rules(self) -> "Rules":
        """The rules that this policy adds to a combination."""
        return Rules(refinements=(self,), reach=self.reach)

    def __and__(self, other: "WindowPolicy") -> "CombinedWindow":
        return CombinedWindow(self, other)


def check_policy(field: str, policy: object) -> None:
    """Raise InvalidInput unless `policy` is one."""
    if not isinstance(policy, WindowPolicy):
        size = policy if isinstance(policy, int) else 50
        raise InvalidInput(field, f"must be a window policy, e.g. MessageWindow({size})")


class Rules(NamedTuple):
    """The parts of policies, by which any of them can be combined.

    `budgets` hold all at once. `refinements` are policies known by nothing but their `apply`: each gets what the
    rest has chosen.
    """

    budgets: tuple[WindowBudget, ...] = ()
    summary: Summary | None = None
    refinements: tuple[WindowPolicy, ...] = ()
    reach: int = _FARTHEST_REACH

    def merge(self, other: "Rules") -> "Rules":
        """Both rules at once. Of two summaries the one that covers more holds."""
        summaries = [summary for summary in (self.summary, other.summary) if summary]
        return Rules(
            self.budgets + other.budgets,
            max(summaries, key=lambda summary: summary.until_seq, default=None),
            self.refinements + other.refinements,
            min(self.reach, other.reach),
        )


class RuledWindow(WindowPolicy):
    """A policy that is nothing but its rules."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules

    @property
    def rules(self) -> Rules:
        return self._rules

    def apply(self, messages: Sequence[Message]) -> list[Message]:
        shown = [message for message in messages if not message.archived]
        systems = [message for message in shown if message.role == "system"]
        selection = self.begin(systems[-1] if systems else None)
        for message in reversed(shown):
            if message.role != "system" and not selection.take(message):
                break
        return selection.finish()

    @property
    def reach(self) -> int:
        return self._rules.reach

    def begin(self, system: Message | None) -> Selection:
        budgets, covered, refinements, _ = self._rules
        if not (budgets or covered):
            selection, refinements = refinements[0].begin(system), refinements[1:]
        else:
            allowances = list(map(Allowance, budgets))
            head: list[Message] = []
            if system is not None:
                for allowance in allowances:
                    allowance.pin_system(system)
                head.append(system)
            if covered is not None:
                summary = covered.as_message()
                if all(allowance.fits([summary]) for allowance in allowances):
                    for allowance in allowances:
                        allowance.pin()
                    head.append(summary)
            selection = UnitSelection(head, allowances)
            if covered is not None:
                selection = SelectionBehind(selection, covered.until_seq)
        return RefinedSelection(selection, [policy.apply for policy in refinements]) if refinements else selection


class CombinedWindow(RuledWindow):
    """All policies at once; `a & b` is short for it. Reading stops as soon as the tightest of them has enough.

    A unit of messages must fit within every limit. Policies of your own are applied to what the others have chosen,
    in the order given. Raises InvalidInput without any policy.
    """

    def __init__(self, *policies: WindowPolicy) -> None:
        if not policies:
            raise InvalidInput("policies", "name at least one policy to combine")
        for index, policy in enumerate(policies):
            check_policy(f"policies[{index}]", policy)
        super().__init__(reduce(Rules.merge, [policy.rules for policy in policies]))
        self.policies = policies

    def __repr__(self) -> str:
        return " & ".join(map(repr, self.policies))
