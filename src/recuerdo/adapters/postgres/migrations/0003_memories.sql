-- pgvector, where it can be had, makes likeness quick; without it the same function is plain SQL.
DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS vector;
EXCEPTION WHEN OTHERS THEN
    RAISE NOTICE 'pgvector is not to be had here (%): memories are compared without it', SQLERRM;
END
$$;

CREATE TABLE recuerdo.memories (
    tenant text COLLATE "C" NOT NULL,
    "user" text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    attribute text,
    value text,
    text text NOT NULL,
    source text NOT NULL, -- JSON
    trust double precision NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    embedder text, -- the model that made the vector
    vector real[], -- unit length, of as many dimensions as the model has
    PRIMARY KEY (tenant, "user", id)
);

CREATE INDEX memories_by_creation ON recuerdo.memories (tenant, "user", created_at DESC, id);

ALTER TABLE recuerdo.memories ENABLE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.memories FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON recuerdo.memories
    USING (tenant = ANY ((SELECT nullif(current_setting('recuerdo.tenants', true), '')::text[])::text[]));
