-- Step 2, outside of a transaction: may be stopped and run again.
CALL recuerdo.copy_messages(5000);
ANALYZE recuerdo.messages_by_tenant;
