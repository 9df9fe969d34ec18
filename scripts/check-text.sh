#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks small rules that a compiler does not know: a licence line in each source file, no functions
# that write without a bound or hide errors, no files that are too long, no left-over marks.
set -eu
cd "${1:-$(dirname "$0")/..}"

max_lines=600
# Files that may be longer, each with its reason in its first comment; one path a line.
longer='docs/man/dwell-simulate.1'

status=0
complain() {
	echo "$*"
	status=1
}

# One reader for all files: to start some programs for each would take most of the time.
found=$(find src tests scripts examples completions docs/man .ci meson.build meson_options.txt Makefile \
	-type f ! -name '*.sql' ! -name '*.md' ! -name '*.bin' ! -path '*/corpus/*' \
	! -path '*/data/*' ! -path '*/golden/*' ! -path '*/__pycache__/*' -print0 |
	xargs -0 awk -v most="$max_lines" -v longer="$longer" '
		function judge() {
			if (!licensed)
				print file ": no SPDX-License-Identifier line at its top"
			if (lines > most && index("\n" longer "\n", "\n" file "\n") == 0)
				print file ": " lines " lines; over " most \
					" it wants splitting, or a place in the list"
		}
		FNR == 1 {
			if (file != "")
				judge()
			file = FILENAME
			licensed = 0
		}
		{ lines = FNR }
		FNR <= 5 && /SPDX-License-Identifier: GPL-2.0-or-later/ { licensed = 1 }
		END { judge() }')
[ -z "$found" ] || complain "$found"
empty=$(find src tests scripts -name '*.[chS]' -empty)
[ -z "$empty" ] || complain "$empty: an empty file"

banned='strcpy|strncpy|strcat|strncat|sprintf|vsprintf|gets|strtok|atoi|atol|atof'
grep -rnE --include='*.[chS]' "(^|[^A-Za-z0-9_])($banned)[[:space:]]*\(" src &&
	complain "src: these functions are banned: $banned"
grep -rnE "\b(TO""DO|FIX""ME|X""XX|HA""CK)\b" src && complain "src: left-over marks"
grep -rnE '[[:space:]]$' --include='*.[chS]' src && complain "src: white space at the end of a line"
exit $status
