-- LOG TAKE: gives a writer a token that is greater than all before it. Writers with those are refused from now on.
-- KEYS token of the writer
-- ARGV ms to live
-- Answers the token. A log that was sealed stays so: whoever writes to it is refused, whatever their token.
local token = redis.call('GET', KEYS[1])
if token == 'inf' then return 1 end
local taken = tonumber(token or '0') + 1
redis.call('SET', KEYS[1], taken, 'PX', ARGV[1])
return taken
