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
