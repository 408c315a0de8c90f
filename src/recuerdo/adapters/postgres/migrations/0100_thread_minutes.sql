-- Most appends leave every index of threads alone, so that PostgreSQL can put the new row beside the old one (a HOT
-- update): lists go by the minute of a thread's latest change, sweepers by 1,024 transactions at a time, and pages keep
-- room. Generated columns are right for processes of the version before, too. The table is written anew meanwhile,
-- which takes seconds for a million threads.
ALTER TABLE recuerdo.threads
    SET (fillfactor = 80),
    ADD COLUMN updated_minute timestamptz NOT NULL
        GENERATED ALWAYS AS (date_bin('1 minute', updated_at, 'epoch')) STORED,
    ADD COLUMN changed_about bigint NOT NULL GENERATED ALWAYS AS (changed::text::bigint >> 10) STORED;

DROP INDEX recuerdo.threads_by_update;
CREATE INDEX threads_by_minute ON recuerdo.threads (tenant, "user", updated_minute DESC) WHERE NOT deleted;

DROP INDEX recuerdo.threads_by_change;
CREATE INDEX threads_by_change ON recuerdo.threads (changed_about);
