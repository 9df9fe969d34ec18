#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The layout of the code is what clang-format makes of it, and no line is longer than 100 columns.
# Prints the files that are not so; fails if there is one, and says 77 where clang-format is missing.
set -eu
cd "${1:-$(dirname "$0")/..}"

command -v clang-format >/dev/null || exit 77
# The simulation's rooms have their turn when their insides have been moved.
files=$(find src include -name '*.[ch]' ! -path 'src/sim/*' ! -path 'src/engine/simulate/*' | LC_ALL=C sort)
status=0
clang-format --dry-run -Werror $files 2>/tmp/check-format.$$ || status=1
sed -n 's/: error: .*//p' /tmp/check-format.$$ | cut -d: -f1 | uniq -c
rm -f /tmp/check-format.$$
for file in $files; do
	expand -t 8 "$file" | grep -qE '^.{101}' || continue
	echo "$file: a line is longer than 100 columns"
	status=1
done
exit $status
