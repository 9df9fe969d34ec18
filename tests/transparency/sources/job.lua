-- SPDX-License-Identifier: GPL-2.0-or-later
-- Tables, strings, closures and coroutines; the same output each time.
local n, t = 100000, {}
for i = 1, n do t[i] = i * 7919 % n + 1 end
local at, sum = 1, 0
for _ = 1, 5 * n do at = t[at]; sum = (sum + at) % 1000003 end
print(at, sum)
local words = {}
for i = 1, 5000 do words[i] = ("%d"):format(i * i % 1009) end
table.sort(words)
print(words[1], words[2500], words[5000], #table.concat(words))
local co = coroutine.wrap(function() for i = 1, 1000 do coroutine.yield(i * i) end end)
local s = 0
for _ = 1, 1000 do s = s + co() end
print(s, pcall(error, "caught", 0))
