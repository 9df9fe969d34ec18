#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Turns a text file into the body of a C string, one literal for each line. (Meson changes
# backslashes in commands into slashes, so this cannot be in a meson.build.)
exec sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/"&\\n"/' "$1"
