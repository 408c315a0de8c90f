"""MongoDB, alone or as a replica set: no transactions, one document a thread decides everything.

**The thread's document is the truth.** It holds the epoch, the last seq, the revision, the title, the counts and which
seqs are archived, and every change of a thread is one compare-and-set of it: the filter names epoch, last seq and
revision as they were read, which no thread ever has twice. Whoever comes second matches nothing, reads again and
decides again.

**An append is such a change.** Its messages lie inside the update, as the document's `latest`: what makes them visible
is what stores them, so that no reader sees half of them, and a writer that is killed earlier has left nothing at
all. Behind the commit they are moved: inserted into `messages`, which is indexed, and then taken out of `latest`.

    at rest:        thread {last_seq: 7}                     messages 1..7
    committed:      thread {last_seq: 9, latest: [8, 9]}     messages 1..7
    being moved:    thread {last_seq: 9, latest: [8, 9]}     messages 1..8
    at rest:        thread {last_seq: 9}                     messages 1..9

There is no other state, and none blocks anybody:

- `messages` has only what was committed. A stored message never changes, and its unique seq lets anybody insert it
  again without effect. So whoever finds a `latest` that nobody moves, moves it, and only then commits his own over it.
- A slow writer that wakes up finds another head and fails, or inserts what is there already.
- Readers take seqs up to the last one of the document that they read, from `messages` and from `latest`; the rest
  has not happened for them. They never write.
- To clear or to delete is to change the epoch; the old one's messages are removed behind that. A reader looks at the
  epoch once more when it is done, and reads again if it has changed. Who moved messages into an epoch that has ended
  meanwhile removes them; if he dies in between, the mark in `erasing` tells the next sweep to (see `threads.py`).
- A fork fills an epoch that is marked for erasing, and one change takes the mark away and lets the thread begin.
"""

from recuerdo.adapters.mongodb.access import MongoApiKeys, MongoSessions, MongoUsers
from recuerdo.adapters.mongodb.audit import MongoAudit
from recuerdo.adapters.mongodb.connection import MongoDatabase
from recuerdo.adapters.mongodb.data_keys import MongoDataKeys
from recuerdo.adapters.mongodb.history import MongoHistory
from recuerdo.adapters.mongodb.memories import MongoMemories
from recuerdo.adapters.mongodb.threads import MongoThreads, sweep

__all__ = [
    "MongoApiKeys",
    "MongoAudit",
    "MongoDataKeys",
    "MongoDatabase",
    "MongoHistory",
    "MongoMemories",
    "MongoSessions",
    "MongoThreads",
    "MongoUsers",
    "sweep",
]
