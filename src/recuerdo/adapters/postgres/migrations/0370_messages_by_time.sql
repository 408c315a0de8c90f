-- All messages of a user by time are merged from those of each thread. Epochs are unique over all tenants.
-- It may be there already: an operator can build it before, with CONCURRENTLY, while messages are appended.
DO $$ BEGIN
    IF EXISTS (
        SELECT FROM pg_index WHERE indexrelid = to_regclass('recuerdo.messages_by_time') AND NOT indisvalid
    ) THEN
        DROP INDEX recuerdo.messages_by_time; -- what is left when that was interrupted
    END IF;
END $$;
CREATE INDEX IF NOT EXISTS messages_by_time ON recuerdo.messages (epoch, created_at);
