#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A text file as the body of a C string, one literal for each line. (Meson turns the backslashes
# of a command into slashes, so this cannot stand in a meson.build.)
exec sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/"&\\n"/' "$1"
