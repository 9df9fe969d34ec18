#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A script as a target: its interpreter is profiled; $0 and the arguments are its own.
echo "script ${0##*/} $# $1 $2"
sum=0
for i in 1 2 3 4 5 6 7 8 9 10; do
	sum=$((sum + i))
done
echo "sum $sum"
echo 'c b a' | tr ' ' '\n' | sort | tr '\n' ' '
echo
(exit 9)
echo "subshell $?"
[ "$sum" -eq 55 ]
