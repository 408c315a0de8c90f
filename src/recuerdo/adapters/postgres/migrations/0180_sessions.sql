-- Sessions of browsers and WebSockets. An id is unique over all tenants: it belongs to who began it.
CREATE TABLE recuerdo.sessions (
    session text COLLATE "C" NOT NULL PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL,
    "user" text COLLATE "C" NOT NULL,
    thread text COLLATE "C" NOT NULL,
    assistant text COLLATE "C" NOT NULL,
    began_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    stamp text NOT NULL
);

CREATE INDEX sessions_by_owner ON recuerdo.sessions (tenant, "user");
CREATE INDEX sessions_by_expiry ON recuerdo.sessions (expires_at);

ALTER TABLE recuerdo.sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.sessions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON recuerdo.sessions
    USING (tenant = ANY ((SELECT nullif(current_setting('recuerdo.tenants', true), '')::text[])::text[]));

-- Whose a session is, is asked before a tenant is known: whoever names an id sees its row, and may not change it.
CREATE POLICY holder ON recuerdo.sessions FOR SELECT
    USING (session = nullif(current_setting('recuerdo.session', true), ''));

-- Sweepers remove the expired ones of all tenants.
CREATE POLICY sweeper_sees ON recuerdo.sessions FOR SELECT
    USING (current_setting('recuerdo.sweeping', true) = 'true');
CREATE POLICY sweeper_removes ON recuerdo.sessions FOR DELETE
    USING (current_setting('recuerdo.sweeping', true) = 'true');
