-- VERIFY: the database was at this head. An entry that is behind it is forgotten; where there is none the lease is
-- broken, because whoever holds it may have read the database before.
-- KEYS entry, lease
-- ARGV owner, epoch (0: the thread is deleted), seq, revision
-- Answers 1 when an entry was forgotten, else 0.
local entry = redis.call('HMGET', KEYS[1], 'owner', 'epoch', 'seq', 'revision')

local function holds()
    if entry[1] ~= ARGV[1] then return false end
    local epoch, true_epoch = tonumber(entry[2]), tonumber(ARGV[2])
    if epoch ~= true_epoch then return epoch > true_epoch and true_epoch > 0 end
    return tonumber(entry[3]) >= tonumber(ARGV[3]) and tonumber(entry[4]) >= tonumber(ARGV[4])
end

if entry[1] and holds() then return 0 end
redis.call('DEL', KEYS[2])
return redis.call('DEL', KEYS[1])
