"""Claude's export: an archive with `conversations.json`, a list of conversations with their messages in order."""

import msgspec

from recuerdo.core.messages import Message, Role
from recuerdo.integrations.exports.shapes import (
    ExportedConversation,
    ForeignExport,
    ReadingOptions,
    at_text,
    read_json,
    said,
    unpacked,
)

_ROLES: dict[str, Role] = {"human": "user", "user": "user", "assistant": "assistant"}


class _ClaudeBlock(msgspec.Struct):
    type: str = ""
    text: str | None = None


class _ClaudeMessage(msgspec.Struct):
    uuid: str
    sender: str
    text: str | None = None
    content: list[_ClaudeBlock] | None = None
    created_at: str | None = None

    @property
    def words(self) -> str:
        """The words: the blocks of text, or in older exports `text`. Thoughts and calls of tools are neither."""
        blocks = [block.text for block in self.content or () if block.type == "text" and block.text]
        return ("\n\n".join(blocks) or self.text or "").strip()


class _ClaudeConversation(msgspec.Struct):
    uuid: str
    chat_messages: list[_ClaudeMessage]
    name: str | None = None
    created_at: str | None = None


def read(data: bytes, name: str, reading: ReadingOptions) -> ForeignExport:
    """See read_export."""
    parts = unpacked(data, "conversations.json")
    found = [each for part in parts for each in read_json(part, list[_ClaudeConversation])]
    skipped = 0
    conversations: list[ExportedConversation] = []
    for each in found:
        at = at_text(each.created_at)
        messages: list[Message] = []
        for message in each.chat_messages:
            at = at_text(message.created_at) or at
            role, words = _ROLES.get(message.sender), message.words
            if role is None or not words:
                skipped += 1
                continue
            messages.append(said(role, words, message.uuid, at, service="claude", conversation=each.uuid))
        if messages:
            conversations.append(ExportedConversation(each.uuid, each.name or "", messages))
    return ForeignExport(conversations, skipped=skipped)
