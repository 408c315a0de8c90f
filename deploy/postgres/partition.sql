-- What moves tables of a running database to partitions by tenant, one table after the other: prepare, copy, switch. A
-- superuser installs and calls it; see docs/how-to/partition-postgresql.md. Statements are made of the table that is
-- there, so that one mechanism does for all of them, and new indexes and constraints have the names of the old ones, which
-- later versions may want to change.
BEGIN;
CREATE SCHEMA recuerdo_partitioning; -- what moves, and partitioned tables until they take the place of the old ones
CREATE SCHEMA recuerdo_unpartitioned; -- the old ones from then on

CREATE TABLE recuerdo_partitioning.moves (
    name text PRIMARY KEY,
    migrations bigint NOT NULL, -- so many had run when it began
    copied xid8 -- the transaction that found it copied
);

-- Foreign keys that hold for new rows, and are still to be validated for the others.
CREATE TABLE recuerdo_partitioning.foreign_keys (
    referencing text NOT NULL,
    referenced text NOT NULL,
    name text NOT NULL,
    definition text NOT NULL,
    PRIMARY KEY (referencing, name)
);

-- The columns that are written: all but the generated ones.
CREATE FUNCTION recuerdo_partitioning.columns_of(name text, prefix text DEFAULT '') RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(prefix || quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
    WHERE attrelid = format('recuerdo.%I', name)::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
$$;

-- The primary key: each column by the pattern.
CREATE FUNCTION recuerdo_partitioning.key_of(name text, pattern text DEFAULT '%I') RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(format(pattern, attname), ', ' ORDER BY place)
    FROM pg_constraint CROSS JOIN unnest(conkey) WITH ORDINALITY AS k (attnum, place)
    JOIN pg_attribute AS a ON a.attrelid = conrelid AND a.attnum = k.attnum
    WHERE conrelid = format('recuerdo.%I', name)::regclass AND contype = 'p'
$$;

-- The partitions of a table, or the table itself.
CREATE FUNCTION recuerdo_partitioning.leaves_of(parent regclass) RETURNS SETOF regclass LANGUAGE sql AS $$
    SELECT inhrelid FROM pg_inherits WHERE inhparent = parent
    UNION ALL SELECT oid FROM pg_class WHERE oid = parent AND relkind = 'r'
$$;

CREATE FUNCTION recuerdo_partitioning.is_moved(name text) RETURNS boolean LANGUAGE sql AS $$
    SELECT relkind = 'p' FROM pg_class WHERE oid = format('recuerdo.%I', name)::regclass
$$;

-- Locks the tables. It gives up before PostgreSQL looks for a deadlock, which could end somebody else's transaction, and
-- then lets others go on for a moment.
CREATE PROCEDURE recuerdo_partitioning.lock(tables text, mode text) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('lock_timeout', '500ms', true);
    FOR attempt IN 1..100 LOOP
        BEGIN
            EXECUTE format('LOCK TABLE %s IN %s MODE', tables, mode);
            RETURN;
        EXCEPTION WHEN lock_not_available THEN
            PERFORM pg_sleep(0.2);
        END;
    END LOOP;
    RAISE lock_not_available USING MESSAGE = format('%s stayed in use. Nothing has happened: try again', tables);
END
$$;

-- What the table is, but for its rows: what makes the same of a table of that name in the other schema.
CREATE FUNCTION recuerdo_partitioning.likeness_of(name text) RETURNS SETOF text LANGUAGE sql
SET search_path = pg_catalog AS $$
    WITH old AS (SELECT * FROM pg_class WHERE oid = format('recuerdo.%I', name)::regclass),
    new AS (SELECT format('recuerdo_partitioning.%I', name) AS place)
    SELECT format(
        'CREATE TABLE %s (LIKE recuerdo.%I INCLUDING ALL EXCLUDING INDEXES) PARTITION BY HASH (tenant)', place, name
    ) FROM new
    UNION ALL
    SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', place, conname, pg_get_constraintdef(c.oid))
    FROM pg_constraint AS c, old, new WHERE conrelid = old.oid AND contype IN ('p', 'u')
    UNION ALL
    SELECT replace(pg_get_indexdef(indexrelid), ' ON recuerdo.', ' ON recuerdo_partitioning.')
    FROM pg_index, old WHERE indrelid = old.oid AND indisvalid
        AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))
    UNION ALL
    SELECT replace(pg_get_triggerdef(t.oid), ' ON recuerdo.', ' ON recuerdo_partitioning.')
    FROM pg_trigger AS t, old WHERE tgrelid = old.oid AND NOT tgisinternal
    UNION ALL
    SELECT format(
        'CREATE TABLE recuerdo.%I PARTITION OF %s FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
        name || '_' || number, place, number
    ) || coalesce(' WITH (' || array_to_string(reloptions, ', ') || ')', '')
    FROM old, new, generate_series(0, 15) AS number
    UNION ALL
    SELECT format('ALTER TABLE %1$s OWNER TO %2$s', its.place, relowner::regrole)
        || ', ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY' -- nobody reads a partition directly
    FROM old, (
        SELECT place FROM new
        UNION ALL SELECT format('recuerdo.%I', name || '_' || number) FROM generate_series(0, 15) AS number
    ) AS its
    UNION ALL
    SELECT format(
        'CREATE POLICY %I ON %s AS %s FOR %s TO %s', policyname, place, permissive, cmd,
        (SELECT string_agg(quote_ident(role), ', ') FROM unnest(roles) AS role)
    ) || coalesce(' USING (' || qual || ')', '') || coalesce(' WITH CHECK (' || with_check || ')', '')
    FROM pg_policies, new WHERE schemaname = 'recuerdo' AND tablename = name
    UNION ALL
    SELECT format(
        'GRANT %s ON %s TO %s', privilege_type, place,
        CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END
    ) FROM old, new, aclexplode(relacl)
$$;

-- The steps. Whatever is done already is left as it is, so that each may be stopped and called again.

-- An empty partitioned table, and a trigger that keeps it as the table is from now on.
CREATE PROCEDURE recuerdo_partitioning.prepare(moving text) LANGUAGE plpgsql AS $$
DECLARE
    statement text;
BEGIN
    IF recuerdo_partitioning.is_moved(moving)
        OR EXISTS (SELECT FROM recuerdo_partitioning.moves WHERE name = moving)
    THEN
        RETURN;
    END IF;
    CALL recuerdo_partitioning.lock(format('recuerdo.%I', moving), 'SHARE ROW EXCLUSIVE');
    INSERT INTO recuerdo_partitioning.moves SELECT moving, count(*) FROM recuerdo.migrations;
    FOR statement IN SELECT recuerdo_partitioning.likeness_of(moving) LOOP
        EXECUTE statement;
    END LOOP;
    -- Whoever writes may be bound to a tenant, or to none when a sweeper does; the copy is of every row.
    EXECUTE format(
        $create$
            CREATE FUNCTION recuerdo_partitioning.%1$I() RETURNS trigger
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $function$
            BEGIN
                IF TG_OP <> 'INSERT' THEN
                    DELETE FROM recuerdo_partitioning.%2$I WHERE (%3$s) = (%4$s);
                END IF;
                IF TG_OP <> 'DELETE' THEN
                    INSERT INTO recuerdo_partitioning.%2$I (%5$s) VALUES (%6$s);
                END IF;
                RETURN NULL;
            END
            $function$;
            CREATE TRIGGER mirror AFTER INSERT OR UPDATE OR DELETE ON recuerdo.%2$I
                FOR EACH ROW EXECUTE FUNCTION recuerdo_partitioning.%1$I();
        $create$,
        'mirror_' || moving, moving,
        recuerdo_partitioning.key_of(moving), recuerdo_partitioning.key_of(moving, 'OLD.%I'),
        recuerdo_partitioning.columns_of(moving), recuerdo_partitioning.columns_of(moving, 'NEW.')
    );
END
$$;

-- Copies what is there, some rows a transaction, and counts. A row that is changed meanwhile waits for its batch; then
-- the trigger changes its copy too.
CREATE PROCEDURE recuerdo_partitioning.copy(moving text, batch bigint DEFAULT 5000) LANGUAGE plpgsql AS $$
DECLARE
    key text := recuerdo_partitioning.key_of(moving);
    written text := recuerdo_partitioning.columns_of(moving);
    since text := 'true';
    until text;
    finished boolean := false;
    missing bigint;
BEGIN
    IF recuerdo_partitioning.is_moved(moving) THEN
        RETURN;
    END IF;
    WHILE NOT finished LOOP
        PERFORM
            set_config('row_security', 'off', true), -- an error for a role that would not see all rows
            set_config('lock_timeout', '500ms', true), -- see lock
            set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
            set_config('enable_sort', 'off', true);
        -- Where the batch ends is known before its rows are locked: a key can change while its row is waited for.
        EXECUTE format(
            'SELECT concat_ws('', '', %s) FROM recuerdo.%I WHERE %s ORDER BY %s OFFSET %s LIMIT 1',
            recuerdo_partitioning.key_of(moving, 'quote_literal(%I)'), moving, since, key, batch
        ) INTO until;
        BEGIN
            EXECUTE format(
                'INSERT INTO recuerdo_partitioning.%2$I (%3$s) SELECT %3$s FROM recuerdo.%2$I WHERE %4$s AND %5$s'
                ' ORDER BY %1$s FOR SHARE ON CONFLICT DO NOTHING',
                key, moving, written, since, coalesce(format('(%s) < (', key) || until || ')', 'true')
            );
            since := format('(%s) >= (', key) || until || ')';
            finished := until IS NULL;
        EXCEPTION WHEN lock_not_available THEN -- somebody holds a row for longer: once more
        END;
        COMMIT;
    END LOOP;
    PERFORM set_config('row_security', 'off', true);
    EXECUTE format(
        'SELECT (SELECT count(*) FROM recuerdo.%1$I) - (SELECT count(*) FROM recuerdo_partitioning.%1$I)', moving
    ) INTO missing; -- of one moment, for a statement sees what was committed when it began
    IF missing <> 0 THEN
        RAISE EXCEPTION 'the copy of % has % rows less', moving, missing;
    END IF;
    EXECUTE format('ANALYZE recuerdo_partitioning.%I', moving);
    UPDATE recuerdo_partitioning.moves SET copied = pg_current_xact_id() WHERE name = moving;
END
$$;

-- Raises an error unless the copy is whole, and as the table is, and waits until nobody's transaction is older: it would
-- see less of the copy than of the table.
CREATE PROCEDURE recuerdo_partitioning.await_copy(moving text) LANGUAGE plpgsql AS $$
DECLARE
    move record;
BEGIN
    SELECT * INTO move FROM recuerdo_partitioning.moves WHERE name = moving;
    IF move.copied IS NULL THEN
        RAISE EXCEPTION '% is not copied', moving;
    ELSIF move.migrations <> (SELECT count(*) FROM recuerdo.migrations) THEN
        RAISE EXCEPTION 'the tables were upgraded since % was prepared: give up, and begin again', moving;
    END IF;
    WHILE EXISTS (
        SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
            AND age(backend_xmin) >= age(move.copied::xid)
    ) LOOP
        COMMIT; -- the next look is a new one
        PERFORM pg_sleep(0.1);
    END LOOP;
END
$$;

-- Lets the partitioned table take the place of the old one, with its views and foreign keys, in one transaction.
CREATE PROCEDURE recuerdo_partitioning.take_place(moving text) LANGUAGE plpgsql AS $$
DECLARE
    old regclass := format('recuerdo.%I', moving);
    views regclass[];
    related regclass[];
    definition text;
    definitions text[];
    foreign_key record;
    leaf regclass;
BEGIN
    PERFORM set_config('search_path', 'pg_catalog', true); -- so that definitions say where things are
    SELECT array_agg(DISTINCT ev_class::regclass) INTO views FROM pg_depend JOIN pg_rewrite AS r ON r.oid = objid
    WHERE classid = 'pg_rewrite'::regclass AND refclassid = 'pg_class'::regclass AND refobjid = old;
    definitions := ARRAY(
        SELECT format('CREATE OR REPLACE VIEW %s AS %s', seen, pg_get_viewdef(seen)) FROM unnest(views) AS seen
    );
    WITH keys AS (
        SELECT * FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 AND old IN (conrelid, confrelid)
    ), noted AS (
        INSERT INTO recuerdo_partitioning.foreign_keys
        SELECT conrelid::regclass, confrelid::regclass, conname, replace(pg_get_constraintdef(oid), ' NOT VALID', '') FROM keys
    )
    SELECT array_agg(conrelid::regclass) || array_agg(confrelid::regclass) INTO related FROM keys;
    -- Views first: whoever reads one locks it before its table.
    CALL recuerdo_partitioning.lock(array_to_string(views || old || related, ', '), 'ACCESS EXCLUSIVE');
    EXECUTE format('DROP TRIGGER mirror ON %s', old);
    EXECUTE format('DROP FUNCTION recuerdo_partitioning.%I', 'mirror_' || moving);
    FOR foreign_key IN SELECT * FROM recuerdo_partitioning.foreign_keys LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', foreign_key.referencing, foreign_key.name);
    END LOOP;
    EXECUTE format('ALTER TABLE recuerdo.%I SET SCHEMA recuerdo_unpartitioned', moving);
    EXECUTE format('ALTER TABLE recuerdo_partitioning.%I SET SCHEMA recuerdo', moving);
    FOR foreign_key IN SELECT * FROM recuerdo_partitioning.foreign_keys LOOP
        FOR leaf IN SELECT recuerdo_partitioning.leaves_of(foreign_key.referencing::regclass) LOOP
            EXECUTE format(
                'ALTER TABLE %s ADD CONSTRAINT %I %s NOT VALID', leaf, foreign_key.name, foreign_key.definition
            );
        END LOOP;
    END LOOP;
    FOREACH definition IN ARRAY definitions LOOP
        EXECUTE definition;
    END LOOP;
    DELETE FROM recuerdo_partitioning.moves WHERE name = moving;
END
$$;

-- Validates the foreign keys, while others write; that of a partitioned table is then made of those of its partitions.
CREATE PROCEDURE recuerdo_partitioning.validate_foreign_keys() LANGUAGE plpgsql AS $$
DECLARE
    foreign_key record;
    leaf regclass;
BEGIN
    FOR foreign_key IN SELECT * FROM recuerdo_partitioning.foreign_keys LOOP
        FOR leaf IN SELECT recuerdo_partitioning.leaves_of(foreign_key.referencing::regclass) LOOP
            EXECUTE format('ALTER TABLE %s VALIDATE CONSTRAINT %I', leaf, foreign_key.name);
            COMMIT;
        END LOOP;
        IF EXISTS (SELECT FROM pg_inherits WHERE inhparent = foreign_key.referencing::regclass) THEN
            CALL recuerdo_partitioning.lock(
                concat_ws(', ', foreign_key.referencing, foreign_key.referenced), 'ACCESS EXCLUSIVE'
            );
            EXECUTE format(
                'ALTER TABLE %s ADD CONSTRAINT %I %s',
                foreign_key.referencing, foreign_key.name, foreign_key.definition
            );
        END IF;
        DELETE FROM recuerdo_partitioning.foreign_keys
        WHERE referencing = foreign_key.referencing AND name = foreign_key.name;
        COMMIT;
    END LOOP;
END
$$;

-- The partitioned table takes the name.
CREATE PROCEDURE recuerdo_partitioning.switch(moving text) LANGUAGE plpgsql AS $$
BEGIN
    CALL recuerdo_partitioning.validate_foreign_keys();
    IF NOT recuerdo_partitioning.is_moved(moving) THEN
        CALL recuerdo_partitioning.await_copy(moving);
        CALL recuerdo_partitioning.take_place(moving);
        COMMIT;
    END IF;
    CALL recuerdo_partitioning.validate_foreign_keys();
END
$$;
COMMIT;
