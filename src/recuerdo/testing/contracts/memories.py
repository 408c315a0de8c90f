"""The whole contract of a MemoryRepository."""

from recuerdo.testing.contracts.searching import SearchContract
from recuerdo.testing.contracts.storing import StoreContract


class MemoryContract(StoreContract, SearchContract):
    """Everything that a MemoryRepository must hold. Needs the fixture `memories`."""
