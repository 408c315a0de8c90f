-- How alike two vectors of unit length are: by pgvector, or by plain SQL where it can't be had.
DO $$
DECLARE
    place text;
BEGIN
    SELECT n.nspname INTO place FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace
    WHERE e.extname = 'vector';
    EXECUTE format(
        'CREATE OR REPLACE FUNCTION recuerdo.cosine(one real[], other real[]) RETURNS double precision
         LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS %L',
        CASE
            WHEN place IS NULL THEN 'SELECT sum(x::double precision * y) FROM unnest(one, other) AS pair (x, y)'
            ELSE format('SELECT -(one::%1$I.vector OPERATOR(%1$I.<#>) other::%1$I.vector)', place)
        END
    );
END
$$;
