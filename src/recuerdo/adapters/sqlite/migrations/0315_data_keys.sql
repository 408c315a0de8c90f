CREATE TABLE data_keys (
    tenant TEXT NOT NULL, -- '' is the installation itself
    number INTEGER NOT NULL,
    id TEXT NOT NULL UNIQUE, -- which ciphertexts name
    master TEXT NOT NULL, -- the id of the master key that wraps it
    wrapped BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, number)
) STRICT, WITHOUT ROWID;
