-- All messages of a user by time are merged from those of each thread.
CREATE INDEX messages_by_time ON messages (epoch, created_at);
