-- When a thread was last cleared or deleted: what began before is not stored behind it. NULL: never, or before this.
ALTER TABLE recuerdo.threads ADD COLUMN emptied_at timestamptz;
