-- The idempotency keys of threads that were cleared or deleted, as digests: a late retry must not store again.
CREATE TABLE spent_keys (
    digest BLOB PRIMARY KEY,
    spent_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX spent_keys_by_time ON spent_keys (spent_at);
