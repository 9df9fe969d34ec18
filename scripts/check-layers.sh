#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks includes: a folder of src/ may include its own headers, and those of the folders in the
# table, only as "folder/file.h". Some folders have rooms, each in its own folder. A room may
# include the rooms before it in its list, which are the floors below it, and the same other folders
# as its own folder. Prints each breach; fails if there is one.
set -eu
cd "${1:-$(dirname "$0")/..}"

# folder: the folders it may include
table='
channel:
base:
query: base
options: base
sim:
engine: channel sim
symbols: base
model: base
store: base
import: base store
merge: base store
collector: base channel symbols model sim store
profile: base query store model
estimate: base query store model profile
events: base query store model
answer: base query store model profile estimate events
views: base query store model profile estimate events answer
export: base query store model profile estimate events answer views
cli: base query options channel symbols model sim store import merge collector profile estimate events answer views export
'

# folder: its rooms, from the ground floor up
rooms='
engine: core decode codecache translate unwind data drive sample simulate run
engine/simulate: plan counts observe state calls miss emit replay mode lines
sim: base cache system curve calls plan
'

find src -name '*.[chS]' | LC_ALL=C sort | xargs awk -v table="$table" -v rooms="$rooms" '
BEGIN {
	n = split(table, row, "\n")
	for (i = 1; i <= n; i++) {
		if (row[i] == "")
			continue
		split(row[i], half, ":")
		known[half[1]] = 1
		m = split(half[2], word, " ")
		for (j = 1; j <= m; j++)
			may[half[1], word[j]] = 1
		may[half[1], half[1]] = 1
	}
	n = split(rooms, row, "\n")
	for (i = 1; i <= n; i++) {
		split(row[i], half, ":")
		m = split(half[2], word, " ")
		for (j = 1; j <= m; j++)
			floor[half[1], word[j]] = j
		has_rooms[half[1]] = m
	}
}
FNR == 1 {
	split(FILENAME, part, "/")
	folder = part[2]
	if (!(folder in known))
		breach("folder " folder " is not in the table")
	room = part[3]
	if (has_rooms[folder] && !((folder, room) in floor))
		breach("room " folder "/" room " is not in the table")
	outer = folder "/" room
	inner = part[4]
	if (has_rooms[outer] && !((outer, inner) in floor))
		breach("room " outer "/" inner " is not in the table")
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, quoted, "\"")
	path = quoted[2]
	slash = index(path, "/")
	if (slash == 0 || path ~ /\.\./)
		breach("include \"" path "\": write \"folder/file.h\"")
	else if (!((folder, substr(path, 1, slash - 1)) in may))
		breach(folder " must not include \"" path "\"")
	else if (has_rooms[folder] && substr(path, 1, slash - 1) == folder) {
		split(path, step, "/")
		if (floor[folder, step[2]] > floor[folder, room])
			breach(folder "/" room " must not include \"" path "\", which is a floor above")
		if (has_rooms[outer] && step[1] "/" step[2] == outer &&
		    floor[outer, step[3]] > floor[outer, inner])
			breach(outer "/" inner " must not include \"" path "\", which is a floor above")
	}
}
# sim also runs inside a target, so it may include only headers of the compiler.
folder == "sim" && /^[ \t]*#[ \t]*include[ \t]*</ && !/<std(int|bool|def)\.h>/ {
	breach("sim is freestanding: it must not include " $NF)
}
function breach(text) {
	printf "%s:%d: %s\n", FILENAME, FNR, text
	breaches++
}
END { exit breaches > 0 }
'
