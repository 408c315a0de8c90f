-- The CRC-32 of the body; NULL of what versions without checksums have written, and still write.
ALTER TABLE messages ADD COLUMN checksum INTEGER;
