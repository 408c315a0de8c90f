-- The key of that digest, for a transaction that has named no tenant.
CREATE OR REPLACE FUNCTION recuerdo.api_key(presented bytea) RETURNS SETOF recuerdo.api_keys LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('recuerdo.api_key', encode(presented, 'hex'), true);
    RETURN QUERY SELECT * FROM recuerdo.api_keys WHERE digest = presented;
END
$$;
