-- Lets the writers of one thread go one after the other, until the end of the transaction.
CREATE OR REPLACE FUNCTION recuerdo.lock_checkpoints(for_tenant text, for_user text, for_thread text) RETURNS void
LANGUAGE sql AS $$
    SELECT pg_advisory_xact_lock(hashtextextended(jsonb_build_array(for_tenant, for_user, for_thread)::text, 0));
$$;

-- Commits a batch. Answers one row without a log when it is written, whose number is the epoch of the history that has
-- the messages. Otherwise nothing is written, and the answer is one of these:
--   * the log '' with the thread's generation, followed by a row for each log with its end as the number: the thread
--     was swept, or its logs have grown;
--   * only NULLs: one of the runs is held by another start;
--   * only a number, which is the epoch of the thread's history: not the expected one.
-- The rows of runs and of the history's thread stay as they are until the commit: whoever takes a run over or clears the
-- thread sees what was written, or waits.
CREATE OR REPLACE FUNCTION recuerdo.commit_checkpoints(
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
    message_checksums bigint[],
    expected_epochs bigint[], -- 0 for a history that does not exist
    held_runs text[],
    held_tokens bigint[]
) RETURNS TABLE (key bigint, sweeps bigint, log text, number bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    acting_for text := recuerdo.become(app_role, ARRAY[for_tenant]);
    current record;
    grown boolean;
    current_epoch bigint;
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
    IF cardinality(expected_epochs) > 0 THEN
        SELECT h.epoch INTO current_epoch FROM recuerdo.threads AS h
        WHERE h.tenant = for_tenant AND h."user" = for_user AND h.thread = for_thread AND NOT h.deleted FOR UPDATE;
        current_epoch := coalesce(current_epoch, 0);
        IF current_epoch <> ANY (expected_epochs) THEN
            RETURN QUERY SELECT NULL::bigint, NULL::bigint, NULL::text, current_epoch;
            RETURN;
        END IF;
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
        current_epoch := recuerdo.append_new_messages(
            app_role, for_tenant, for_user, for_thread, title, appended_at, current_epoch, message_ids, roles,
            created_ats, message_bodies, message_checksums
        );
    END IF;
    RETURN QUERY SELECT current.key, current.sweeps, NULL::text, current_epoch;
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
