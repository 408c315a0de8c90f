CREATE TABLE api_keys (
    digest BLOB NOT NULL PRIMARY KEY, -- SHA-256 of the secret, which is nowhere
    id TEXT NOT NULL,
    tenant TEXT NOT NULL,
    user TEXT NOT NULL,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    tier TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX api_keys_by_id ON api_keys (tenant, id);
CREATE INDEX api_keys_by_creation ON api_keys (tenant, created_at DESC, id);
