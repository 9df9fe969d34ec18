# SPDX-License-Identifier: GPL-2.0-or-later
# Hashes, strings, blocks, threads and exceptions; the same output each time.
count = Hash.new(0)
60_000.times { |i| count[(i * 7919) % 997] += i }
puts count.values.sum, count.max_by { |k, v| [v, k] }.inspect
puts (1..3).map { |s| Thread.new { (1..20_000).inject { |a, b| (a * 31 + b * s) % 1_000_003 } } }.map(&:value).inspect
puts (1..3000).map { |i| (i * i % 1009).to_s }.sort.each_slice(500).map(&:first).join(',')
begin
  Integer('x')
rescue ArgumentError => e
  puts e.message
end
puts `echo backticks`
