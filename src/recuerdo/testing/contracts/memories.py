"""The whole contract of a MemoryLedger, which is a MemoryRepository that keeps what was changed."""

from recuerdo.testing.contracts.ledgers import LedgerContract
from recuerdo.testing.contracts.profiles import ProfileContract
from recuerdo.testing.contracts.searching import SearchContract
from recuerdo.testing.contracts.storing import StoreContract


class MemoryContract(StoreContract, ProfileContract, SearchContract, LedgerContract):
    """Everything that a MemoryLedger must hold. Needs the fixture `memories`."""
