-- How many messages of each role a thread has in the epoch `counted_epoch`: to count those of a long thread takes
-- seconds. The counts of a thread from before this, whose `counted_epoch` is NULL, are made when they are asked for.
ALTER TABLE threads ADD COLUMN counted_epoch INTEGER;
ALTER TABLE threads ADD COLUMN system_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE threads ADD COLUMN user_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE threads ADD COLUMN assistant_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE threads ADD COLUMN tool_count INTEGER NOT NULL DEFAULT 0;
