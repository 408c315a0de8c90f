-- By the tenant, which never changes: PostgreSQL copies a row into all indexes when a column of one of them changes, and
-- each append changes updated_at.
DROP INDEX IF EXISTS recuerdo.threads_deleted;
CREATE INDEX threads_deleted ON recuerdo.threads (tenant) WHERE deleted AND "user" <> '~';
