-- Step 3: the partitioned table takes the name. Appends wait for some milliseconds. Where the lock is not had within two
-- seconds nothing has happened: run it again.
BEGIN;
SET LOCAL lock_timeout = '2s';
LOCK TABLE recuerdo.messages, recuerdo.passage_vectors IN ACCESS EXCLUSIVE MODE;
DROP TRIGGER mirror ON recuerdo.messages;
DROP FUNCTION recuerdo.mirror_message();
DROP PROCEDURE recuerdo.copy_messages(bigint);
ALTER TABLE recuerdo.passage_vectors DROP CONSTRAINT passage_vectors_tenant_epoch_seq_fkey;
ALTER TABLE recuerdo.messages RENAME TO messages_unpartitioned;
ALTER TABLE recuerdo.messages_by_tenant RENAME TO messages;
ALTER TABLE recuerdo.passage_vectors ADD CONSTRAINT passage_vectors_tenant_epoch_seq_fkey
    FOREIGN KEY (tenant, epoch, seq) REFERENCES recuerdo.messages (tenant, epoch, seq) ON DELETE CASCADE NOT VALID;
COMMIT;
ALTER TABLE recuerdo.passage_vectors VALIDATE CONSTRAINT passage_vectors_tenant_epoch_seq_fkey;
