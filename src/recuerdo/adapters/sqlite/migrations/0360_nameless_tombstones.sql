-- Tombstones lose their names a day after their thread was deleted.
CREATE INDEX threads_deleted ON threads (updated_at) WHERE deleted AND user <> '~';
