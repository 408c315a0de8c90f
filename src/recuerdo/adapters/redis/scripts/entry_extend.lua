-- ENTRY EXTEND: put items behind those of the entry, which gets a new stamp and keeps its time; always breaks the lease.
-- An absent entry stays absent: nobody would know that what came before is missing.
-- KEYS entry, lease
-- ARGV stamp, owner, item...
redis.call('DEL', KEYS[2])
local head = redis.call('LINDEX', KEYS[1], 0)
if not head then return 0 end
local ends, owner = string.match(head, '^%x+:(%d+):(.*)$')
if owner ~= ARGV[2] then return 0 end
redis.call('LSET', KEYS[1], 0, string.format('%s:%s:%s', ARGV[1], ends, owner))
for index = 3, #ARGV do redis.call('RPUSH', KEYS[1], ARGV[index]) end
return 1
