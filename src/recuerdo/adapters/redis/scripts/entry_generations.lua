-- What the scripts of entries begin with.
-- KEYS[3] and those behind it are the generations of the entry's groups; one that is not there begins now.
-- ARGV[1], ARGV[2] a new generation, and how many ms it lives
local generations = ''
for index = 3, #KEYS do
    local generation = redis.call('GET', KEYS[index])
    if not generation then
        generation = ARGV[1]
        redis.call('SET', KEYS[index], generation, 'PX', ARGV[2])
    end
    generations = generations .. generation
end

local function parsed(head)
    local stamp, ends, under, owner = string.match(head or '', '^(%x+):(%d+):(%x*):(.*)$')
    if under == generations then return stamp, ends, owner end
end

local function now_ms()
    local now = redis.call('TIME')
    return now[1] * 1000 + math.floor(now[2] / 1000)
end

