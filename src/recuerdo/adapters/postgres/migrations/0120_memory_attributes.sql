-- What every prompt carries of a user (name, city, employer ...) is found without a look at all that is known of them.
CREATE INDEX memories_by_attribute ON recuerdo.memories (tenant, "user", attribute, created_at DESC, id)
    WHERE attribute IS NOT NULL;
