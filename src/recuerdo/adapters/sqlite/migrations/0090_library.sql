-- Documents that agents look things up in, and their chunks.
CREATE TABLE library_documents (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    body TEXT NOT NULL, -- JSON
    PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE document_chunks (
    tenant TEXT NOT NULL,
    document TEXT NOT NULL,
    number INTEGER NOT NULL,
    body TEXT NOT NULL, -- JSON
    model TEXT, -- whose the vector is
    vector BLOB,
    PRIMARY KEY (tenant, document, number)
) STRICT;

CREATE TABLE library_versions (
    tenant TEXT NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
