#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The layout of the code is what clang-format makes of it, and no line is longer than 100 columns.
# Prints the files that are not so; fails if there is one. Ends with 77 without clang-format.
set -eu
cd "${1:-$(dirname "$0")/..}"

command -v clang-format >/dev/null || exit 77
files=$(find src include -name '*.[ch]' | LC_ALL=C sort)
status=0
wrong=$(clang-format --dry-run -Werror $files 2>&1) || status=1
echo "$wrong" | sed -n 's/:[0-9:]*: error: .*/: not as clang-format lays it out/p' | uniq -c
for file in $files; do
	expand -t 8 "$file" | grep -qE '^.{101}' || continue
	echo "$file: a line is longer than 100 columns"
	status=1
done
exit $status
