-- How many messages of each role a thread has in the epoch `counted_epoch`: to count those of a long thread takes
-- seconds. The counts of a thread from before this, whose `counted_epoch` is NULL, are made when they are asked for.
ALTER TABLE recuerdo.threads
    ADD COLUMN counted_epoch bigint,
    ADD COLUMN system_count bigint NOT NULL DEFAULT 0,
    ADD COLUMN user_count bigint NOT NULL DEFAULT 0,
    ADD COLUMN assistant_count bigint NOT NULL DEFAULT 0,
    ADD COLUMN tool_count bigint NOT NULL DEFAULT 0;
