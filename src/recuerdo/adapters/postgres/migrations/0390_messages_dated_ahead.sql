-- Whether a thread has, or may have, messages that are dated more than ten minutes after its last change. A list of all
-- of a user's messages by time looks at those threads, and else at the ones that changed last. The table is locked while
-- the threads there are get their mark, which takes seconds for a million.
ALTER TABLE recuerdo.threads ADD COLUMN dated_ahead boolean NOT NULL DEFAULT false;
ALTER TABLE recuerdo.threads NO FORCE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.messages NO FORCE ROW LEVEL SECURITY;
UPDATE recuerdo.threads AS t SET dated_ahead = true WHERE NOT t.deleted AND EXISTS (
    SELECT FROM recuerdo.messages AS m
    WHERE m.tenant = t.tenant AND m.epoch = t.epoch AND m.created_at > t.updated_at + interval '10 minutes'
);
ALTER TABLE recuerdo.messages FORCE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.threads FORCE ROW LEVEL SECURITY;
CREATE INDEX threads_dated_ahead ON recuerdo.threads (tenant, "user") WHERE dated_ahead AND NOT deleted;
