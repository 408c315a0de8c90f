-- ENTRY READ: the items of an entry, or that it is as the caller knows it; else a lease to fill it.
-- KEYS entry, lease
-- ARGV owner, known stamp ('': none), ttl ms to refresh with ('': as it is), first, last, lease token ('': no lease is
-- wanted), lease ms
-- Answers {'same'}, {'hit', stamp, {item...}}, {'lease'} or {'busy'}.
local head = redis.call('LINDEX', KEYS[1], 0)
local stamp, ends, owner
if head then stamp, ends, owner = string.match(head, '^(%x+):(%d+):(.*)$') end
if head and owner == ARGV[1] then
    if ARGV[3] ~= '' then
        local now = redis.call('TIME')
        local left = tonumber(ends) - (now[1] * 1000 + math.floor(now[2] / 1000))
        redis.call('PEXPIRE', KEYS[1], math.max(1, math.min(tonumber(ARGV[3]), left)))
    end
    if stamp == ARGV[2] then return {'same'} end
    local first, last = tonumber(ARGV[4]), tonumber(ARGV[5])
    local length = redis.call('LLEN', KEYS[1]) - 1
    if first < 0 then first = math.max(0, length + first) end
    if last < 0 then last = length + last else last = math.min(last, length - 1) end
    return {'hit', stamp, last < first and {} or redis.call('LRANGE', KEYS[1], first + 1, last + 1)}
end
if ARGV[6] ~= '' and redis.call('SET', KEYS[2], ARGV[6], 'NX', 'PX', ARGV[7]) then return {'lease'} end
return {'busy'}
