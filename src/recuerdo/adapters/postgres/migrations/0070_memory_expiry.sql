-- Sweepers and operators see of all tenants who has memories, and which can expire; they change one only for a tenant
-- that they name.
CREATE POLICY sweeper ON recuerdo.memories FOR SELECT
    USING (expires_at IS NOT NULL AND current_setting('recuerdo.sweeping', true) = 'true');
CREATE POLICY sweeper ON recuerdo.memory_owners FOR SELECT
    USING (current_setting('recuerdo.sweeping', true) = 'true');

-- Whoever had memories before there were owners. (It runs as the tables' owner, whom the policies bind, too.)
ALTER TABLE recuerdo.memories NO FORCE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.memory_owners NO FORCE ROW LEVEL SECURITY;
INSERT INTO recuerdo.memory_owners (tenant, "user", epoch, version)
SELECT DISTINCT tenant, "user", 0, 0 FROM recuerdo.memories ON CONFLICT DO NOTHING;
ALTER TABLE recuerdo.memories FORCE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.memory_owners FORCE ROW LEVEL SECURITY;
