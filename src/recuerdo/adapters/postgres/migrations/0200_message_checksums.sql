-- The CRC-32 of the body; NULL of what versions without checksums have written, and still write.
ALTER TABLE recuerdo.messages ADD COLUMN checksum bigint;
