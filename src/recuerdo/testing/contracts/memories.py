"""The whole contract of MemoryHoldings, a MemoryRepository that keeps what was changed and can be gone through."""

from recuerdo.testing.contracts.holdings import HoldingsContract
from recuerdo.testing.contracts.ledgers import LedgerContract
from recuerdo.testing.contracts.profiles import ProfileContract
from recuerdo.testing.contracts.searching import SearchContract
from recuerdo.testing.contracts.storing import StoreContract


class MemoryContract(StoreContract, ProfileContract, SearchContract, LedgerContract, HoldingsContract):
    """Everything that MemoryHoldings must hold. Needs the fixture `memories`."""
