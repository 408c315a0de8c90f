-- LOG BEGIN: notes that a run is its owner's, and forgets the owner's runs that began too long ago.
-- KEYS index of the owner
-- ARGV time in ms, ms to live, run, thread
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1] - ARGV[2])
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[3] .. ' ' .. ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
