-- The idempotency keys of threads that were cleared or deleted, as digests: a late retry must not store again.
CREATE TABLE recuerdo.spent_keys (
    tenant text COLLATE "C" NOT NULL,
    digest bytea NOT NULL,
    spent_at timestamptz NOT NULL,
    PRIMARY KEY (tenant, digest)
);

CREATE INDEX spent_keys_by_time ON recuerdo.spent_keys (spent_at);

ALTER TABLE recuerdo.spent_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.spent_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON recuerdo.spent_keys
    USING (tenant = ANY ((SELECT nullif(current_setting('recuerdo.tenants', true), '')::text[])::text[]));

-- Sweepers forget those of all tenants.
CREATE POLICY sweeper_sees ON recuerdo.spent_keys FOR SELECT
    USING (current_setting('recuerdo.sweeping', true) = 'true');
CREATE POLICY sweeper_forgets ON recuerdo.spent_keys FOR DELETE
    USING (current_setting('recuerdo.sweeping', true) = 'true');

-- Each part but the last stands behind its length, so that no two keys have the same digest.
CREATE FUNCTION recuerdo.spent_digest("user" text, thread text, key text) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT sha256(convert_to(length("user") || ':' || "user" || length(thread) || ':' || thread || key, 'UTF8'))
$$;
