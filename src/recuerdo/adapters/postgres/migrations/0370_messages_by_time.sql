-- All messages of a user by time are merged from those of each thread. Epochs are unique over all tenants.
CREATE INDEX messages_by_time ON recuerdo.messages (epoch, created_at);
