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

-- Lets the writers of one thread go one after the other, until the end of the transaction.
CREATE FUNCTION recuerdo.lock_checkpoints(for_tenant text, for_user text, for_thread text) RETURNS void
LANGUAGE sql AS $$
    SELECT pg_advisory_xact_lock(hashtextextended(jsonb_build_array(for_tenant, for_user, for_thread)::text, 0));
$$;

-- Appends those of the messages to the thread's history whose ids it does not have yet.
CREATE FUNCTION recuerdo.append_unseen(
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
    unseen record;
BEGIN
    PERFORM FROM recuerdo.threads WHERE tenant = for_tenant AND "user" = for_user AND thread = for_thread FOR UPDATE;
    SELECT
        count(*) AS count, array_agg(n.id ORDER BY n.place) AS ids, array_agg(n.role ORDER BY n.place) AS roles,
        array_agg(n.created_at ORDER BY n.place) AS created_ats, array_agg(n.body ORDER BY n.place) AS bodies
    INTO unseen
    FROM unnest(append_unseen.ids, append_unseen.roles, append_unseen.created_ats, append_unseen.bodies)
        WITH ORDINALITY AS n (id, role, created_at, body, place)
    WHERE NOT EXISTS (
        SELECT FROM recuerdo.threads AS t JOIN recuerdo.messages AS m ON m.tenant = t.tenant AND m.epoch = t.epoch
        WHERE t.tenant = for_tenant AND t."user" = for_user AND t.thread = for_thread AND NOT t.deleted AND m.id = n.id
    );
    IF unseen.count > 0 THEN
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

-- Commits a batch. Answers one row without a log when it is written; else nothing is, and the first row, with the log
-- '', tells the thread's generation, the others how far the logs go.
CREATE FUNCTION recuerdo.save_checkpoints(
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
    message_bodies text[]
) RETURNS TABLE (key bigint, sweeps bigint, log text, head bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    current record;
    grown boolean;
BEGIN
    PERFORM
        set_config('role', app_role, true),
        set_config('recuerdo.tenants', ARRAY[for_tenant]::text, true),
        set_config('enable_seqscan', 'off', true);
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

-- A checkpoint, or the latest one of a namespace, once for each of its writes, or once with NULLs.
CREATE FUNCTION recuerdo.load_checkpoint(
    app_role text,
    for_tenant text,
    for_user text,
    for_thread text,
    for_namespace text,
    for_id text -- NULL for the latest
) RETURNS TABLE (
    thread text, key bigint, sweeps bigint,
    namespace text, id text, parent text, run text, body bytea, metadata bytea,
    write_namespace text, checkpoint text, task text, place bigint, path text, channel text, write_body bytea
) STABLE LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    current record;
BEGIN
    PERFORM
        set_config('role', app_role, true),
        set_config('recuerdo.tenants', ARRAY[for_tenant]::text, true),
        set_config('plan_cache_mode', 'force_generic_plan', true),
        set_config('enable_seqscan', 'off', true);
    SELECT t.key, t.sweeps INTO current FROM recuerdo.checkpoint_threads AS t
    WHERE t.tenant = for_tenant AND t."user" = for_user AND t.thread = for_thread;
    IF for_id IS NULL THEN
        SELECT max(c.id) INTO for_id FROM recuerdo.checkpoints AS c
        WHERE c.tenant = for_tenant AND c.key = current.key AND c.namespace = for_namespace;
    END IF;
    RETURN QUERY
    SELECT
        for_thread, current.key, current.sweeps, c.namespace, c.id, c.parent, c.run, c.body, c.metadata,
        w.namespace, w.checkpoint, w.task, w.place, w.path, w.channel, w.body
    FROM recuerdo.checkpoints AS c LEFT JOIN recuerdo.checkpoint_writes AS w
        ON w.tenant = for_tenant AND w.key = current.key AND w.namespace = for_namespace AND w.checkpoint = for_id
    WHERE c.tenant = for_tenant AND c.key = current.key AND c.namespace = for_namespace AND c.id = for_id
    ORDER BY w.path, w.task, w.place;
END
$$;
