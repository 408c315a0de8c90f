"""ChatGPT's export: an archive with `conversations.json`, a list of trees of messages, or parts of it with numbers.

A tree branches where a message was edited or a reply made again. The branch that the user saw last goes from
`current_node` to the root.
"""

import re
from typing import Any

import msgspec

from recuerdo.core.messages import Message, Role
from recuerdo.integrations.exports.shapes import (
    ExportedConversation,
    ForeignExport,
    ReadingOptions,
    at_second,
    read_json,
    said,
    unpacked,
)

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant"}
_WORDS = ("text", "multimodal_text")
_CITED = re.compile("\ue200[^\ue201]*\ue201")
"""A reference to a page that was searched, which the app shows as a link."""


class _Author(msgspec.Struct):
    role: str


class _Content(msgspec.Struct):
    content_type: str = "text"
    parts: list[Any] | None = None


class _ChatMessage(msgspec.Struct):
    id: str
    author: _Author
    content: _Content
    create_time: float | None = None
    recipient: str | None = None
    metadata: dict[str, Any] | None = None

    @property
    def text(self) -> str:
        """The words, without anything that the user was not shown."""
        hidden = (self.metadata or {}).get("is_visually_hidden_from_conversation")
        if self.author.role not in _ROLES or hidden or self.recipient not in (None, "all"):
            return ""
        if self.content.content_type not in _WORDS:
            return ""
        return _CITED.sub("", "\n".join(filter(None, map(_words, self.content.parts or ())))).strip()


def _words(part: Any) -> str:
    """The words of a part: written, or spoken to the app, which writes them down. Others are media."""
    match part:
        case str() | {"content_type": "audio_transcription", "text": str()}:
            return part if isinstance(part, str) else part["text"]
        case _:
            return ""


class _ChatNode(msgspec.Struct):
    message: _ChatMessage | None = None
    parent: str | None = None


class _ChatTree(msgspec.Struct):
    mapping: dict[str, _ChatNode]
    title: str | None = None
    create_time: float | None = None
    current_node: str | None = None
    conversation_id: str | None = None
    id: str | None = None


def read(data: bytes, name: str, reading: ReadingOptions) -> ForeignExport:
    """See read_export."""
    parts = unpacked(data, "conversations.json", "conversations-*.json")
    trees = [tree for part in parts for tree in read_json(part, list[_ChatTree])]
    skipped = 0
    conversations: list[ExportedConversation] = []
    for number, tree in enumerate(trees):
        way = _way(tree)
        spoken = [message for message in way if message.text]
        skipped += len(way) - len(spoken)
        conversation = tree.conversation_id or tree.id or str(number)
        at = at_second(tree.create_time)
        messages: list[Message] = []
        for message in spoken:
            at = at_second(message.create_time) or at
            about = {"service": "chatgpt", "conversation": conversation}
            messages.append(said(_ROLES[message.author.role], message.text, message.id, at, **about))
        if messages:
            conversations.append(ExportedConversation(conversation, tree.title or "", messages))
    return ForeignExport(conversations, skipped=skipped)


def _way(tree: _ChatTree) -> list[_ChatMessage]:
    """The messages from the root to the current node. A circle, which a broken file may have, is gone round once."""
    at = tree.current_node or next(reversed(tree.mapping), None)
    way: list[_ChatMessage] = []
    seen: set[str] = set()
    while at is not None and at not in seen and (node := tree.mapping.get(at)) is not None:
        seen.add(at)
        if node.message is not None:
            way.append(node.message)
        at = node.parent
    return way[::-1]
