-- Memories that stand in every prompt.
ALTER TABLE memories ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
