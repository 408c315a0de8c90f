"""Long-term memory: facts about a user, across threads."""

from recuerdo.memories.memories import Memories
from recuerdo.memories.user import TenantMemory, UserMemory

__all__ = ["Memories", "TenantMemory", "UserMemory"]
