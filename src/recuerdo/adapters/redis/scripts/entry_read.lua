-- ENTRY READ: the items of an entry, or that it is as the caller knows it; else a lease to fill it.
-- KEYS entry, lease, generation...
-- ARGV new generation, its ms, owner, known stamp ('': none), ttl ms to refresh with ('': as it is), lease token
-- ('': no lease is wanted), lease ms
-- Answers {'same'}, {'hit', stamp, {item...}}, {'lease'} or {'busy'}.
local stamp, ends, owner = parsed(redis.call('LINDEX', KEYS[1], 0))
if stamp and owner == ARGV[3] then
    -- an entry that was refreshed a moment ago is not written again, nor told to the server's replicas
    local ttl = tonumber(ARGV[5])
    if ttl and redis.call('PTTL', KEYS[1]) < ttl * 0.99 then
        redis.call('PEXPIRE', KEYS[1], math.max(1, math.min(ttl, tonumber(ends) - now_ms())))
    end
    if stamp == ARGV[4] then return {'same'} end
    return {'hit', stamp, redis.call('LRANGE', KEYS[1], 1, -1)}
end
if ARGV[6] == '' then return {'busy'} end
local lease = redis.call('GET', KEYS[2])
if lease and string.match(lease, ':(%x*)$') == generations then return {'busy'} end
redis.call('SET', KEYS[2], ARGV[6] .. ':' .. generations, 'PX', ARGV[7])
return {'lease'}
