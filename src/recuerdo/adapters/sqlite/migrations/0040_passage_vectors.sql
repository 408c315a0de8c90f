-- What searches of histories compare: a vector a message, in the model's own way of writing.
CREATE TABLE passage_vectors (
    epoch INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    model TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (epoch, seq)
) STRICT, WITHOUT ROWID;

-- Whoever erases a message erases its vector.
CREATE TRIGGER passage_vectors_leave AFTER DELETE ON messages BEGIN
    DELETE FROM passage_vectors WHERE epoch = old.epoch AND seq = old.seq;
END;
