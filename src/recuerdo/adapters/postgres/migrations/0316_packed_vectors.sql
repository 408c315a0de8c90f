ALTER TABLE recuerdo.memories ADD COLUMN packed bytea; -- instead of a vector, when it is no array of numbers: encrypted
