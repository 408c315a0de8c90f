-- Epochs are never reused: not after a clear, not after a delete.
CREATE TABLE counters (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO counters (name, value) VALUES ('epoch', 0);

-- A deleted thread stays as a tombstone, so that a late write can't take it for a new one.
CREATE TABLE threads (
    tenant TEXT NOT NULL,
    user TEXT NOT NULL,
    thread TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    revision INTEGER NOT NULL DEFAULT 0, -- counts the times that messages were archived or taken back
    title TEXT NOT NULL,
    created_at INTEGER NOT NULL, -- microseconds since 1970, UTC, as all times here
    updated_at INTEGER NOT NULL,
    deleted INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, user, thread)
) STRICT, WITHOUT ROWID;

CREATE INDEX threads_by_update ON threads (tenant, user, updated_at DESC, thread) WHERE NOT deleted;

-- An epoch belongs to one thread, so it stands for tenant, user and thread.
CREATE TABLE messages (
    epoch INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    id TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    archived INTEGER NOT NULL DEFAULT 0,
    body BLOB NOT NULL, -- the message as JSON, without seq and archived
    PRIMARY KEY (epoch, seq)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX messages_by_id ON messages (epoch, id);
CREATE INDEX messages_system ON messages (epoch, seq) WHERE role = 'system';

CREATE TABLE idempotency_keys (
    epoch INTEGER NOT NULL,
    key TEXT NOT NULL,
    fingerprint BLOB NOT NULL,
    first_seq INTEGER NOT NULL,
    ids TEXT NOT NULL, -- a JSON array
    PRIMARY KEY (epoch, key)
) STRICT, WITHOUT ROWID;
