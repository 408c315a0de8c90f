-- A session's id is unique in its tenant: nobody finds out which ids another tenant uses, or takes one from it.
ALTER TABLE sessions RENAME TO old_sessions;

CREATE TABLE sessions (
    tenant TEXT NOT NULL,
    session TEXT NOT NULL,
    user TEXT NOT NULL,
    thread TEXT NOT NULL,
    assistant TEXT NOT NULL,
    began_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    stamp TEXT NOT NULL,
    PRIMARY KEY (tenant, session)
) STRICT, WITHOUT ROWID;

INSERT INTO sessions (tenant, session, user, thread, assistant, began_at, expires_at, stamp)
SELECT tenant, session, user, thread, assistant, began_at, expires_at, stamp FROM old_sessions;
DROP TABLE old_sessions;

CREATE INDEX sessions_by_owner ON sessions (tenant, user);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);
