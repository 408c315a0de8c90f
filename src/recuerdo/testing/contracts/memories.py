"""The whole contract of a MemoryRepository."""

from recuerdo.testing.contracts.holdings import HoldingsContract
from recuerdo.testing.contracts.ledgers import LedgerContract
from recuerdo.testing.contracts.profiles import ProfileContract
from recuerdo.testing.contracts.storing import StoreContract


class MemoryContract(StoreContract, ProfileContract, LedgerContract, HoldingsContract):
    """Everything that a MemoryRepository must hold. Needs the fixture `memories`."""
