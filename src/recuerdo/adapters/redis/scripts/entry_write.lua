-- ENTRY WRITE: replace the entry and break its lease; with a token only while that is the lease's, with a stamp only
-- while that is the entry's, whose latest end stays then.
-- KEYS entry, lease, generation...
-- ARGV new generation, its ms, token ('': in any case), old stamp ('': in any case), stamp, owner, ttl ms,
-- longest life ms, item...
-- Answers 1, also to a call that is sent again because its answer was lost, or 0 when the lease was broken or the stamp
-- is another.
local stamp, old_ends, owner = parsed(redis.call('LINDEX', KEYS[1], 0))
if stamp == ARGV[5] then return 1 end
if ARGV[3] ~= '' and redis.call('GET', KEYS[2]) ~= ARGV[3] .. ':' .. generations then return 0 end
local now, ttl = now_ms(), tonumber(ARGV[7])
local ends = now + tonumber(ARGV[8])
if ARGV[4] ~= '' then
    if stamp ~= ARGV[4] or owner ~= ARGV[6] then return 0 end
    ends = tonumber(old_ends)
    ttl = math.max(1, math.min(ttl, ends - now))
end
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('RPUSH', KEYS[1], string.format('%s:%.0f:%s:%s', ARGV[5], ends, generations, ARGV[6]))
for index = 9, #ARGV do redis.call('RPUSH', KEYS[1], ARGV[index]) end
redis.call('PEXPIRE', KEYS[1], ttl)
return 1
