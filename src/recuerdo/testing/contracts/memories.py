"""The whole contract of a MemoryRepository."""

from recuerdo.testing.contracts.profiles import ProfileContract
from recuerdo.testing.contracts.searching import SearchContract
from recuerdo.testing.contracts.storing import StoreContract


class MemoryContract(StoreContract, ProfileContract, SearchContract):
    """Everything that a MemoryRepository must hold. Needs the fixture `memories`."""
