-- Memories that stand in every prompt.
ALTER TABLE recuerdo.memories ADD COLUMN pinned boolean NOT NULL DEFAULT false;
