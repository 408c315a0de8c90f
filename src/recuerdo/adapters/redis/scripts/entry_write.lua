-- ENTRY WRITE: replace the entry and break its lease; with a token only while that is the lease's.
-- KEYS entry, lease
-- ARGV token ('': in any case), stamp, owner, ttl ms, longest life ms, item...
-- Answers 1, or 0 when the lease was broken.
if ARGV[1] ~= '' and redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1], KEYS[2])
local now = redis.call('TIME')
local ends = now[1] * 1000 + math.floor(now[2] / 1000) + tonumber(ARGV[5])
redis.call('RPUSH', KEYS[1], string.format('%s:%.0f:%s', ARGV[2], ends, ARGV[3]))
for index = 6, #ARGV do redis.call('RPUSH', KEYS[1], ARGV[index]) end
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1
