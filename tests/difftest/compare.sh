#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs difftest natively and under a command, and compares what both print.
#
#   compare.sh [-d DIR] DIFFTEST [difftest options] -- COMMAND...
#
# COMMAND is put in front of difftest: compare.sh build/difftest --quick -- \
#	build/dwell record -q -o /tmp/d.db --mode count --
# Exit status: 0 all equal, 1 some differ (the first ones are shown run by run), 2 could not run.
set -u

dir=''
if [ "${1:-}" = -d ]; then
	dir=$2
	shift 2
fi
if [ $# -lt 3 ]; then
	sed -n 's/^# \{0,1\}//;3,9p' "$0" >&2
	exit 2
fi
difftest=$1
shift
# The options go to a string: none of difftest's options holds a space.
options=''
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	options="$options $1"
	shift
done
[ $# -gt 1 ] || exit 2
shift

remove=''
if [ -z "$dir" ]; then
	dir=$(mktemp -d) || exit 2
	remove=$dir
fi
trap '[ -z "$remove" ] || rm -rf "$remove"' EXIT
shown=5 # differing forms that are run again, in detail

# Natively, once: both runs have the same inputs.
"$difftest" --probe-stack || options="$options --stack-stays"
# The other run goes on after a form that kills the process; a native one never does.
# shellcheck disable=SC2086
"$difftest" $options --not-covered >"$dir/native" || exit 2
# shellcheck disable=SC2086
"$@" "$difftest" $options --fork >"$dir/other" 2>"$dir/other.err"
status=$?
grep '^# not covered' "$dir/native"
grep -v '^#' "$dir/native" >"$dir/native.lines"
grep -v '^#' "$dir/other" >"$dir/other.lines"
if cmp -s "$dir/native.lines" "$dir/other.lines" && [ $status -eq 0 ]; then
	echo "all equal: $(grep '^# [0-9]' "$dir/native" | cut -c3-)"
	exit 0
fi

[ $status -eq 0 ] || echo "the command ended with status $status: $(tail -n 3 "$dir/other.err")"
awk 'NR == FNR { native[$1] = $2 " " $3; next }
	{ seen[$1] = 1 }
	native[$1] != $2 " " $3 { print $1, "native", native[$1], "here", $2, $3 }
	END { for (key in native) if (!(key in seen)) print key, "native", native[key], "here missing" }' \
	"$dir/native.lines" "$dir/other.lines" | sort >"$dir/all"
grep -v '^#' "$(dirname "$0")/known-differences" >"$dir/known"
grep -E -f "$dir/known" "$dir/all" | sed 's/^/documented difference: /'
grep -E -v -f "$dir/known" "$dir/all" >"$dir/differ"
cat "$dir/differ"
if [ ! -s "$dir/differ" ] && [ $status -eq 0 ]; then
	echo "all equal but $(wc -l <"$dir/all") with a documented difference"
	exit 0
fi
echo "$(wc -l <"$dir/differ") of $(wc -l <"$dir/native.lines") lines differ"

# An address inside a snippet depends on what else is run: natively too, one form is run alone.
for key in $(head -n $shown "$dir/differ" | cut -d' ' -f1); do
	# shellcheck disable=SC2086
	"$difftest" $options --form "$key" --verbose >"$dir/one.native"
	# shellcheck disable=SC2086
	"$@" "$difftest" $options --form "$key" --verbose >"$dir/one.other" 2>"$dir/one.err"
	echo "== $key: < native, > here"
	diff --unchanged-line-format= --old-line-format='< %L' --new-line-format='> %L' \
		"$dir/one.native" "$dir/one.other" | head -n 24
	awk 'NR == FNR { line[FNR] = $0; next }
		/^  [a-z]/ { run = $0 }
		/^    [0-9a-f][0-9a-f] / { code = $0 }
		line[FNR] != $0 { print "in" run; print code; exit }' \
		"$dir/one.native" "$dir/one.other"
	tail -n 3 "$dir/one.err"
done
exit 1
