ALTER TABLE recuerdo.memories
    ADD COLUMN status text NOT NULL DEFAULT 'approved',
    ADD COLUMN review text, -- JSON: who decided over the status
    ADD COLUMN valid_from timestamptz, -- none: since created_at
    ADD COLUMN valid_until timestamptz,
    ADD COLUMN ending text, -- JSON: why it holds no longer
    ADD COLUMN expires_at timestamptz,
    ADD COLUMN refresh bigint; -- seconds that a use puts the expiry off

CREATE INDEX memories_by_expiry ON recuerdo.memories (expires_at) WHERE expires_at IS NOT NULL;

-- Where an owner's memories stand; the row outlives an erasure, so that nobody who looked before can write.
CREATE TABLE recuerdo.memory_owners (
    tenant text COLLATE "C" NOT NULL,
    "user" text COLLATE "C" NOT NULL,
    epoch bigint NOT NULL,
    version bigint NOT NULL,
    PRIMARY KEY (tenant, "user")
);

CREATE TABLE recuerdo.memory_changes (
    tenant text COLLATE "C" NOT NULL,
    "user" text COLLATE "C" NOT NULL,
    version bigint NOT NULL, -- of the owner's memories behind the change
    place integer NOT NULL, -- of the entry in the change
    memory text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL,
    action text NOT NULL,
    undoes bigint,
    undone boolean NOT NULL DEFAULT false,
    before text, -- JSON: the memory as it was
    after text,
    PRIMARY KEY (tenant, "user", version, place)
);

CREATE INDEX memory_changes_by_memory ON recuerdo.memory_changes (tenant, "user", memory, version);

ALTER TABLE recuerdo.memory_owners ENABLE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.memory_owners FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON recuerdo.memory_owners
    USING (tenant = ANY ((SELECT nullif(current_setting('recuerdo.tenants', true), '')::text[])::text[]));

ALTER TABLE recuerdo.memory_changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.memory_changes FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON recuerdo.memory_changes
    USING (tenant = ANY ((SELECT nullif(current_setting('recuerdo.tenants', true), '')::text[])::text[]));
