-- Who did what. Entries are added, read, and removed when their time is over; nobody changes one.
CREATE TABLE audit (
    tenant TEXT NOT NULL, -- '' for what is of none
    at INTEGER NOT NULL,
    id TEXT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    body TEXT NOT NULL, -- JSON
    PRIMARY KEY (tenant, at, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_by_time ON audit (at);

CREATE TRIGGER audit_stays BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'entries of the audit log are not changed');
END;
