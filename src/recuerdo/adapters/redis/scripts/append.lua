-- APPEND: messages were committed; always breaks the lease. An absent entry stays absent, a gap, an older epoch or
-- another revision deletes it, else it is extended and trimmed.
-- KEYS entry, lease
-- ARGV owner, epoch, first seq, kept messages, ttl ms, system ('' when none is among them), revision ('': not known),
-- message...
redis.call('DEL', KEYS[2])
local entry = redis.call('HMGET', KEYS[1], 'owner', 'epoch', 'seq', 'first', 'revision')
if not entry[1] then return 0 end
local epoch, seq, first = tonumber(entry[2]), tonumber(entry[3]), tonumber(entry[4])
local new_epoch, new_first = tonumber(ARGV[2]), tonumber(ARGV[3])
local new_seq = new_first + #ARGV - 8

if entry[1] == ARGV[1] and epoch > new_epoch then return 0 end
if entry[1] ~= ARGV[1] or epoch < new_epoch or new_first > seq + 1 then
    redis.call('DEL', KEYS[1])
    return -1
end
if new_seq <= seq then return 0 end
if tonumber(entry[5]) ~= tonumber(ARGV[7]) then
    redis.call('DEL', KEYS[1])
    return -1
end
for number = seq + 1, new_seq do redis.call('HSET', KEYS[1], number, ARGV[number - new_first + 8]) end
redis.call('HSET', KEYS[1], 'seq', new_seq)
if ARGV[6] ~= '' then redis.call('HSET', KEYS[1], 'system', ARGV[6]) end
local new_start = math.max(first, new_seq - tonumber(ARGV[4]) + 1)
for number = first, new_start - 1 do redis.call('HDEL', KEYS[1], number) end
redis.call('HSET', KEYS[1], 'first', new_start)
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return 1
