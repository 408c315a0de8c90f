-- Keys from before may do all that their role allows.
ALTER TABLE recuerdo.api_keys ADD COLUMN scopes text NOT NULL DEFAULT 'admin';
ALTER TABLE recuerdo.api_keys ADD COLUMN last_used_at timestamptz;
ALTER TABLE recuerdo.api_keys ADD COLUMN replaced_by text COLLATE "C"; -- the id of the key that this one was rotated into
