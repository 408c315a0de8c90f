"""The whole contract of a ThreadRepository."""

from recuerdo.testing.contracts.changes import ChangeContract
from recuerdo.testing.contracts.erasing import EraseContract
from recuerdo.testing.contracts.forks import ForkContract
from recuerdo.testing.contracts.listing import ListContract
from recuerdo.testing.contracts.owners import OwnerContract


class ThreadContract(ListContract, EraseContract, ForkContract, ChangeContract, OwnerContract):
    """Everything that a ThreadRepository must hold. Needs the fixtures `history` and `threads`."""
