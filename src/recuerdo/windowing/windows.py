"""The window policies that Recuerdo brings along."""

from recuerdo.core.errors import InvalidInput
from recuerdo.core.ports import Tokenizer
from recuerdo.windowing.policy import RuledWindow, Rules, WindowPolicy, check_policy, message_budget, token_budget
from recuerdo.windowing.summary import Summary
from recuerdo.windowing.tokenizers import default_tokenizer

_TOKENS_A_MESSAGE = 64
_SHORTEST_REACH = 16
_FARTHEST_REACH = 1000


class MessageWindow(RuledWindow):
    """The newest messages, `limit` at most, the system message included. Raises InvalidInput for less than 1."""

    def __init__(self, limit: int) -> None:
        super().__init__(Rules((message_budget(limit),), reach=min(limit, _FARTHEST_REACH)))
        self.limit = limit

    def __repr__(self) -> str:
        return f"MessageWindow({self.limit})"


class TokenWindow(RuledWindow):
    """The newest messages that take `limit` tokens at most, the system message included.

    Messages are indivisible. The tokens of a message are those of its content, its name and its tool calls, and 4 for
    the frame around them; an image or another medium counts 1,000. Without a `tokenizer` it is o200k where
    `recuerdo[offline]` is installed, else a token for every 4 bytes. Raises InvalidInput for a limit below 1.
    """

    def __init__(self, limit: int, tokenizer: Tokenizer | None = None) -> None:
        tokenizer = tokenizer or default_tokenizer()
        budget = token_budget(limit, tokenizer)
        reach = min(max(limit // _TOKENS_A_MESSAGE, _SHORTEST_REACH), _FARTHEST_REACH)
        super().__init__(Rules((budget,), reach=reach))
        self.limit = limit
        self.tokenizer = tokenizer

    def __repr__(self) -> str:
        return f"TokenWindow({self.limit}, {self.tokenizer!r})"


class SummaryWindow(RuledWindow):
    """Another policy's window, with a summary in place of the messages that it covers.

    The summary is one user message after the system message. It counts towards the size; when it doesn't fit there,
    it is left out, and so are the messages that it covers. Without a summary this is the other policy. Raises
    InvalidInput.
    """

    def __init__(self, policy: WindowPolicy, summary: Summary | None) -> None:
        check_policy("policy", policy)
        if not isinstance(summary, Summary | None):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput("summary", "must be a Summary, e.g. Summary('What was said', until_seq=12), or None")
        super().__init__(policy.rules.merge(Rules(summary=summary)))
        self.policy = policy
        self.summary = summary

    def __repr__(self) -> str:
        return f"SummaryWindow({self.policy!r}, {self.summary!r})"
