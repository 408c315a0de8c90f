-- Keys from before may do all that their role allows.
ALTER TABLE api_keys ADD COLUMN scopes TEXT NOT NULL DEFAULT 'admin';
ALTER TABLE api_keys ADD COLUMN last_used_at INTEGER;
ALTER TABLE api_keys ADD COLUMN replaced_by TEXT; -- the id of the key that this one was rotated into
