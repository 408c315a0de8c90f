-- Numbers the changes of threads in the order of their commits; 0: not changed since there are numbers. Each change takes
-- the greatest number and one; tombstones stay, so that none comes twice.
ALTER TABLE threads ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;

CREATE INDEX threads_by_change ON threads (changed);
