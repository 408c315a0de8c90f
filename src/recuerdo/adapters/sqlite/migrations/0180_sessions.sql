-- Sessions of browsers and WebSockets. An id is unique over all tenants: it belongs to who began it.
CREATE TABLE sessions (
    session TEXT NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL,
    user TEXT NOT NULL,
    thread TEXT NOT NULL,
    assistant TEXT NOT NULL,
    began_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    stamp TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_owner ON sessions (tenant, user);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);
