-- Documents that agents look things up in, and their chunks. A document's chunks are those of its edition.
CREATE TABLE recuerdo.library_documents (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    edition text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    body text NOT NULL, -- JSON
    PRIMARY KEY (tenant, id)
);

CREATE TABLE recuerdo.document_chunks (
    tenant text COLLATE "C" NOT NULL,
    document text COLLATE "C" NOT NULL,
    edition text COLLATE "C" NOT NULL,
    number integer NOT NULL,
    body text NOT NULL, -- JSON
    model text, -- whose the vector is
    vector bytea,
    PRIMARY KEY (tenant, document, edition, number)
);

CREATE TABLE recuerdo.library_versions (
    tenant text COLLATE "C" NOT NULL PRIMARY KEY,
    version bigint NOT NULL
);

ALTER TABLE recuerdo.library_documents ENABLE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.library_documents FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON recuerdo.library_documents
    USING (tenant = ANY ((SELECT nullif(current_setting('recuerdo.tenants', true), '')::text[])::text[]));
ALTER TABLE recuerdo.document_chunks ENABLE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.document_chunks FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON recuerdo.document_chunks
    USING (tenant = ANY ((SELECT nullif(current_setting('recuerdo.tenants', true), '')::text[])::text[]));
ALTER TABLE recuerdo.library_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.library_versions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON recuerdo.library_versions
    USING (tenant = ANY ((SELECT nullif(current_setting('recuerdo.tenants', true), '')::text[])::text[]));
