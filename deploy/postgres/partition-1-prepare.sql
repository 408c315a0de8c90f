-- Step 1 of partitioning recuerdo.messages by tenant: an empty partitioned table, and a trigger that keeps it as the table
-- is from now on. Run by a superuser; see docs/how-to/partition-postgresql.md.
BEGIN;
SET LOCAL lock_timeout = '2s';

CREATE TABLE recuerdo.messages_by_tenant (LIKE recuerdo.messages INCLUDING ALL) PARTITION BY HASH (tenant);
DO $$
BEGIN
    FOR number IN 0..15 LOOP
        EXECUTE format(
            'CREATE TABLE recuerdo.messages_%s PARTITION OF recuerdo.messages_by_tenant'
            ' FOR VALUES WITH (MODULUS 16, REMAINDER %s)', number, number
        );
        EXECUTE format('ALTER TABLE recuerdo.messages_%s ENABLE ROW LEVEL SECURITY', number); -- nobody reads it directly
    END LOOP;
    EXECUTE format(
        'ALTER TABLE recuerdo.messages_by_tenant OWNER TO %s',
        (SELECT relowner::regrole FROM pg_class WHERE oid = 'recuerdo.messages'::regclass)
    );
END
$$;
ALTER TABLE recuerdo.messages_by_tenant ENABLE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.messages_by_tenant FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON recuerdo.messages_by_tenant
    USING (tenant = ANY ((SELECT nullif(current_setting('recuerdo.tenants', true), '')::text[])::text[]));
GRANT SELECT, INSERT, UPDATE, DELETE ON recuerdo.messages_by_tenant TO recuerdo_app;

CREATE FUNCTION recuerdo.mirror_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM recuerdo.messages_by_tenant WHERE tenant = OLD.tenant AND epoch = OLD.epoch AND seq = OLD.seq;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO recuerdo.messages_by_tenant VALUES (NEW.*);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER mirror AFTER INSERT OR UPDATE OR DELETE ON recuerdo.messages
    FOR EACH ROW EXECUTE FUNCTION recuerdo.mirror_message();

-- Copies what is there, some rows a transaction. A row that is changed meanwhile waits for its batch; then the trigger
-- changes its copy too.
CREATE PROCEDURE recuerdo.copy_messages(batch bigint) LANGUAGE plpgsql AS $$
DECLARE
    last record;
BEGIN
    SELECT '' AS tenant, 0::bigint AS epoch, 0::bigint AS seq INTO last;
    LOOP
        WITH batched AS MATERIALIZED (
            SELECT * FROM recuerdo.messages WHERE (tenant, epoch, seq) > (last.tenant, last.epoch, last.seq)
            ORDER BY tenant, epoch, seq LIMIT batch FOR SHARE
        ), copied AS (
            INSERT INTO recuerdo.messages_by_tenant SELECT * FROM batched ON CONFLICT DO NOTHING
        )
        SELECT tenant, epoch, seq INTO last FROM batched ORDER BY tenant DESC, epoch DESC, seq DESC LIMIT 1;
        EXIT WHEN last IS NULL;
        COMMIT;
    END LOOP;
END
$$;
COMMIT;
