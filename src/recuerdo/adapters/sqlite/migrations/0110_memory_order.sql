-- Lists go by when memories were made, and what a prompt carries by the attribute: neither has to look at all that an
-- owner has, with its vectors. Whether a memory holds stands in the index: of those that don't, no row is read.
CREATE INDEX memories_by_creation ON memories
    (tenant, user, created_at DESC, id, status, valid_from, valid_until, expires_at);
CREATE INDEX memories_by_attribute ON memories (tenant, user, attribute, created_at DESC, id) WHERE attribute IS NOT NULL;
