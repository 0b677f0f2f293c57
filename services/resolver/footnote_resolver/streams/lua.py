"""What is done to the streams of turns in Redis in one step each, in Lua (Redis 6.2)."""

import hashlib

# What a new turn has said so far comes with the lease: to follow its stream first takes three more steps.
TAKE = """
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) == false then return {'held'} end
if redis.call('EXISTS', KEYS[2]) == 1 then return {'known'} end
if ARGV[4] == '0' then return {'gone'} end
redis.call('SET', KEYS[2], '1', 'PX', ARGV[3])
return {'new', redis.call('XRANGE', KEYS[3], '-', '+', 'COUNT', ARGV[5])}
"""
RENEW = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
"""
RELEASE = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
"""
# Many turns in one call. Each has four keys and, in ARGV, seven values with two more for each event. An id is
# made of the time and the event's number, so that a reader's `Last-Event-ID` says how much it has seen. What
# goes wrong with one turn is the answer for that turn alone.
APPEND = """
local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)
local answers = {}
local at = 1
for turn = 1, #KEYS / 4 do
  local lease, events = KEYS[4 * turn - 3], KEYS[4 * turn - 2]
  local seq, count = tonumber(ARGV[at + 2]), tonumber(ARGV[at + 6])
  local log, retention = ARGV[at + 4], ARGV[at + 5]
  local answer
  if redis.call('GET', lease) ~= ARGV[at] then answer = 'lost'
  elseif redis.call('XLEN', events) ~= tonumber(ARGV[at + 1]) then answer = 'moved'
  else
    local moment = math.max(now, tonumber(ARGV[at + 3]))
    answer = string.format('%.0f', moment)
    for i = 0, count - 1 do
      local id, part = string.format('%.0f-%d', moment, seq + i), at + 7 + 2 * i
      local written
      if i == 0 and log ~= '' then
        written = redis.pcall('XADD', events, id, 't', ARGV[part], 'e', ARGV[part + 1], 'j', log)
      else
        written = redis.pcall('XADD', events, id, 't', ARGV[part], 'e', ARGV[part + 1])
      end
      if type(written) == 'table' and written.err then answer = 'failed ' .. written.err; break end
    end
    if retention ~= '0' and string.sub(answer, 1, 6) ~= 'failed' then
      for i = 4 * turn - 2, 4 * turn do redis.call('PEXPIRE', KEYS[i], retention) end
      redis.call('DEL', lease)
    end
  end
  answers[turn] = answer
  at = at + 7 + 2 * count
end
return answers
"""

HASHES = {source: hashlib.sha1(source.encode()).hexdigest() for source in (TAKE, RENEW, RELEASE, APPEND)}  # noqa: S324
"""The hash by which Redis knows each of them once it was sent in full."""
