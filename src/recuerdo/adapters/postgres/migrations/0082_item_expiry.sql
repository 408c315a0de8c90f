-- Sweepers see of all tenants which items can expire; they delete them for a tenant that they name.
CREATE POLICY sweeper ON recuerdo.store_items FOR SELECT
    USING (expires_at IS NOT NULL AND current_setting('recuerdo.sweeping', true) = 'true');

DROP INDEX recuerdo.store_items_by_expiry;
CREATE INDEX store_items_by_expiry ON recuerdo.store_items (expires_at) WHERE expires_at IS NOT NULL;
