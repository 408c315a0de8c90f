-- A thread's checkpoints. Its key stands for tenant, user and thread, and is never reused: not after a delete.
CREATE TABLE checkpoint_threads (
    tenant TEXT NOT NULL,
    user TEXT NOT NULL,
    thread TEXT NOT NULL,
    key INTEGER NOT NULL,
    sweeps INTEGER NOT NULL DEFAULT 0, -- counts the times that something was taken away
    PRIMARY KEY (tenant, user, thread)
) STRICT, WITHOUT ROWID;

INSERT INTO counters (name, value) VALUES ('checkpoints', 0);

-- Wide rows have a rowid, for SQLite would move what is longer than a quarter of a page to pages of its own.
CREATE TABLE checkpoints (
    key INTEGER NOT NULL,
    namespace TEXT NOT NULL,
    id TEXT NOT NULL,
    parent TEXT NOT NULL, -- empty for the first one
    run TEXT NOT NULL, -- empty when it is not known
    body BLOB NOT NULL,
    metadata BLOB NOT NULL,
    PRIMARY KEY (key, namespace, id)
) STRICT;

CREATE INDEX checkpoints_by_run ON checkpoints (run, key) WHERE run <> '';

CREATE TABLE checkpoint_writes (
    key INTEGER NOT NULL,
    namespace TEXT NOT NULL,
    checkpoint TEXT NOT NULL,
    task TEXT NOT NULL,
    place INTEGER NOT NULL, -- below 0 for those that may be written again
    path TEXT NOT NULL,
    channel TEXT NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (key, namespace, checkpoint, task, place)
) STRICT, WITHOUT ROWID;

-- The elements of lists, in logs that only grow; a segment without data was swept, and keeps its positions taken.
CREATE TABLE checkpoint_segments (
    key INTEGER NOT NULL,
    log TEXT NOT NULL,
    start INTEGER NOT NULL,
    size INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (key, log, start)
) STRICT;

-- Other large values, once for all checkpoints of a thread that have them.
CREATE TABLE checkpoint_values (
    key INTEGER NOT NULL,
    digest BLOB NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (key, digest)
) STRICT;
