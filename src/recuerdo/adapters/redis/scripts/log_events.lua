-- LOG EVENTS: writes down what a run told, unless somebody who took the run over has written already.
-- KEYS stream, token of the writer
-- ARGV token, most events, ms to live, whether it must be known, then id, name, data of each event
-- Answers 1, or 0 for a writer whose token is older, and for a log that was sealed; -1 for one that must be known and is
-- not: it was begun, and Redis has lost everything since. An event that is there already is not written again.
local token = redis.call('GET', KEYS[2])
if token == 'inf' then return 0 end
if not token and ARGV[4] == '1' then return -1 end
if tonumber(ARGV[1]) < tonumber(token or '0') then return 0 end
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[3])
for place = 5, #ARGV, 3 do
    redis.pcall('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], ARGV[place], 'name', ARGV[place + 1], 'data', ARGV[place + 2])
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
