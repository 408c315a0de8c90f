"""Test suites with the rules for every backend, to subclass. Install with: pip install 'recuerdo[testing]'

A contract is a class of pytest tests over fixtures; a backend is proven by a subclass that provides them:

    import pytest
    import pytest_asyncio
    from recuerdo.testing import HistoryContract, ThreadContract

    @pytest_asyncio.fixture
    async def database(tmp_path):
        async with SqliteDatabase.open(tmp_path / "recuerdo.db") as database:
            yield database

    class TestSqliteHistory(HistoryContract):
        @pytest.fixture
        def history(self, database):
            return SqliteHistory(database)

        @pytest.fixture
        def threads(self, database):
            return SqliteThreads(database)

| contract | fixtures |
|---|---|
| HistoryContract, ThreadContract | `history` and `threads`: the two repositories over the same data |
| MemoryContract | `memories`: a MemoryRepository |
| CheckpointContract | `checkpoints`: a CheckpointRepository |
| DocumentContract | `documents`: a DocumentRepository |
| DataKeyContract | `data_keys`: a DataKeyRepository |
| ApiKeyContract | `api_keys`: an ApiKeyRepository |
| AuditContract | `audit`: an AuditRepository |
| SessionContract | `sessions`: a SessionRepository |
| PassageContract | `passages`, and `history` and `threads` over the same data |
| CacheTierContract | `tier` and `other`: the CacheTiers of two replicas |
| ItemContract | `items`: an ItemRepository |
| LibraryContract | `library`: a LibraryRepository |
| SignalContract | `signals` and `other`: the Signals of two processes |
| EmbedderContract | `embedder`: an Embedder |
| TokenizerContract | `tokenizer`: a Tokenizer |
| ChatMemoryStoreContract | `store`: a ChatMemoryStore |
| ChatModelContract | `chat_model`: a ChatModel |

Every test acts as a new tenant, so fixtures may live as long as a session and share one server. The tests are async
and carry pytest-asyncio's marker; async fixtures want `pytest_asyncio.fixture`, as above.
`HistoryMachine` walks a history at random against a model made of plain lists; see its docstring.
"""

import pytest

pytest.register_assert_rewrite("recuerdo.testing.contracts", "recuerdo.testing.machine", "recuerdo.testing.model")

from recuerdo.testing.clock import FakeClock
from recuerdo.testing.contracts.access import ApiKeyContract, SessionContract
from recuerdo.testing.contracts.audit import AuditContract
from recuerdo.testing.contracts.caches import CacheTierContract
from recuerdo.testing.contracts.chat_memories import ChatMemoryStoreContract
from recuerdo.testing.contracts.checkpoints import CheckpointContract
from recuerdo.testing.contracts.data_keys import DataKeyContract
from recuerdo.testing.contracts.documents import DocumentContract
from recuerdo.testing.contracts.history import HistoryContract
from recuerdo.testing.contracts.items import ItemContract
from recuerdo.testing.contracts.library import LibraryContract
from recuerdo.testing.contracts.memories import MemoryContract
from recuerdo.testing.contracts.models import ChatModelContract, EmbedderContract, TokenizerContract
from recuerdo.testing.contracts.passages import PassageContract
from recuerdo.testing.contracts.signals import SignalContract
from recuerdo.testing.contracts.threads import ThreadContract
from recuerdo.testing.machine import HistoryMachine

__all__ = [
    "ApiKeyContract",
    "AuditContract",
    "CacheTierContract",
    "ChatMemoryStoreContract",
    "ChatModelContract",
    "CheckpointContract",
    "DataKeyContract",
    "DocumentContract",
    "EmbedderContract",
    "FakeClock",
    "HistoryContract",
    "HistoryMachine",
    "ItemContract",
    "LibraryContract",
    "MemoryContract",
    "PassageContract",
    "SessionContract",
    "SignalContract",
    "ThreadContract",
    "TokenizerContract",
]
