-- LOG BEGIN: notes that a run is its owner's and its thread's, and forgets runs that began too long ago.
-- KEYS index of the owner, index of the thread
-- ARGV time in ms, ms to live, run
for _, index in ipairs(KEYS) do
    redis.call('ZREMRANGEBYSCORE', index, '-inf', ARGV[1] - ARGV[2])
    redis.call('ZADD', index, ARGV[1], ARGV[3])
    redis.call('PEXPIRE', index, ARGV[2])
end
return 1
