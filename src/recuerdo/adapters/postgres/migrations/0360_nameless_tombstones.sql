-- Tombstones lose their names a day after their thread was deleted: sweepers take those of all tenants from them.
CREATE INDEX threads_deleted ON recuerdo.threads (updated_at) WHERE deleted AND "user" <> '~';
CREATE POLICY sweeper_forgets ON recuerdo.threads FOR UPDATE
    USING (deleted AND current_setting('recuerdo.sweeping', true) = 'true')
    WITH CHECK (deleted AND "user" = '~' AND current_setting('recuerdo.sweeping', true) = 'true');
