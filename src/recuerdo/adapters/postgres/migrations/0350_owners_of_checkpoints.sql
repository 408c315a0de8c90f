-- Operators look through the checkpoints of all tenants for damage: which owners have some, and nothing of what is in them.
CREATE POLICY sweeper ON recuerdo.checkpoint_threads FOR SELECT
    USING (current_setting('recuerdo.sweeping', true) = 'true');
