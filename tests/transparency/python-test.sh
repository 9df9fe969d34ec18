# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by a case: runs one module of Python's own test suite. Times and load averages are not
# printed; which tests failed is.
mkdir tmp
TMPDIR=$PWD/tmp /usr/bin/python3.11 -m test -v "$TEST" >log 2>&1
status=$?
grep -E '^(FAIL|ERROR): |^Result: |^Ran [0-9]+ tests' log | sed 's/ in [0-9.]*s$//'
rm -rf log tmp
exit $status
