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

-- What a decision on documents sees, as whoever takes it compares it with what he believes to be there. Its parameters
-- are no row of the table, which another one may take the place of.
CREATE OR REPLACE FUNCTION recuerdo.sight(
    kind text,
    id text,
    family text,
    body text,
    open boolean,
    due timestamptz
) RETURNS text STABLE LANGUAGE sql AS $$
    SELECT concat_ws(
        ' ', kind, open::int, coalesce((extract(epoch FROM due) * 1000000)::bigint::text, '-'),
        octet_length(id), octet_length(family), octet_length(body)
    ) || id || family || body
$$;

-- The open documents of groups, and those of the keys, by their places. One decision on a group is taken at a time:
-- also when it has no row yet that could be locked.
CREATE OR REPLACE FUNCTION recuerdo.seen_documents(
    tenants text[],
    users text[],
    groups text[],
    key_places bigint[],
    kinds text[],
    ids text[]
) RETURNS TABLE (
    place bigint, kind text, id text, family text, body text, open boolean, due timestamptz
) STABLE LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT wanted.place, d.kind, d.id, d.family, d.body, d.open, d.due
    FROM unnest(tenants, users, groups) WITH ORDINALITY AS wanted (tenant, "user", family, place)
    JOIN recuerdo.documents AS d
        ON d.tenant = wanted.tenant AND d."user" = wanted."user" AND d.family = wanted.family AND d.open
    UNION ALL
    SELECT wanted.place, d.kind, d.id, d.family, d.body, d.open, d.due
    FROM unnest(key_places, kinds, ids) AS wanted (place, kind, id)
    JOIN recuerdo.documents AS d
        ON d.tenant = tenants[wanted.place] AND d."user" = users[wanted.place]
        AND d.kind = wanted.kind AND d.id = wanted.id AND NOT (d.open AND d.family = groups[wanted.place]);
END
$$;

-- The lock that decisions on an owner's documents share, and that an erasure of them takes alone.
CREATE OR REPLACE FUNCTION recuerdo.lock_of_owner(for_tenant text, for_user text) RETURNS bigint
IMMUTABLE LANGUAGE sql AS $$
    SELECT hashtextextended(concat_ws(E'\x1f', for_tenant, for_user), 61)
$$;

-- Removes all documents of an owner, behind the decisions that are under way. Returns how many there were.
CREATE OR REPLACE FUNCTION recuerdo.erase_documents(app_role text, for_tenant text, for_user text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    acting_for text := recuerdo.become(app_role, ARRAY[for_tenant]);
    erased bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(recuerdo.lock_of_owner(for_tenant, for_user));
    DELETE FROM recuerdo.documents WHERE tenant = for_tenant AND "user" = for_user;
    GET DIAGNOSTICS erased = ROW_COUNT;
    RETURN erased;
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
    -- All lock in the same order. An erasure waits for the decisions on its owner's documents: one that has seen a row
    -- would write it again behind the erasure.
    PERFORM pg_advisory_xact_lock_shared(key) FROM (
        SELECT DISTINCT recuerdo.lock_of_owner(w.tenant, w."user") AS key
        FROM unnest(tenants, users) AS w (tenant, "user") ORDER BY key
    ) AS locks;
    PERFORM pg_advisory_xact_lock(key) FROM (
        SELECT DISTINCT hashtextextended(concat_ws(E'\x1f', w.tenant, w."user", w.family), 60) AS key
        FROM unnest(tenants, users, groups) AS w (tenant, "user", family) ORDER BY key
    ) AS locks;
    SELECT coalesce(array_agg(w.place), '{}') INTO wrong
    FROM unnest(beliefs) WITH ORDINALITY AS w (belief, place) LEFT JOIN (
        SELECT
            s.place,
            encode(sha256(convert_to(string_agg(
                recuerdo.sight(s.kind, s.id, s.family, s.body, s.open, s.due), ''
                ORDER BY s.kind COLLATE "C", s.id COLLATE "C"
            ), 'UTF8')), 'hex') AS belief
        FROM recuerdo.seen_documents(tenants, users, groups, key_places, kinds, ids) AS s GROUP BY s.place
    ) AS truth USING (place)
    WHERE w.belief <> coalesce(truth.belief, '');
    IF wrong <> '{}' THEN
        RETURN QUERY
        SELECT w, s.kind, s.id, s.family, s.body, s.open, s.due
        FROM unnest(wrong) AS w
        LEFT JOIN recuerdo.seen_documents(tenants, users, groups, key_places, kinds, ids) AS s ON s.place = w;
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
-- is asked for, and leaving out rows that are gone. Their keys are seen by sweeping, and the rest by naming their tenants.
CREATE OR REPLACE FUNCTION recuerdo.due(app_role text, of_kind text, until timestamptz, most bigint)
RETURNS TABLE (
    tenant text, "user" text, kind text, id text, family text, body text, open boolean, due timestamptz
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    acting_for text := recuerdo.become(app_role, '{}');
    tenants text[];
    users text[];
    ids text[];
BEGIN
    PERFORM
        set_config('recuerdo.sweeping', 'true', true),
        set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true);
    SELECT array_agg(s.tenant), array_agg(s."user"), array_agg(s.id) INTO tenants, users, ids FROM (
        SELECT d.tenant, d."user", d.id FROM recuerdo.swept_documents AS d
        WHERE d.kind = of_kind AND d.due <= until ORDER BY d.due LIMIT most
    ) AS s;
    IF tenants IS NULL THEN
        RETURN;
    END IF;
    PERFORM
        set_config('recuerdo.sweeping', '', true),
        set_config('recuerdo.tenants', ARRAY(SELECT DISTINCT unnest(tenants))::text, true),
        set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
        set_config('enable_sort', 'on', true);
    RETURN QUERY
    SELECT d.tenant, d."user", d.kind, d.id, d.family, d.body, d.open, d.due
    FROM unnest(tenants, users, ids) WITH ORDINALITY AS s (tenant, "user", id, place)
    JOIN recuerdo.documents AS d
        ON d.tenant = s.tenant AND d."user" = s."user" AND d.kind = of_kind AND d.id = s.id AND d.due <= until
    ORDER BY s.place;
END
$$;
