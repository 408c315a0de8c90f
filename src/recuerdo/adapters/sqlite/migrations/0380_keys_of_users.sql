-- The users of a tenant are listed by each table's index, and a user's keys are erased without reading all others.
CREATE INDEX api_keys_by_owner ON api_keys (tenant, user);
