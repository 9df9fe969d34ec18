#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Installs missing Debian packages, and names them. If none is missing it accesses neither the
# network nor the system.
#
#   scripts/deps.sh          packages to build, run and test
#   scripts/deps.sh --all    also the programs that `make check-all` and `make bench` run
#   scripts/deps.sh --world  also languages, servers and browsers that `make check-all` tries if they
#                            are there: 3 GB, and Debian starts the servers
#   scripts/deps.sh --list   print the names of the missing packages, install nothing
set -eu

build='gcc g++ libc6-dev make meson ninja-build pkg-config python3 libzydis-dev libdw-dev
libelf-dev libdeflate-dev libsqlite3-dev libsmartcols-dev libjansson-dev libiberty-dev
libncurses-dev libcmocka-dev'
# The quick transparency cases run these; groff reads the manual pages, gfortran builds an example.
check='groff-base gfortran clang-format procps gzip bzip2 xz-utils sqlite3 perl gawk git libjemalloc2
libtcmalloc-minimal4 valgrind'
all='zstd openssl redis-server redis-tools stress-ng nodejs default-jdk-headless
libpython3.11-testsuite kcachegrind xvfb xdotool imagemagick tesseract-ocr tesseract-ocr-eng
dbus-daemon binutils'
world='clang libclang-rt-14-dev golang-go rustc fpc ghc ocaml-nox musl-tools luajit ruby php-cli r-base-core
octave nginx-light memcached postgresql mariadb-server ffmpeg chromium firefox-esr libreoffice-writer-nogui
wine64 bubblewrap strace'

is_installed() {
	dpkg-query -W -f '${Status}\n' "$1" 2>/dev/null | grep -q '^install ok installed'
}

# Some packages may come from elsewhere: only the command counts.
is_there() {
	is_installed "$1" || is_installed "$1t64" && return 0
	case $1 in
	gawk) command -v awk >/dev/null ;;
	nodejs) command -v node >/dev/null ;;
	default-jdk-headless) command -v javac >/dev/null ;;
	golang-go) command -v go >/dev/null ;;
	rustc) command -v rustc >/dev/null ;;
	nginx-light) command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] ;;
	*) return 1 ;;
	esac
}

wanted="$build $check"
case ${1:-} in
--all) wanted="$wanted $all" ;;
--world) wanted="$wanted $all $world" ;;
esac
missing=
for package in $wanted; do
	is_there "$package" || missing="$missing $package"
done

if [ "${1:-}" = --list ]; then
	echo $missing
	exit 0
fi
if [ -z "$missing" ]; then
	echo "deps: nothing is missing"
	exit 0
fi
echo "deps: installing with apt-get:$missing"
run=
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null || {
		echo "deps: no root and no sudo; please install:$missing" >&2
		exit 1
	}
	echo "deps: apt-get needs root: using sudo"
	run=sudo
fi
export DEBIAN_FRONTEND=noninteractive
$run apt-get install -y --no-install-recommends $missing || {
	echo "deps: trying again after apt-get update"
	$run apt-get update
	$run apt-get install -y --no-install-recommends $missing
}
