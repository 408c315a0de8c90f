CREATE TABLE memories (
    tenant TEXT NOT NULL,
    user TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    attribute TEXT,
    created_at INTEGER NOT NULL,
    body BLOB NOT NULL, -- the memory as JSON
    embedder TEXT, -- the model that made the vector
    vector BLOB, -- little-endian 32-bit floats, unit length
    PRIMARY KEY (tenant, user, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX memories_by_time ON memories (tenant, user, created_at DESC, id DESC);
