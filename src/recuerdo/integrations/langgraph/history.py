"""What a graph's messages are in the history of their thread."""

from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.messages import BaseMessage

from recuerdo.core.errors import InvalidInput
from recuerdo.core.messages import Message
from recuerdo.core.scope import Scope
from recuerdo.core.threads import Append
from recuerdo.history.history import utc_now
from recuerdo.history.requests import MOST_MESSAGES, prepare
from recuerdo.integrations.langchain.messages import from_langchain


def appends(scope: Scope, elements: Sequence[Any]) -> list[Append]:
    """The appends of those elements that are messages with ids; others could not be told apart when they come again."""
    messages = list({message.id: message for message in _messages(elements)}.values())
    pages = [messages[start : start + MOST_MESSAGES] for start in range(0, len(messages), MOST_MESSAGES)]
    return [prepare(scope, page, utc_now()) for page in pages]


def _messages(elements: Sequence[Any]) -> Iterator[Message]:
    for element in elements:
        if isinstance(element, BaseMessage) and element.id:
            try:
                message = from_langchain(element)
                prepare(_ANYWHERE, [message], utc_now())
            except InvalidInput:
                continue  # the graph may hold what no history can, e.g. an order to remove something
            yield message


_ANYWHERE = Scope("t", "u", "t")
