-- Saves checkpoints in the name of runs: one row of NULLs, and nothing is written, when a run is somebody else's now.
-- The runs' rows stay as they are until the checkpoints are committed: whoever takes a run over sees them, or waits.
CREATE FUNCTION recuerdo.save_held_checkpoints(
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
BEGIN
    PERFORM
        set_config('role', app_role, true),
        set_config('recuerdo.tenants', ARRAY[for_tenant]::text, true);
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
    RETURN QUERY SELECT * FROM recuerdo.save_checkpoints(
        app_role, for_tenant, for_user, for_thread, known_key, known_sweeps, logs, starts, sizes, datas, digests,
        contents, namespaces, ids, parents, runs, bodies, metadatas, write_namespaces, write_checkpoints, tasks,
        places, paths, channels, write_bodies, title, appended_at, message_ids, roles, created_ats, message_bodies
    );
END
$$;
