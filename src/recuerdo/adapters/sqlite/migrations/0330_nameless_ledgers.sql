-- Where an owner's memories stand outlives an erasure, and names nobody.
UPDATE memory_owners SET user = ledger_name(tenant, user);
