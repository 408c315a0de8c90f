-- What LangGraph's stores keep. A namespace is one text, with a period behind each of its labels.
CREATE TABLE store_items (
    tenant TEXT NOT NULL,
    user TEXT NOT NULL, -- '' for the tenant's own
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL, -- JSON
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ttl REAL, -- minutes from the last write or read to the expiry
    expires_at INTEGER,
    PRIMARY KEY (tenant, user, namespace, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX store_items_by_expiry ON store_items (tenant, user, expires_at) WHERE expires_at IS NOT NULL;

-- What items are found by. The rows of a namespace lie together, so that comparing them all reads them in one go.
CREATE TABLE store_entries (
    tenant TEXT NOT NULL,
    user TEXT NOT NULL,
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    path TEXT NOT NULL, -- of the field
    words TEXT NOT NULL, -- '' where words are not searched
    vector BLOB NOT NULL, -- little-endian 32-bit floats, unit length; empty without an embedding
    PRIMARY KEY (tenant, user, namespace, key, path)
) STRICT, WITHOUT ROWID;
