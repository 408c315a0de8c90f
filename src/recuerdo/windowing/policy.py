"""Window policies: what messages cost, how a window is chosen from the newest on, and how several policies make one."""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from functools import reduce
from typing import Any, NamedTuple, Protocol

from recuerdo.core.errors import BudgetTooSmall, InvalidInput
from recuerdo.core.messages import Message, Part
from recuerdo.core.ports import Tokenizer
from recuerdo.windowing.summary import Summary

MESSAGE_TOKENS = 4
"""The tokens of a message without its content: 3 for its frame and 1 for its role, as OpenAI's cookbook counts."""

NAME_TOKENS = 1
"""The tokens that a message's name adds to its own, from the same source."""

MEDIA_TOKENS = 1000
"""The tokens of an image, a sound or a file: a large image is 765 tokens for OpenAI and about 1,300 for Anthropic."""

_MEDIA_TYPES = frozenset(
    {
        *("audio", "document", "file", "image", "image_url", "input_audio", "input_file", "input_image"),
        *("media", "video", "video_url"),
    }
)


class WindowBudget(NamedTuple):
    """A limit on a window: `price` tells what messages cost, and the cheapest message costs `least`."""

    unit: str
    limit: int
    price: Callable[[Collection[Message]], int]
    least: int


class Allowance:
    """The remainder of one budget."""

    __slots__ = ("_asked", "_budget", "_largest", "_least", "_left", "_price")

    def __init__(self, budget: WindowBudget) -> None:
        self._budget = budget
        self._price = budget.price
        self._least = budget.least
        self._left = self._largest = budget.limit
        self._asked = 0

    @property
    def is_spent(self) -> bool:
        """Not even the cheapest message fits any more."""
        return self._left < self._least

    def fits(self, messages: Collection[Message]) -> bool:
        """Whether the rest of the budget can pay for the messages together."""
        self._asked = self._price(messages)
        return self._asked <= self._left

    def ever_fits(self, messages: Collection[Message]) -> bool:
        """Whether the messages would fit beside the pinned ones alone."""
        return self._price(messages) <= self._largest

    def pay(self) -> None:
        """Pay for the messages that were asked for last: counting tokens twice would be slow."""
        self._left -= self._asked

    def pin(self) -> None:
        """Pay likewise, for messages that every window has, so that they limit what could ever fit."""
        self.pay()
        self._largest = self._left

    def pin_system(self, system: Message) -> None:
        """Pay for the system message. Raises BudgetTooSmall."""
        if not self.fits([system]):
            unit, limit = self._budget.unit, self._budget.limit
            raise BudgetTooSmall(
                unit,
                f"the system message takes {self._asked} {unit} and the window holds {limit}; "
                "raise the limit or shorten the system message",
            )
        self.pin()


def message_budget(limit: int) -> WindowBudget:
    """At most `limit` messages. Raises InvalidInput."""
    return WindowBudget("messages", _checked("messages", limit), len, 1)


def token_budget(limit: int, tokenizer: Tokenizer) -> WindowBudget:
    """At most `limit` tokens. Raises InvalidInput."""

    def price(unit: Collection[Message]) -> int:
        return sum([message_tokens(message, tokenizer) for message in unit])

    return WindowBudget("tokens", _checked("tokens", limit), price, MESSAGE_TOKENS)


def message_tokens(message: Message, tokenizer: Tokenizer) -> int:
    """The tokens of the message's content, name and tool calls, and of the frame around them.

    Parts without a text cost MEDIA_TOKENS when they are media, else the tokens of their JSON.
    """
    content = message.content
    if isinstance(content, str):
        tokens = MESSAGE_TOKENS + tokenizer.count(content)
    else:
        tokens = MESSAGE_TOKENS + sum(_part_tokens(part, tokenizer) for part in content)
    if message.name:
        tokens += NAME_TOKENS + tokenizer.count(message.name)
    if message.tool_calls:
        tokens += sum(tokenizer.count(call.name) + tokenizer.count(_json(call.args)) for call in message.tool_calls)
    return tokens


def _part_tokens(part: Part, tokenizer: Tokenizer) -> int:
    if part.get("type") in _MEDIA_TYPES:
        return MEDIA_TOKENS
    text = part.get("text")
    return tokenizer.count(text if isinstance(text, str) else _json(part))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _checked(unit: str, limit: object) -> int:
    if not isinstance(limit, int) or limit < 1:
        raise InvalidInput(unit, f"a window must hold a whole number of {unit}, 1 or more, and not {limit!r}")
    return limit


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
    """Keeps the newest units that the allowance pays for, after the messages of the head.

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
            return True
        unit = self._with_results(position, message) if message.tool_calls else {position: message}
        if unit is None:
            return True
        messages = unit.values()
        for allowance in self._allowances:
            if not allowance.fits(messages):
                self._open = any(not each.ever_fits(messages) for each in self._allowances)
                return self._open
        self._kept |= unit
        for allowance in self._allowances:
            allowance.pay()
            if allowance.is_spent:
                self._open = False
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
