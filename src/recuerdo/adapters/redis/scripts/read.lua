-- READ: the newest messages of a thread, if the entry is its own, fresh and long enough; else a lease to fill it.
-- KEYS entry, lease
-- ARGV owner, epoch ('': any), revision ('': any), least epoch, least seq, wanted messages, lease token, lease ms
-- Answers {'hit', epoch, seq, revision, system, message...}, {'lease'} or {'busy'}.
local entry = redis.call('HMGET', KEYS[1], 'owner', 'epoch', 'seq', 'revision', 'first', 'system')
local owner, epoch, seq = entry[1], tonumber(entry[2]), tonumber(entry[3])
local revision, first = tonumber(entry[4]), tonumber(entry[5])

local function fresh()
    if owner ~= ARGV[1] then return false end
    if ARGV[2] ~= '' and epoch ~= tonumber(ARGV[2]) then return false end
    if ARGV[3] ~= '' and revision ~= tonumber(ARGV[3]) then return false end
    local least_epoch = tonumber(ARGV[4])
    return epoch > least_epoch or (epoch == least_epoch and seq >= tonumber(ARGV[5]))
end

if owner and fresh() then
    local from = math.max(first, seq - tonumber(ARGV[6]) + 1)
    if from == 1 or seq - from + 1 >= tonumber(ARGV[6]) then
        local fields = {}
        for number = from, seq do fields[#fields + 1] = number end
        local messages = #fields > 0 and redis.call('HMGET', KEYS[1], unpack(fields)) or {}
        return {'hit', epoch, seq, revision, entry[6], unpack(messages)}
    end
end
if redis.call('SET', KEYS[2], ARGV[7], 'NX', 'PX', ARGV[8]) then return {'lease'} end
return {'busy'}
