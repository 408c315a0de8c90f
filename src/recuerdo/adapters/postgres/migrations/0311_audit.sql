-- Who did what. Entries are added, read, and removed when their time is over; nobody changes one.
CREATE TABLE recuerdo.audit (
    tenant text COLLATE "C" NOT NULL, -- '' for what is of none
    at timestamptz NOT NULL,
    id text COLLATE "C" NOT NULL,
    actor text COLLATE "C" NOT NULL,
    action text COLLATE "C" NOT NULL,
    body text NOT NULL, -- JSON
    PRIMARY KEY (tenant, at, id)
);

CREATE INDEX audit_by_time ON recuerdo.audit (at);

ALTER TABLE recuerdo.audit ENABLE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.audit FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON recuerdo.audit
    USING (tenant = ANY ((SELECT nullif(current_setting('recuerdo.tenants', true), '')::text[])::text[]));

CREATE FUNCTION recuerdo.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'entries of the audit log are not changed';
END
$$;
CREATE TRIGGER audit_stays BEFORE UPDATE ON recuerdo.audit FOR EACH ROW EXECUTE FUNCTION recuerdo.refuse_change();
