"""Long-term memory: facts about a user, across threads."""

from recuerdo.memories.memories import Memories
from recuerdo.memories.tenant import TenantMemory
from recuerdo.memories.user import UserMemory

__all__ = ["Memories", "TenantMemory", "UserMemory"]
