-- FILL: replace the entry by what was read from the database, unless the lease was broken meanwhile.
-- KEYS entry, lease
-- ARGV lease token, ttl ms, owner, epoch, seq, revision, first seq, system, message...
-- Answers 1, or 0 when it was refused.
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1], KEYS[2])
local first = tonumber(ARGV[7])
redis.call('HSET', KEYS[1], 'owner', ARGV[3], 'epoch', ARGV[4], 'seq', ARGV[5], 'revision', ARGV[6],
    'first', ARGV[7], 'system', ARGV[8])
for index = 9, #ARGV do redis.call('HSET', KEYS[1], first + index - 9, ARGV[index]) end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
