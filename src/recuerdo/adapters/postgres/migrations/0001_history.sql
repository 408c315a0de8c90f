-- Epochs are never reused: not after a clear, not after a delete.
CREATE SEQUENCE recuerdo.epochs;

-- All keys begin with the tenant, so that the tables can be partitioned by it. Ids compare by their bytes, everywhere
-- alike. A deleted thread stays as a tombstone, so that a late write can't take it for a new one.
CREATE TABLE recuerdo.threads (
    tenant text COLLATE "C" NOT NULL,
    "user" text COLLATE "C" NOT NULL,
    thread text COLLATE "C" NOT NULL,
    epoch bigint NOT NULL,
    last_seq bigint NOT NULL,
    revision bigint NOT NULL DEFAULT 0, -- counts the times that messages were archived or taken back
    title text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted boolean NOT NULL DEFAULT false,
    changed xid8 NOT NULL DEFAULT pg_current_xact_id(), -- the transaction that changed it last
    PRIMARY KEY (tenant, "user", thread)
);

CREATE INDEX threads_by_update ON recuerdo.threads (tenant, "user", updated_at DESC, thread) WHERE NOT deleted;
CREATE INDEX threads_by_change ON recuerdo.threads (changed);

-- An epoch belongs to one thread, so it stands for user and thread.
CREATE TABLE recuerdo.messages (
    tenant text COLLATE "C" NOT NULL,
    epoch bigint NOT NULL,
    seq bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    role text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    archived boolean NOT NULL DEFAULT false,
    body text NOT NULL, -- the message as JSON, without seq and archived; as a text it comes back byte by byte
    PRIMARY KEY (tenant, epoch, seq),
    UNIQUE (tenant, epoch, id)
);

CREATE INDEX messages_system ON recuerdo.messages (tenant, epoch, seq) WHERE role = 'system';

CREATE TABLE recuerdo.idempotency_keys (
    tenant text COLLATE "C" NOT NULL,
    epoch bigint NOT NULL,
    key text COLLATE "C" NOT NULL,
    fingerprint bytea NOT NULL,
    first_seq bigint NOT NULL,
    count bigint NOT NULL, -- of the messages from first_seq on
    PRIMARY KEY (tenant, epoch, key)
);

-- A transaction sees and writes the tenants that it has named, and nothing when it has named none. (What it sets for
-- itself is '' and not NULL once it is over.)
ALTER TABLE recuerdo.threads ENABLE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.threads FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON recuerdo.threads
    USING (tenant = ANY ((SELECT nullif(current_setting('recuerdo.tenants', true), '')::text[])::text[]));

-- The sweeper of the caches sees which threads of all tenants changed, and no message.
CREATE POLICY sweeper ON recuerdo.threads FOR SELECT USING (current_setting('recuerdo.sweeping', true) = 'true');

ALTER TABLE recuerdo.messages ENABLE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.messages FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON recuerdo.messages
    USING (tenant = ANY ((SELECT nullif(current_setting('recuerdo.tenants', true), '')::text[])::text[]));

ALTER TABLE recuerdo.idempotency_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.idempotency_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON recuerdo.idempotency_keys
    USING (tenant = ANY ((SELECT nullif(current_setting('recuerdo.tenants', true), '')::text[])::text[]));
