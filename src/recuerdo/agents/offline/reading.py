"""How the offline model reads a prompt."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from recuerdo.agents.offline.conversation import EarlierMessage, OfflinePrompt
from recuerdo.agents.offline.words import LONGEST
from recuerdo.agents.prompts import quoted_documents, recalled_memories
from recuerdo.core.messages import Role

_LONGEST_TURN = 4_000


class PromptMessage(NamedTuple):
    """One message of a prompt; `said_at` is None when the prompt does not tell."""

    role: Role
    text: str
    said_at: datetime | None = None


def read(prompt: Sequence[PromptMessage]) -> OfflinePrompt:
    """What a prompt holds: the last message of the user is the current one, what stands before it is the history."""
    current = max((index for index, entry in enumerate(prompt) if entry.role == "user"), default=len(prompt))
    turns = (_turn(entry) for entry in prompt[:current])
    instructions = next((entry.text for entry in prompt if entry.role == "system"), "")
    return OfflinePrompt(
        message=prompt[current].text[:LONGEST] if current < len(prompt) else "",
        turns=[turn for turn in turns if turn is not None and turn.text.strip()],
        memories=recalled_memories(instructions),
        documents=[each.text for each in quoted_documents(instructions)],
    )


def _turn(entry: PromptMessage) -> EarlierMessage | None:
    if entry.role == "user" or entry.role == "assistant":
        return EarlierMessage(entry.role, entry.text[:_LONGEST_TURN], entry.said_at)
    return None
