#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks that the code has clang-format's layout, and no line longer than 100 columns. Prints the
# files that do not comply; fails if there is one. Exits with 77 without clang-format.
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
