"""Memories as the tools of all integrations show them to models, and a check of what models save."""

from typing import Any

import msgspec

from recuerdo.core.errors import InvalidInput
from recuerdo.core.memories import Memory
from recuerdo.core.scope import TenantOwner
from recuerdo.memories.extraction.gate import reads_like_an_order

_TOLD = ("id", "text", "kind", "attribute", "value", "created_at")


def check_no_order(text: str) -> None:
    """Raises InvalidInput for what a model would save, and other models would obey."""
    if reads_like_an_order(text):
        raise InvalidInput("text", "reads like an order to an assistant and not like something about the user")


def memory_as_json(memory: Memory, *more: str) -> dict[str, Any]:
    """The memory as JSON for a model, with these fields besides."""
    told = {name: getattr(memory, name) for name in (*_TOLD, *more)}
    return msgspec.to_builtins(told | {"shared": isinstance(memory.owner, TenantOwner)})
