-- Whether a thread has, or may have, messages that are dated more than ten minutes after its last change. A list of all
-- of a user's messages by time looks at those threads, and else at the ones that changed last.
ALTER TABLE threads ADD COLUMN dated_ahead INTEGER NOT NULL DEFAULT 0;
UPDATE threads SET dated_ahead = 1 WHERE NOT deleted AND EXISTS (
    SELECT 1 FROM messages AS m WHERE m.epoch = threads.epoch AND m.created_at > threads.updated_at + 600000000
);
CREATE INDEX threads_dated_ahead ON threads (tenant, user) WHERE dated_ahead AND NOT deleted;
