-- Assistants, threads, runs and schedules of the LangGraph API. `about` is what finds a document: its body without what
-- is large, and without the NUL characters that jsonb can't hold.
CREATE TABLE recuerdo.documents (
    tenant text COLLATE "C" NOT NULL,
    "user" text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    family text COLLATE "C" NOT NULL, -- what it is changed together with: a run's thread
    open boolean NOT NULL,
    due timestamptz, -- when somebody has to look at it again
    body text NOT NULL, -- JSON
    about jsonb NOT NULL,
    PRIMARY KEY (tenant, "user", kind, id)
);

CREATE INDEX documents_by_family ON recuerdo.documents (tenant, "user", family);
CREATE INDEX documents_open ON recuerdo.documents (tenant, "user", family) WHERE open;
CREATE INDEX documents_due ON recuerdo.documents (kind, due) WHERE due IS NOT NULL;

ALTER TABLE recuerdo.documents ENABLE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.documents FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON recuerdo.documents
    USING (tenant = ANY ((SELECT nullif(current_setting('recuerdo.tenants', true), '')::text[])::text[]));
-- Whoever executes runs looks for what is due, of all tenants; to change it he has to name the tenant.
CREATE POLICY sweeper ON recuerdo.documents FOR SELECT
    USING (due IS NOT NULL AND current_setting('recuerdo.sweeping', true) = 'true');
