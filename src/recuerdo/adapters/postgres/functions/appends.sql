-- Appends one message that nothing stands in the way of, and returns the thread's head, e.g. '7.42.0'. Anything else is
-- an integrity violation, and leaves no trace: a key or an id that is taken, a key that was used before the thread was
-- cleared, an epoch that is not the expected one.
CREATE OR REPLACE FUNCTION recuerdo.append_message(
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
    new_checksum bigint,
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
        changed = pg_current_xact_id(),
        dated_ahead = dated_ahead OR greatest(new_created_at - interval '10 minutes', updated_at) > appended_at,
        system_count = system_count + (new_role = 'system')::int,
        user_count = user_count + (new_role = 'user')::int,
        assistant_count = assistant_count + (new_role = 'assistant')::int,
        tool_count = tool_count + (new_role = 'tool')::int
    WHERE tenant = for_tenant AND "user" = for_user AND thread = for_thread AND NOT deleted
        AND coalesce(expected_epoch = epoch, true)
    RETURNING epoch, last_seq, revision INTO new_epoch, new_seq, its_revision;
    IF NOT FOUND AND coalesce(expected_epoch = 0, true) THEN
        INSERT INTO recuerdo.threads AS t (
            tenant, "user", thread, epoch, last_seq, title, created_at, updated_at, dated_ahead,
            counted_epoch, system_count, user_count, assistant_count, tool_count
        )
        SELECT
            for_tenant, for_user, for_thread, fresh, 1, new_title, appended_at, appended_at,
            new_created_at - interval '10 minutes' > appended_at,
            fresh, (new_role = 'system')::int, (new_role = 'user')::int, (new_role = 'assistant')::int,
            (new_role = 'tool')::int
        FROM nextval('recuerdo.epochs') AS fresh
        -- The epoch that was to be inserted may be older than that of an erasing which was waited for.
        ON CONFLICT (tenant, "user", thread) DO UPDATE SET
            epoch = CASE WHEN excluded.epoch > t.epoch THEN excluded.epoch ELSE nextval('recuerdo.epochs') END,
            last_seq = excluded.last_seq, title = excluded.title,
            created_at = excluded.created_at, updated_at = excluded.updated_at, deleted = false,
            changed = excluded.changed, dated_ahead = excluded.dated_ahead,
            counted_epoch = CASE WHEN excluded.epoch > t.epoch THEN excluded.epoch END,
            system_count = excluded.system_count, user_count = excluded.user_count,
            assistant_count = excluded.assistant_count, tool_count = excluded.tool_count
        WHERE t.deleted
        RETURNING epoch, last_seq, revision INTO new_epoch, new_seq, its_revision;
    END IF;
    IF new_seq IS NULL THEN
        RAISE integrity_constraint_violation;
    END IF;
    INSERT INTO recuerdo.messages (tenant, epoch, seq, id, role, created_at, body, checksum)
    VALUES (for_tenant, new_epoch, new_seq, new_id, new_role, new_created_at, new_body, new_checksum);
    IF new_key IS NOT NULL THEN
        IF EXISTS (
            SELECT FROM recuerdo.spent_keys
            WHERE tenant = for_tenant AND digest = recuerdo.spent_digest(for_user, for_thread, new_key)
        ) THEN
            RAISE integrity_constraint_violation;
        END IF;
        INSERT INTO recuerdo.idempotency_keys (tenant, epoch, key, fingerprint, first_seq, count)
        VALUES (for_tenant, new_epoch, new_key, new_fingerprint, new_seq, 1);
    END IF;
    RETURN new_epoch || '.' || new_seq || '.' || its_revision;
END
$$;

-- Appends many messages to many threads, all or none. The first nine arrays tell of threads, in the order in which
-- every process locks them; the next seven of messages, by their place in the first arrays and their distance from the
-- thread's last seq; the last five of idempotency keys, in the same way. Refuses what `append_message` refuses.
CREATE OR REPLACE FUNCTION recuerdo.append_messages(
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
    checksums bigint[],
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
    WITH counted AS MATERIALIZED (
        SELECT
            place, count(*) FILTER (WHERE role = 'system') AS systems, count(*) FILTER (WHERE role = 'user') AS users,
            count(*) FILTER (WHERE role = 'assistant') AS assistants, count(*) FILTER (WHERE role = 'tool') AS tools,
            max(created_at) AS dated
        FROM unnest(message_places, roles, message_created_ats) AS m (place, role, created_at) GROUP BY place
    ),
    wanted AS MATERIALIZED (
        SELECT *, coalesce(new_epoch, nextval('recuerdo.epochs')) AS fresh
        FROM unnest(tenants, users, threads, counts, titles, created_ats, updated_ats, expected_epochs, new_epochs)
            WITH ORDINALITY
            AS w (tenant, "user", thread, count, title, created_at, updated_at, expected_epoch, new_epoch, place)
        JOIN counted USING (place)
    ),
    advanced AS (
        INSERT INTO recuerdo.threads AS t (
            tenant, "user", thread, epoch, last_seq, title, created_at, updated_at, dated_ahead,
            counted_epoch, system_count, user_count, assistant_count, tool_count
        )
        SELECT
            tenant, "user", thread, fresh, count, title, created_at, updated_at,
            dated - interval '10 minutes' > updated_at, fresh, systems, users, assistants, tools
        FROM wanted ORDER BY place
        ON CONFLICT (tenant, "user", thread) DO UPDATE SET
            -- As in append_message; what counts on the epoch that was to be inserted is refused then.
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
            changed = excluded.changed,
            dated_ahead = excluded.dated_ahead
                OR (NOT t.deleted AND (t.dated_ahead OR t.updated_at > excluded.updated_at)),
            counted_epoch = CASE
                WHEN NOT t.deleted THEN t.counted_epoch
                WHEN excluded.epoch > t.epoch THEN excluded.epoch
            END,
            system_count = t.system_count + excluded.system_count,
            user_count = t.user_count + excluded.user_count,
            assistant_count = t.assistant_count + excluded.assistant_count,
            tool_count = t.tool_count + excluded.tool_count
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
        INSERT INTO recuerdo.messages (tenant, epoch, seq, id, role, created_at, body, checksum)
        SELECT tenant, epoch, start + step, id, role, created_at, body, checksum
        FROM unnest(message_places, message_steps, ids, roles, message_created_ats, bodies, checksums)
            AS m (place, step, id, role, created_at, body, checksum)
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
    -- Behind the locks, in a statement of its own: that above sees nothing of a clear which it has waited for.
    IF cardinality(keys) > 0 AND EXISTS (
        SELECT FROM unnest(key_places, keys) AS k (place, key)
        JOIN recuerdo.spent_keys AS s ON s.tenant = tenants[k.place]
            AND s.digest = recuerdo.spent_digest(users[k.place], threads[k.place], k.key)
    ) THEN
        RAISE integrity_constraint_violation;
    END IF;
END
$$;

-- Appends those of the messages to the thread's history whose ids it does not have yet, and returns the epoch that has
-- them. An epoch that is not the expected one is an integrity violation.
CREATE OR REPLACE FUNCTION recuerdo.append_new_messages(
    app_role text,
    for_tenant text,
    for_user text,
    for_thread text,
    title text,
    appended_at timestamptz,
    expected_epoch bigint, -- NULL for any; 0 for a thread that does not exist
    ids text[],
    roles text[],
    created_ats timestamptz[],
    bodies text[],
    checksums bigint[]
) RETURNS bigint LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    current_epoch bigint;
    unseen record;
BEGIN
    SELECT CASE WHEN NOT deleted THEN epoch END INTO current_epoch FROM recuerdo.threads
    WHERE tenant = for_tenant AND "user" = for_user AND thread = for_thread FOR UPDATE;
    SELECT
        count(*) AS count, array_agg(n.id ORDER BY n.place) AS ids, array_agg(n.role ORDER BY n.place) AS roles,
        array_agg(n.created_at ORDER BY n.place) AS created_ats, array_agg(n.body ORDER BY n.place) AS bodies,
        array_agg(n.checksum ORDER BY n.place) AS checksums
    INTO unseen
    FROM unnest(
        append_new_messages.ids, append_new_messages.roles, append_new_messages.created_ats,
        append_new_messages.bodies, append_new_messages.checksums
    ) WITH ORDINALITY AS n (id, role, created_at, body, checksum, place)
    WHERE NOT EXISTS (
        SELECT FROM recuerdo.messages AS m
        WHERE m.tenant = for_tenant AND m.epoch = current_epoch AND m.id = n.id
        OFFSET 0 -- keeps it a look for each id: as a join, all of the thread's messages were compared
    );
    IF unseen.count = 1 THEN
        current_epoch := split_part(recuerdo.append_message(
            app_role, for_tenant, for_user, for_thread, title, appended_at, expected_epoch,
            unseen.ids[1], unseen.roles[1], unseen.created_ats[1], unseen.bodies[1],
            unseen.checksums[1], NULL, NULL
        ), '.', 1);
    ELSIF unseen.count > 1 THEN
        SELECT appended.epoch INTO current_epoch FROM recuerdo.append_messages(
            app_role, ARRAY[for_tenant], ARRAY[for_user], ARRAY[for_thread], ARRAY[unseen.count], ARRAY[title],
            ARRAY[appended_at], ARRAY[appended_at], ARRAY[expected_epoch], ARRAY[NULL]::bigint[],
            array_fill(1::bigint, ARRAY[unseen.count::int]), ARRAY(SELECT generate_series(1, unseen.count)),
            unseen.ids, unseen.roles, unseen.created_ats, unseen.bodies, unseen.checksums,
            ARRAY[]::bigint[], ARRAY[]::bigint[], ARRAY[]::text[], ARRAY[]::text[], ARRAY[]::bigint[]
        ) AS appended;
    END IF;
    RETURN current_epoch;
END
$$;
