"""The cost of messages, and how much of one or more budgets is left."""

import json
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from recuerdo.core.errors import BudgetTooSmall, InvalidInput
from recuerdo.core.messages import Message, Part, ToolCall
from recuerdo.core.ports import Tokenizer

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
        tokens += sum(_call_tokens(call, tokenizer) for call in message.tool_calls)
    return tokens


def _part_tokens(part: Part, tokenizer: Tokenizer) -> int:
    if part.get("type") in _MEDIA_TYPES:
        return MEDIA_TOKENS
    text = part.get("text")
    return tokenizer.count(text if isinstance(text, str) else _json(part))


def _call_tokens(call: ToolCall, tokenizer: Tokenizer) -> int:
    return tokenizer.count(call.name) + tokenizer.count(_json(call.args))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _checked(unit: str, limit: object) -> int:
    if not isinstance(limit, int) or limit < 1:
        raise InvalidInput(unit, f"a window must hold a whole number of {unit}, 1 or more, and not {limit!r}")
    return limit
