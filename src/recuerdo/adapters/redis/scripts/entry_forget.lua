-- ENTRY FORGET: begin a new generation of a group, so that every entry and every lease under the old one is void.
-- KEYS generation
-- ARGV generation, its ms
return redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
