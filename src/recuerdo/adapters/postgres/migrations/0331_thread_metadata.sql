-- What a program says of a thread, as JSON, and the fields that find it: digests of each value and of its place. They
-- stand in a table of their own, because row-level security keeps planners from the operators of GIN indexes.
ALTER TABLE recuerdo.threads ADD COLUMN metadata text NOT NULL DEFAULT '{}';
CREATE TABLE recuerdo.thread_fields (
    tenant text COLLATE "C" NOT NULL,
    "user" text COLLATE "C" NOT NULL,
    field bytea NOT NULL,
    thread text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, "user", field, thread)
);
CREATE INDEX thread_fields_of_thread ON recuerdo.thread_fields (tenant, "user", thread);

ALTER TABLE recuerdo.thread_fields ENABLE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.thread_fields FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON recuerdo.thread_fields
    USING (tenant = ANY ((SELECT nullif(current_setting('recuerdo.tenants', true), '')::text[])::text[]));
