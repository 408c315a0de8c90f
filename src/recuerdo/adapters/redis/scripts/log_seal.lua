-- LOG SEAL: removes what a run told, lets its listeners go, and refuses what it tells from now on.
-- KEYS stream, token of the writer
-- ARGV ms that the end is kept, ms that writers are refused
redis.call('SET', KEYS[2], 'inf', 'PX', ARGV[2])
if redis.call('DEL', KEYS[1]) == 1 then
    redis.call('XADD', KEYS[1], '*', 'name', '', 'data', '')
    redis.call('PEXPIRE', KEYS[1], ARGV[1])
end
return 1
