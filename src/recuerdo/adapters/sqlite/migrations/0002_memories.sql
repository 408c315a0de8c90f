CREATE TABLE memories (
    tenant TEXT NOT NULL,
    user TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    attribute TEXT,
    value TEXT,
    text TEXT NOT NULL,
    source TEXT NOT NULL, -- JSON
    trust REAL NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    embedder TEXT, -- the model that made the vector
    vector BLOB, -- little-endian 32-bit floats, unit length
    PRIMARY KEY (tenant, user, id)
) STRICT, WITHOUT ROWID;
