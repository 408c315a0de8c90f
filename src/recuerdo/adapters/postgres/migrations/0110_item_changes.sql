-- Which transaction wrote an entry, so that whoever keeps a copy of entries can ask for what is new since; NULL for those
-- of the time before. (Added without its default, which would write the whole table again.)
ALTER TABLE recuerdo.store_entries ADD COLUMN changed xid8;
ALTER TABLE recuerdo.store_entries ALTER COLUMN changed SET DEFAULT pg_current_xact_id();

-- By another collation, which orders alike, so that no plan that is to use the primary key can take this index.
CREATE INDEX store_entries_by_change ON recuerdo.store_entries
    (tenant COLLATE "POSIX", "user" COLLATE "POSIX", changed) WHERE changed IS NOT NULL;
