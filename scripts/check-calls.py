#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks calls between rooms: no room of the engine, of engine/simulate or of sim may use a symbol
of a floor above. So no circle of files spans two rooms.

    check-calls.py SOURCE BUILD

The floors are those of check-layers.sh. The used symbols are read from the engine's object files,
so that hand-written prototypes are found, too. Prints each breach; the exit status is 1 if there is
one, 77 if the engine is not built.
"""
import os
import re
import subprocess
import sys
from collections import defaultdict


def floors(source):
    """(folder, room) -> floor, from the table in check-layers.sh."""
    text = open(os.path.join(source, 'scripts', 'check-layers.sh')).read()
    table = re.search(r"^rooms='\n(.*?)^'", text, re.M | re.S).group(1)
    result = {}
    for line in table.splitlines():
        folder, rooms = line.split(':')
        result.update({(folder, room): i for i, room in enumerate(rooms.split())})
    return result


def rooms_of(path, floor):
    """folder -> the room of it in which the file lies, for each folder that has rooms."""
    words = path.split(os.sep)[1:-1]
    return {os.sep.join(words[:i]): words[i] for i in range(1, len(words))
            if any(folder == os.sep.join(words[:i]) for folder, _ in floor)}


def objects(source, build):
    """path -> its object file."""
    folders = [os.path.join(build, name) for name in ('dwell-engine.p', 'libdwell-engine-scan.a.p')]
    for top in 'engine', 'sim':
        for at, _, names in os.walk(os.path.join(source, 'src', top)):
            for name in names:
                path = os.path.relpath(os.path.join(at, name), source)
                for folder in folders:
                    file = os.path.join(folder, path.replace(os.sep, '_') + '.o')
                    if os.path.exists(file):
                        yield path, file


def symbols(file):
    """(defined, used) global names of an object file."""
    defined, used = set(), set()
    listed = subprocess.run(['nm', '-g', file], capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        words = line.split()
        (used if words[-2] == 'U' else defined).add(words[-1])
    return defined, used


def goes_up(user, owner, floor):
    """Whether the owner lies on a floor above the user's, in a folder that has both."""
    mine, other = rooms_of(user, floor), rooms_of(owner, floor)
    return any(folder in other and floor[folder, other[folder]] > floor[folder, room]
               for folder, room in mine.items())


def main():
    source, build = sys.argv[1:]
    floor, home, uses = floors(source), {}, {}
    for path, file in objects(source, build):
        defined, uses[path] = symbols(file)
        home.update({name: path for name in defined})
    if not uses:
        sys.exit(77)
    breaches = defaultdict(list)
    for path, names in uses.items():
        for name in names & home.keys():
            if goes_up(path, home[name], floor):
                breaches[path, home[name]].append(name)
    for (user, owner), names in sorted(breaches.items()):
        print('%s: uses %s of %s, a floor above' % (user, ', '.join(sorted(names)), owner))
    sys.exit(len(breaches) > 0)


if __name__ == '__main__':
    main()
