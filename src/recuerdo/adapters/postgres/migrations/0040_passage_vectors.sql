-- What searches of histories compare: a vector a message, in the model's own way of writing. Whoever erases a message
-- erases its vector, and a vector that comes late finds no message to stay with.
CREATE TABLE recuerdo.passage_vectors (
    tenant text COLLATE "C" NOT NULL,
    epoch bigint NOT NULL,
    seq bigint NOT NULL,
    model text NOT NULL,
    vector bytea NOT NULL,
    PRIMARY KEY (tenant, epoch, seq),
    FOREIGN KEY (tenant, epoch, seq) REFERENCES recuerdo.messages (tenant, epoch, seq) ON DELETE CASCADE
);

ALTER TABLE recuerdo.passage_vectors ALTER COLUMN vector SET STORAGE EXTERNAL; -- vectors don't compress

ALTER TABLE recuerdo.passage_vectors ENABLE ROW LEVEL SECURITY;
ALTER TABLE recuerdo.passage_vectors FORCE ROW LEVEL SECURITY;
CREATE POLICY tenants ON recuerdo.passage_vectors
    USING (tenant = ANY ((SELECT nullif(current_setting('recuerdo.tenants', true), '')::text[])::text[]));
