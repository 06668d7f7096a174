-- Sends the requests of a file one after another, and prints the results as one line of JSON.
-- Arguments: the file (raw requests, separated by NUL), the number of requests to skip, and the requests per second (0: as
-- fast as possible).
local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

function init(args)
  requests = {}
  for request in io.open(args[1], "rb"):read("*a"):gmatch("%Z+") do
    table.insert(requests, request)
  end
  sent = tonumber(args[2])
  local rate = tonumber(args[3])
  if rate > 0 then
    pace(rate)
  end
end

function request()
  sent = sent + 1
  return requests[(sent - 1) % #requests + 1]
end

-- Each request has a time at which it is sent if a connection is free.
function pace(rate)
  local ffi = require("ffi")
  ffi.cdef("typedef struct { long s, us; } timeval_t; int gettimeofday(timeval_t *, void *);")
  local time = ffi.new("timeval_t")
  local function now()
    ffi.C.gettimeofday(time, nil)
    return tonumber(time.s) * 1000 + tonumber(time.us) / 1000
  end
  local due = now()
  function delay()
    due = due + 1000 / rate
    return math.floor(math.max(0, due - now()))
  end
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    '{"requests": %d, "seconds": %.6f, "p50": %.3f, "p99": %.3f, "max": %.3f, "errors": %d, "sent": %d}',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency.max / 1000,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout, threads[1]:get("sent")))
end
