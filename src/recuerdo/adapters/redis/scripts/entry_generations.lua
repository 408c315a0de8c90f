-- What the scripts of entries begin with.
-- KEYS[3] and those behind it are the generations of the entry's groups; one that is not there begins now.
-- ARGV[1], ARGV[2] a new generation, and how many ms it lives
local generations = ''
if KEYS[3] then
    local known = redis.call('MGET', unpack(KEYS, 3))
    for index = 1, #known do
        if not known[index] then
            known[index] = ARGV[1]
            redis.call('SET', KEYS[index + 2], ARGV[1], 'PX', ARGV[2])
        end
    end
    generations = table.concat(known)
end

local function parsed(head)
    local stamp, ends, under, owner = string.match(head or '', '^(%x+):(%d+):(%x*):(.*)$')
    if under == generations then return stamp, ends, owner end
end

local function now_ms()
    local now = redis.call('TIME')
    return now[1] * 1000 + math.floor(now[2] / 1000)
end

