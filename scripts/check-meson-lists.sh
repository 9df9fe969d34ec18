#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks that each source file of src/ and each unit test is in the meson.build beside it, and that
# each file named there exists: files that are not compiled are not tested.
set -eu
cd "${1:-$(dirname "$0")/..}"

status=0
complain() {
	echo "$*"
	status=1
}

for list in src/*/meson.build tests/unit/meson.build; do
	folder=$(dirname "$list")
	for file in $(find "$folder" -name '*.[cS]'); do
		name=${file#"$folder"/}
		# For a command, the list has only its name.
		case $name in commands/cmd_*) name=${name#commands/cmd_} ;; esac
		grep -q "'$name'" "$list" || grep -q "'${name%.c}'" "$list" ||
			complain "$file: not in $list"
	done
	for name in $(grep -o "'[A-Za-z0-9_/-]*\.[cS]'" "$list" | tr -d "'"); do
		[ -e "$folder/$name" ] || complain "$list: names $name, which does not exist"
	done
done
for folder in src/*/; do
	[ -e "$folder/meson.build" ] || complain "${folder}meson.build: missing"
done
exit $status
