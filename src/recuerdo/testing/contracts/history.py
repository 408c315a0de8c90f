"""The whole contract of a HistoryRepository."""

from recuerdo.testing.contracts.appends import AppendContract
from recuerdo.testing.contracts.archiving import ArchiveContract
from recuerdo.testing.contracts.contents import ContentContract
from recuerdo.testing.contracts.heads import HeadContract
from recuerdo.testing.contracts.isolation import IsolationContract
from recuerdo.testing.contracts.pages import PageContract
from recuerdo.testing.contracts.retries import RetryContract
from recuerdo.testing.contracts.tails import TailContract


class HistoryContract(
    AppendContract,
    RetryContract,
    ContentContract,
    PageContract,
    TailContract,
    HeadContract,
    ArchiveContract,
    IsolationContract,
):
    """Everything that a HistoryRepository must hold. Needs the fixtures `history` and `threads`."""
