-- Makes the transaction the app role's, for the tenants, and lets plans be good for tables of any size: a function calls it
-- where it declares its variables, for an expression costs less than a statement. A session that is ours is all that from
-- its start, but for the tenants, and says so in `recuerdo.serves`.
CREATE OR REPLACE FUNCTION recuerdo.become(app_role text, tenants text[]) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('recuerdo.serves', true) IS DISTINCT FROM app_role THEN
        PERFORM
            set_config('role', app_role, true),
            set_config('plan_cache_mode', 'force_generic_plan', true),
            set_config('enable_seqscan', 'off', true);
    END IF;
    RETURN set_config('recuerdo.tenants', tenants::text, true);
END
$$;
