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
