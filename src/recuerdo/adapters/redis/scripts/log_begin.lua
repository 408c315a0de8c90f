-- LOG BEGIN: notes that a run is its owner's and its thread's, and forgets runs that began too long ago. A seal is noted
-- as a run by the name of '*': a run that began before it, and is noted only now, is refused by 0.
-- KEYS index of the owner, index of the thread
-- ARGV ms since it began, ms to live, run
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local began = now - ARGV[1]
for _, index in ipairs(KEYS) do
    local sealed = redis.call('ZSCORE', index, '*')
    if began < now and sealed and tonumber(sealed) >= began then
        return 0
    end
end
for _, index in ipairs(KEYS) do
    redis.call('ZREMRANGEBYSCORE', index, '-inf', now - ARGV[2])
    redis.call('ZADD', index, began, ARGV[3])
    redis.call('PEXPIRE', index, ARGV[2])
end
return 1
