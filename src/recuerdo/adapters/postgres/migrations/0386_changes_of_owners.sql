-- A search of one user's history asks which of their threads have changed, and reads no others.
CREATE INDEX threads_by_owner_change ON recuerdo.threads (tenant, "user", changed_about);
