"""The prompt for a summary, in the user's language, with the conversation as quoted data."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from recuerdo.core.messages import Message
from recuerdo.core.ports import ChatModel
from recuerdo.core.words import normalize
from recuerdo.memories.extraction.gate import reads_like_an_order
from recuerdo.memories.maintenance.sentences import LONGEST_SUMMARY

if TYPE_CHECKING:
    from recuerdo.memories.locales.locale import ModelPrompts

_LONGEST_QUOTE = 2_000
_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


async def worded(model: ChatModel, former: str, messages: Sequence[Message]) -> str:
    """The model's summary of the previous summary and the messages; empty if nothing in it can be kept.

    Raises ModelUnavailable.
    """
    asked = Message.system(prompts_for([each.text for each in messages if each.role == "user"]).summarise)
    said = [quoted("summary", former)] * bool(former) + [quoted(each.role, each.text) for each in messages]
    pieces = [piece async for piece in model.stream([asked, Message.user("\n".join(said))])]
    text = "".join(pieces).replace("\0", " ").strip()[:LONGEST_SUMMARY]
    return "" if reads_like_an_order(text) else text


def quoted(role: str, text: str) -> str:
    """Return the text as a line of JSON, in which nothing looks like the end of a quotation."""
    return escaped({"role": role, "text": text[:_LONGEST_QUOTE]})


def escaped(data: Any) -> str:
    """Data as a line of JSON, in which nothing looks like the end of a quotation."""
    return msgspec.json.encode(data).decode().translate(_ESCAPES)


def prompts_for(texts: Sequence[str]) -> "ModelPrompts":
    """Return the model prompts in the most likely language of the texts, English if unclear."""
    from recuerdo.memories.locales.registry import LOCALES  # loads the words of all languages

    words = normalize(" ".join(text[:_LONGEST_QUOTE] for text in texts)).split()
    prompts = [locale.prompts for locale in sorted(LOCALES.values(), key=lambda locale: locale.code != "en")]
    return max(prompts, key=lambda each: sum(word in each.markers for word in words))
