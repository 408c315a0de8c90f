-- A user's threads, assistants and schedules are listed by when they were made, a page at a time. A column of its own,
-- because an index on what is in `about` would have each change of a thread written to all indexes.
ALTER TABLE recuerdo.documents
    ADD COLUMN created_at text COLLATE "C" GENERATED ALWAYS AS (about ->> 'created_at') STORED;
CREATE INDEX documents_by_creation ON recuerdo.documents (tenant, "user", kind, created_at, id)
    WHERE kind IN ('assistant', 'cron', 'thread');
