-- A user's threads, assistants and schedules are listed by when they were made, a page at a time, and counted without
-- their bodies. (Not runs: they are found by their thread, and their bodies may be large.)
CREATE INDEX documents_by_creation ON documents (tenant, user, kind, json_extract(body, '$.created_at'), id)
    WHERE kind IN ('assistant', 'cron', 'thread');
