#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures what Dwell promises, each part in one run, as ratios with their bars. Takes less than
# half an hour.
#
#   scripts/bench.sh BUILD [PART...]     parts: record allocations memory simulate several data model accuracy ranks
#
# Exit status 1 if a bar is missed.
set -u

build=$1
shift
missed=

part() {
	name=$1
	title=$2
	shift 2
	case " $parts " in
	*" $name "*) ;;
	*) return ;;
	esac
	printf '\n== %s: %s\n' "$name" "$title"
	"$@" || missed="$missed $name"
}

parts=${*:-record allocations memory simulate several data model accuracy ranks}
for wanted in $parts; do
	case $wanted in
	record | allocations | memory | simulate | several | data | model | accuracy | ranks) ;;
	*)
		echo "bench: no part '$wanted'; there are record, allocations, memory, simulate, several, data, model, accuracy and ranks" >&2
		exit 2
		;;
	esac
done
part record 'CPU time of counting and sampling over the native run, 3 s; start-up' \
	tests/perf/bench.py -n 1 --dwell "$build/dwell"
part record 'the same, 10 s' tests/perf/bench.py -n 1 --long --dwell "$build/dwell"
part allocations 'what a call of malloc or free takes more, in nanoseconds (bar: 150)' \
	tests/perf/alloc.py --dwell "$build/dwell" --program "$build/tests/perf/bench_alloc"
part memory 'largest resident sizes, MB' tests/perf/memory.py --dwell "$build/dwell"
part simulate 'CPU time of exact simulation, against Callgrind and Cachegrind' \
	tests/perf/bench_simulate.py -n 1 --dwell "$build/dwell"
part several 'seven hierarchies of caches in one run' tests/perf/bench_multi.py --dwell "$build/dwell"
part data 'misses by data structure (bar: a mean of 1.3, 1.8 for each)' \
	tests/perf/bench_data.py --dwell "$build/dwell"
part model 'one more point of a curve of 100,000 samples, in milliseconds (bar: 10)' \
	"$build/tests/perf/bench_model" --bar 10
part accuracy 'sampled curves of seven programs against exact ones' \
	tests/accuracy/seven_programs.py --build "$build" --runs 1 --policy random,lru --line 32,64,128
part accuracy 'sampled curves of programs that wait for memory' \
	tests/accuracy/memory_bound.py --build "$build" --runs 3 --policy random,lru
part accuracy 'and of the examples' \
	tests/accuracy/memory_bound.py --build "$build" --runs 3 --policy random,lru --examples
part ranks 'lines by their misses in 32 KB, in the order of the exact ones (bar: .9)' \
	tests/accuracy/line_ranks.py --build "$build" --runs 3 --rank 0.9
if [ -n "$missed" ]; then
	printf '\nbelow the bar:%s\n' "$missed"
	exit 1
fi
printf '\nall bars are met\n'
