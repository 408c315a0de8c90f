-- BUCKET TAKE: take from a token bucket, which is full where it is not known, or nothing where it has less.
-- KEYS bucket
-- ARGV cost, size, per second
-- Answers {1 or 0, what is left}, as texts.
local now = redis.call('TIME')
local at = now[1] + now[2] / 1000000
local cost, size, rate = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local known = redis.call('HMGET', KEYS[1], 'left', 'at')
local left = math.min(size, (tonumber(known[1]) or size) + math.max(0, at - (tonumber(known[2]) or at)) * rate)
cost = math.min(cost, size)
local granted = left >= cost
if granted then left = left - cost end
redis.call('HSET', KEYS[1], 'left', tostring(left), 'at', string.format('%.6f', at))
redis.call('PEXPIRE', KEYS[1], math.ceil(size / rate * 1000) + 1000)
return {granted and '1' or '0', tostring(left)}
