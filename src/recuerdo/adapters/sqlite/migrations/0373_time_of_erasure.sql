-- When an owner was last erased: what a spool acknowledged before is not written. NULL: never, or before this.
ALTER TABLE memory_owners ADD COLUMN erased_at INTEGER;
