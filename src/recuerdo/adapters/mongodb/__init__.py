"""MongoDB, alone or as a replica set: for histories no transactions, one document a thread decides everything.

**The thread's document is the truth.** It holds the epoch, the last seq, the revision, the title, the counts and which
seqs are archived, and every change of a thread is one compare-and-set of it: the filter names epoch, last seq and
revision as they were read, which no thread ever has twice. The second writer matches nothing, reads again and
decides again.

**An append is such a change.** Its messages are part of the update, as the document's `latest`: the same change stores
them and makes them visible, so that no reader sees half of them, and a writer that is killed earlier leaves nothing.
After the commit they are moved: inserted into `messages`, which is indexed, and then taken out of `latest`.

    at rest:        thread {last_seq: 7}                     messages 1..7
    committed:      thread {last_seq: 9, latest: [8, 9]}     messages 1..7
    being moved:    thread {last_seq: 9, latest: [8, 9]}     messages 1..8
    at rest:        thread {last_seq: 9}                     messages 1..9

There is no other state, and none blocks another process:

- `messages` has committed messages only. A message never changes, but for the vector that searches make of it, and
  because of its unique seq it can be inserted again without effect. So a writer that finds an unmoved `latest` moves it
  before it commits its own.
- A slow writer that wakes up finds another head and fails, or inserts messages that are there already.
- Readers take seqs up to the last one of the document that they read, from `messages` and from `latest`; the rest
  has not happened for them. They never write.
- To clear or to delete is to change the epoch; the old one's messages are removed after that. A reader checks the
  epoch again when it is done, and reads again if it has changed. A writer that moved messages into an epoch that has
  ended meanwhile removes them; if it dies in between, the next sweep does, by the mark in `erasing` (`threads.py`).
- A fork fills an epoch that is marked for erasing, and one change takes the mark away and lets the thread begin.

Groups of assistants, runs and actions are changed alike (`documents.py`). Checkpoints and whatever else consists of
many documents are changed in transactions where the server has some (`transactions.py`).
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from recuerdo.adapters.mongodb.access import MongoApiKeys, MongoSessions, MongoUsers
from recuerdo.adapters.mongodb.audit import MongoAudit
from recuerdo.adapters.mongodb.checkpoints import MongoCheckpoints
from recuerdo.adapters.mongodb.connection import MongoDatabase
from recuerdo.adapters.mongodb.data_keys import MongoDataKeys
from recuerdo.adapters.mongodb.documents import MongoDocuments
from recuerdo.adapters.mongodb.history import MongoHistory
from recuerdo.adapters.mongodb.items import MongoItems
from recuerdo.adapters.mongodb.library import MongoLibrary
from recuerdo.adapters.mongodb.memories import MongoMemories
from recuerdo.adapters.mongodb.passages import MongoPassages
from recuerdo.adapters.mongodb.signals import MongoSignals
from recuerdo.adapters.mongodb.texts import MongoTexts
from recuerdo.adapters.mongodb.threads import MongoThreads, sweep
from recuerdo.adapters.repositories import Repositories


@asynccontextmanager
async def opened(url: str) -> AsyncGenerator[Repositories]:
    """The repositories over the database."""
    async with (
        MongoDatabase.open(url) as database,
        MongoSignals(database).opened() as signals,
    ):
        await sweep(database)
        yield Repositories(
            MongoHistory(database),
            MongoThreads(database),
            MongoMemories(database),
            MongoCheckpoints(database),
            documents=MongoDocuments(database, signals),
            api_keys=MongoApiKeys(database),
            passages=MongoPassages(database),
            items=MongoItems(database),
            library=MongoLibrary(database),
            signals=signals,
            sessions=MongoSessions(database),
            users=MongoUsers(database),
            audit=MongoAudit(database),
            data_keys=MongoDataKeys(database),
            texts=MongoTexts(database),
        )
