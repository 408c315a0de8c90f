-- Threads are listed by their latest change, and the index knows its minute: most appends come within a minute of the
-- one before, and leave the index alone.
ALTER TABLE threads ADD COLUMN updated_minute INTEGER NOT NULL DEFAULT 0;
UPDATE threads SET updated_minute = updated_at / 60000000;

DROP INDEX threads_by_update;
CREATE INDEX threads_by_minute ON threads (tenant, user, updated_minute) WHERE NOT deleted;
