CREATE TABLE recuerdo.api_keys (
    digest bytea NOT NULL PRIMARY KEY, -- SHA-256 of the secret, which is nowhere
    id text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    "user" text COLLATE "C" NOT NULL,
    name text NOT NULL,
    role text NOT NULL,
    tier text,
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    revoked_at timestamptz,
    UNIQUE (tenant, id)
);

CREATE INDEX api_keys_by_creation ON recuerdo.api_keys (tenant, created_at DESC, id);

ALTER TABLE recuerdo.api_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.api_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON recuerdo.api_keys
    USING (tenant = ANY ((SELECT nullif(current_setting('recuerdo.tenants', true), '')::text[])::text[]));

-- Whose a key is, is asked before a tenant is known: whoever names a digest sees its row, may not change it, and sees
-- no other.
CREATE POLICY holder ON recuerdo.api_keys FOR SELECT
    USING (digest = decode(nullif(current_setting('recuerdo.api_key', true), ''), 'hex'));
