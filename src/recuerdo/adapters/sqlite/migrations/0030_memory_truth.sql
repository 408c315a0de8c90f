ALTER TABLE memories ADD COLUMN status TEXT NOT NULL DEFAULT 'approved';
ALTER TABLE memories ADD COLUMN review TEXT; -- JSON: who decided over the status
ALTER TABLE memories ADD COLUMN valid_from INTEGER; -- none: since created_at
ALTER TABLE memories ADD COLUMN valid_until INTEGER;
ALTER TABLE memories ADD COLUMN ending TEXT; -- JSON: why it holds no longer
ALTER TABLE memories ADD COLUMN expires_at INTEGER;
ALTER TABLE memories ADD COLUMN refresh INTEGER; -- seconds that a use puts the expiry off

CREATE INDEX memories_by_expiry ON memories (expires_at) WHERE expires_at IS NOT NULL;

-- Where an owner's memories stand; the row outlives an erasure, so that nobody who looked before can write.
CREATE TABLE memory_owners (
    tenant TEXT NOT NULL,
    user TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (tenant, user)
) STRICT, WITHOUT ROWID;

CREATE TABLE memory_changes (
    tenant TEXT NOT NULL,
    user TEXT NOT NULL,
    version INTEGER NOT NULL, -- of the owner's memories behind the change
    place INTEGER NOT NULL, -- of the entry in the change
    memory TEXT NOT NULL,
    at INTEGER NOT NULL,
    action TEXT NOT NULL,
    undoes INTEGER,
    undone INTEGER NOT NULL DEFAULT 0,
    before TEXT, -- JSON: the memory as it was
    after TEXT,
    PRIMARY KEY (tenant, user, version, place)
) STRICT, WITHOUT ROWID;

CREATE INDEX memory_changes_by_memory ON memory_changes (tenant, user, memory, version);
