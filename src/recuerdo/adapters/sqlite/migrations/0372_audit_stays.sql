-- Entries of the audit log are removed when they are older than 30 days, the shortest retention, and not before.
CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit
WHEN old.at >= (strftime('%s', 'now') - 30 * 86400) * 1000000
BEGIN
    SELECT RAISE(ABORT, 'entries of the audit log are kept for 30 days at least');
END;

-- REPLACE would remove the entry that it replaces without asking the trigger above.
CREATE TRIGGER audit_is_not_replaced BEFORE INSERT ON audit
WHEN EXISTS (SELECT 1 FROM audit WHERE tenant = new.tenant AND at = new.at AND id = new.id)
BEGIN
    SELECT RAISE(IGNORE);
END;
