-- Assistants, threads, runs and schedules of the LangGraph API: JSON, and what finds it.
CREATE TABLE documents (
    tenant TEXT NOT NULL,
    user TEXT NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    family TEXT NOT NULL, -- what it is changed together with: a run's thread
    open INTEGER NOT NULL,
    due INTEGER, -- when somebody has to look at it again
    body TEXT NOT NULL,
    PRIMARY KEY (tenant, user, kind, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX documents_by_family ON documents (tenant, user, family);
CREATE INDEX documents_open ON documents (tenant, user, family) WHERE open;
CREATE INDEX documents_due ON documents (kind, due) WHERE due IS NOT NULL;
