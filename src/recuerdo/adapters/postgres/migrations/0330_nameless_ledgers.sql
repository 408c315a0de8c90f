-- Where an owner's memories stand outlives an erasure, and names nobody; core.memories.ledger_name makes the same name.
ALTER TABLE recuerdo.memory_owners NO FORCE ROW LEVEL SECURITY;
UPDATE recuerdo.memory_owners SET "user" = encode(sha256(convert_to(
    octet_length(convert_to(tenant, 'UTF8')) || ':' || tenant
    || octet_length(convert_to("user", 'UTF8')) || ':' || "user", 'UTF8')), 'hex');
ALTER TABLE recuerdo.memory_owners FORCE ROW LEVEL SECURITY;
