CREATE TABLE recuerdo.data_keys (
    tenant text COLLATE "C" NOT NULL, -- '' is the installation itself
    number bigint NOT NULL,
    id text COLLATE "C" NOT NULL UNIQUE, -- which ciphertexts name
    master text NOT NULL, -- the id of the master key that wraps it
    wrapped bytea NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (tenant, number)
);

ALTER TABLE recuerdo.data_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.data_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON recuerdo.data_keys
    USING (tenant = ANY ((SELECT nullif(current_setting('recuerdo.tenants', true), '')::text[])::text[]));
