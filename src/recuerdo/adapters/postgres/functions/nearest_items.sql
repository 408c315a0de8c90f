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
