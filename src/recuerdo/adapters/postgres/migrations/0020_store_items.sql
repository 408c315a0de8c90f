-- What LangGraph's stores keep. A namespace is one text, with a period behind each of its labels.
CREATE TABLE recuerdo.store_items (
    tenant text COLLATE "C" NOT NULL,
    "user" text COLLATE "C" NOT NULL, -- '' for the tenant's own
    namespace text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    value text NOT NULL, -- JSON; as a text it comes back byte by byte
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    ttl double precision, -- minutes from the last write or read to the expiry
    expires_at timestamptz,
    PRIMARY KEY (tenant, "user", namespace, key)
);

CREATE INDEX store_items_by_expiry ON recuerdo.store_items (tenant, "user", expires_at) WHERE expires_at IS NOT NULL;

-- What items are found by. Vectors have unit length, so that their inner product is the cosine.
CREATE TABLE recuerdo.store_entries (
    tenant text COLLATE "C" NOT NULL,
    "user" text COLLATE "C" NOT NULL,
    namespace text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    path text COLLATE "C" NOT NULL, -- of the field
    expires_at timestamptz, -- the item's
    words text NOT NULL, -- '' where words are not searched
    lexemes tsvector GENERATED ALWAYS AS (nullif(to_tsvector('simple'::regconfig, words), '')) STORED,
    dims int NOT NULL, -- 0 without an embedding
    PRIMARY KEY (tenant, "user", namespace, key, path),
    FOREIGN KEY (tenant, "user", namespace, key) REFERENCES recuerdo.store_items ON DELETE CASCADE
);

ALTER TABLE recuerdo.store_items ENABLE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.store_items FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON recuerdo.store_items
    USING (tenant = ANY ((SELECT nullif(current_setting('recuerdo.tenants', true), '')::text[])::text[]));

ALTER TABLE recuerdo.store_entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.store_entries FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON recuerdo.store_entries
    USING (tenant = ANY ((SELECT nullif(current_setting('recuerdo.tenants', true), '')::text[])::text[]));

-- With pgvector a vector is one, and each usual number of dimensions has an index; without it vectors are arrays, and
-- all of a namespace are compared.
DO $$
DECLARE
    place text;
    dims int;
BEGIN
    SELECT quote_ident(n.nspname) INTO place FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace
    WHERE e.extname = 'vector';
    IF place IS NULL THEN
        ALTER TABLE recuerdo.store_entries ADD COLUMN vector real[];
        RETURN;
    END IF;
    EXECUTE format('ALTER TABLE recuerdo.store_entries ADD COLUMN vector %s.vector', place);
    -- A vector of 512 numbers would be moved out of its row, and every comparison would fetch it from there.
    ALTER TABLE recuerdo.store_entries ALTER COLUMN vector SET STORAGE MAIN, SET (toast_tuple_target = 8160);
    FOREACH dims IN ARRAY ARRAY[128, 256, 384, 512, 768, 1024, 1536] LOOP
        EXECUTE format(
            'CREATE INDEX store_entries_near_%1$s ON recuerdo.store_entries
             USING hnsw ((vector::%2$s.vector(%1$s)) %2$s.vector_ip_ops) WITH (ef_construction = 128) WHERE dims = %1$s',
            dims, place
        );
    END LOOP;
END
$$;
