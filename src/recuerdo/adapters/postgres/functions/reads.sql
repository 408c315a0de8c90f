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
CREATE OR REPLACE FUNCTION recuerdo.read_tail_within(
    app_role text,
    for_tenant text,
    for_user text,
    for_thread text,
    before bigint, -- NULL for the end, and with it the system message
    at_most bigint,
    most_bytes bigint -- of bodies: the message that fills them is the last
) RETURNS TABLE (
    epoch bigint, last_seq bigint, revision bigint, seq bigint, body bytea, checksum bigint
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
    SELECT head.epoch, head.last_seq, head.revision, s.seq, convert_to(s.body, 'UTF8'), s.checksum
    FROM (VALUES (1)) AS one LEFT JOIN LATERAL (
        SELECT seq, body, checksum FROM recuerdo.messages
        WHERE tenant = for_tenant AND epoch = head.epoch AND role = 'system' AND NOT archived AND before IS NULL
        ORDER BY seq DESC LIMIT 1
    ) AS s ON true;
    bound := coalesce(before, head.last_seq + 1);
    RETURN QUERY
    SELECT NULL::bigint, NULL::bigint, NULL::bigint, m.seq, convert_to(m.body, 'UTF8'), m.checksum FROM (
        SELECT seq, body, checksum, sum(octet_length(body)) OVER (
            ORDER BY seq DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS bytes_before
        FROM recuerdo.messages
        WHERE tenant = for_tenant AND epoch = head.epoch AND seq < bound AND role <> 'system' AND NOT archived
        ORDER BY seq DESC LIMIT at_most
    ) AS m WHERE m.bytes_before IS NULL OR m.bytes_before < most_bytes;
END
$$;

-- What a cache keeps of a thread: a row with its head and its newest system message, or NULLs, and then the messages of
-- all roles, newest first.
CREATE OR REPLACE FUNCTION recuerdo.read_snapshot_within(
    app_role text,
    for_tenant text,
    for_user text,
    for_thread text,
    at_most bigint,
    most_bytes bigint -- of bodies: the message that fills them is the last
) RETURNS TABLE (
    epoch bigint, last_seq bigint, revision bigint, seq bigint, archived boolean, body bytea, checksum bigint
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
    SELECT head.epoch, head.last_seq, head.revision, s.seq, false, convert_to(s.body, 'UTF8'), s.checksum
    FROM (VALUES (1)) AS one LEFT JOIN LATERAL (
        SELECT seq, body, checksum FROM recuerdo.messages
        WHERE tenant = for_tenant AND epoch = head.epoch AND role = 'system' AND NOT archived
        ORDER BY seq DESC LIMIT 1
    ) AS s ON true;
    RETURN QUERY
    SELECT NULL::bigint, NULL::bigint, NULL::bigint, m.seq, m.archived, convert_to(m.body, 'UTF8'), m.checksum FROM (
        SELECT seq, archived, body, checksum, sum(octet_length(body)) OVER (
            ORDER BY seq DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS bytes_before
        FROM recuerdo.messages
        WHERE tenant = for_tenant AND epoch = head.epoch
        ORDER BY seq DESC LIMIT at_most
    ) AS m WHERE m.bytes_before IS NULL OR m.bytes_before < most_bytes;
END
$$;
