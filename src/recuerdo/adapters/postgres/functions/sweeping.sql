-- What sweepers see of all tenants: keys and times, and no text. These views are their owner's, whom alone the policies of
-- sweepers let see more; the role that requests are served as has the views. Nothing is there unless somebody sweeps.
-- It runs whenever this text changes, behind all tables, so that the policies of their migrations are replaced.
DROP POLICY IF EXISTS sweeper ON recuerdo.threads;
DROP POLICY IF EXISTS sweeper_forgets ON recuerdo.threads;
DROP POLICY IF EXISTS sweeper ON recuerdo.documents;
DROP POLICY IF EXISTS sweeper ON recuerdo.memories;
DROP POLICY IF EXISTS sweeper ON recuerdo.memory_owners;
DROP POLICY IF EXISTS sweeper ON recuerdo.store_items;
DROP POLICY IF EXISTS sweeper ON recuerdo.checkpoint_threads;
DROP POLICY IF EXISTS sweeper_sees ON recuerdo.spent_keys;
DROP POLICY IF EXISTS sweeper_forgets ON recuerdo.spent_keys;
DROP POLICY IF EXISTS sweeper_sees ON recuerdo.sessions;
DROP POLICY IF EXISTS sweeper_removes ON recuerdo.sessions;
DROP POLICY IF EXISTS sweeper ON recuerdo.data_keys;
DROP POLICY IF EXISTS sweeper_sees ON recuerdo.audit;
DROP POLICY IF EXISTS sweeper_forgets ON recuerdo.audit;

CREATE POLICY sweeper ON recuerdo.threads FOR SELECT TO CURRENT_USER
    USING (current_setting('recuerdo.sweeping', true) = 'true');
CREATE POLICY sweeper_forgets ON recuerdo.threads FOR UPDATE TO CURRENT_USER
    USING (deleted AND current_setting('recuerdo.sweeping', true) = 'true')
    WITH CHECK (deleted AND "user" = '~' AND current_setting('recuerdo.sweeping', true) = 'true');
CREATE POLICY sweeper ON recuerdo.documents FOR SELECT TO CURRENT_USER
    USING (due IS NOT NULL AND current_setting('recuerdo.sweeping', true) = 'true');
CREATE POLICY sweeper ON recuerdo.memories FOR SELECT TO CURRENT_USER
    USING (current_setting('recuerdo.sweeping', true) = 'true');
CREATE POLICY sweeper ON recuerdo.store_items FOR SELECT TO CURRENT_USER
    USING (expires_at IS NOT NULL AND current_setting('recuerdo.sweeping', true) = 'true');
CREATE POLICY sweeper ON recuerdo.checkpoint_threads FOR SELECT TO CURRENT_USER
    USING (current_setting('recuerdo.sweeping', true) = 'true');
CREATE POLICY sweeper_sees ON recuerdo.spent_keys FOR SELECT TO CURRENT_USER
    USING (current_setting('recuerdo.sweeping', true) = 'true');
CREATE POLICY sweeper_forgets ON recuerdo.spent_keys FOR DELETE TO CURRENT_USER
    USING (current_setting('recuerdo.sweeping', true) = 'true');
CREATE POLICY sweeper_sees ON recuerdo.sessions FOR SELECT TO CURRENT_USER
    USING (current_setting('recuerdo.sweeping', true) = 'true');
CREATE POLICY sweeper_removes ON recuerdo.sessions FOR DELETE TO CURRENT_USER
    USING (current_setting('recuerdo.sweeping', true) = 'true');
CREATE POLICY sweeper ON recuerdo.data_keys FOR SELECT TO CURRENT_USER
    USING (current_setting('recuerdo.sweeping', true) = 'true');
CREATE POLICY sweeper_sees ON recuerdo.audit FOR SELECT TO CURRENT_USER
    USING (current_setting('recuerdo.sweeping', true) = 'true');
CREATE POLICY sweeper_forgets ON recuerdo.audit FOR DELETE TO CURRENT_USER
    USING (current_setting('recuerdo.sweeping', true) = 'true');

CREATE OR REPLACE VIEW recuerdo.swept_threads AS
    SELECT tenant, "user", thread, epoch, last_seq, revision, deleted, changed, changed_about FROM recuerdo.threads
    WHERE current_setting('recuerdo.sweeping', true) = 'true';
CREATE OR REPLACE VIEW recuerdo.swept_tombstones AS
    SELECT "user", thread, updated_at FROM recuerdo.threads
    WHERE deleted AND "user" <> '~' AND current_setting('recuerdo.sweeping', true) = 'true';
CREATE OR REPLACE VIEW recuerdo.swept_documents AS
    SELECT tenant, "user", kind, id, due FROM recuerdo.documents
    WHERE due IS NOT NULL AND current_setting('recuerdo.sweeping', true) = 'true';
CREATE OR REPLACE VIEW recuerdo.swept_memories AS
    SELECT tenant, "user", id, expires_at FROM recuerdo.memories
    WHERE expires_at IS NOT NULL AND current_setting('recuerdo.sweeping', true) = 'true';
CREATE OR REPLACE VIEW recuerdo.swept_memory_owners AS
    SELECT DISTINCT tenant, "user" FROM recuerdo.memories WHERE current_setting('recuerdo.sweeping', true) = 'true';
CREATE OR REPLACE VIEW recuerdo.swept_items AS
    SELECT tenant, "user", expires_at FROM recuerdo.store_items
    WHERE expires_at IS NOT NULL AND current_setting('recuerdo.sweeping', true) = 'true';
CREATE OR REPLACE VIEW recuerdo.swept_checkpoint_threads AS
    SELECT tenant, "user" FROM recuerdo.checkpoint_threads WHERE current_setting('recuerdo.sweeping', true) = 'true';
CREATE OR REPLACE VIEW recuerdo.swept_keys AS
    SELECT digest, spent_at FROM recuerdo.spent_keys WHERE current_setting('recuerdo.sweeping', true) = 'true';
CREATE OR REPLACE VIEW recuerdo.swept_sessions AS
    SELECT session, expires_at FROM recuerdo.sessions WHERE current_setting('recuerdo.sweeping', true) = 'true';
CREATE OR REPLACE VIEW recuerdo.swept_data_keys AS
    SELECT tenant, number FROM recuerdo.data_keys WHERE current_setting('recuerdo.sweeping', true) = 'true';
CREATE OR REPLACE VIEW recuerdo.swept_audit AS -- nobody removes what is younger
    SELECT id, at FROM recuerdo.audit
    WHERE at < now() - interval '30 days' AND current_setting('recuerdo.sweeping', true) = 'true';
