-- PURGE: forget the entry and break the lease, so that nothing read before can be filled in.
-- KEYS entry, lease
return redis.call('DEL', KEYS[1], KEYS[2])
