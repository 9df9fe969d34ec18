#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks that C has the layout of clang-format 14, as other versions lay out otherwise, and no line
# longer than 100 columns. check-python.py looks at Python. Prints the files that do not comply; fails if there is one. Exits
# with 77 if it cannot look at the layout.
set -eu
cd "${1:-$(dirname "$0")/..}"

format=$(command -v clang-format-14 || echo clang-format)
files=$(find src include tests examples -name '*.[ch]' | LC_ALL=C sort)
status=0
if "$format" --version 2>/dev/null | grep -q 'version 14\.'; then
	wrong=$("$format" --dry-run -Werror $files 2>&1) || status=1
	echo "$wrong" | sed -n 's/:[0-9:]*: error: .*/: not as clang-format lays it out/p' | uniq -c
else
	status=77
fi
# a tab reaches to the next multiple of 8
long=$(awk 'length > 100 - 7 * gsub(/\t/, "&") {
		width = 0
		n = split($0, part, "\t")
		for (i = 1; i < n; i++)
			width += length(part[i]) + 8 - (width + length(part[i])) % 8
		if (width + length(part[n]) > 100)
			print FILENAME ": a line is longer than 100 columns"
	}' $files | uniq)
if [ -n "$long" ]; then
	echo "$long"
	status=1
fi
exit $status
