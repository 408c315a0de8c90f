-- ENTRY EXTEND: put items behind those of the entry, which gets a new stamp and keeps its time; always breaks the lease.
-- An absent entry stays absent: nobody would know that what came before is missing. A call that is sent again because
-- its answer was lost changes nothing.
-- KEYS entry, lease, generation...
-- ARGV new generation, its ms, stamp, owner, item...
redis.call('DEL', KEYS[2])
local stamp, ends, owner = parsed(redis.call('LINDEX', KEYS[1], 0))
if owner ~= ARGV[4] then return 0 end
if stamp == ARGV[3] then return 1 end
redis.call('LSET', KEYS[1], 0, string.format('%s:%s:%s:%s', ARGV[3], ends, generations, owner))
for index = 5, #ARGV do redis.call('RPUSH', KEYS[1], ARGV[index]) end
return 1
