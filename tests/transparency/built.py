#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs that compilers make for the transparency cases, as built.list describes them."""
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# Compilers are found as the user finds them, and nothing else of the environment reaches them.
KEPT = ('PATH', 'HOME', 'IN', 'RUSTUP_HOME', 'CARGO_HOME')


def rows():
    """name -> (needs, command)."""
    with open(os.path.join(HERE, 'built.list')) as f:
        fields = [line.rstrip('\n').split('|', 2) for line in f
                  if line.strip() and not line.startswith('#')]
    return {name.strip(): (needs.split(), command.strip()) for name, needs, command in fields}


def make(name, folder):
    """Make folder/NAME unless it is there; why it cannot be made, or None."""
    target = os.path.join(folder, name)
    if os.path.exists(target):
        return None
    needs, command = rows()[name]
    missing = [n for n in needs if not shutil.which(n)]
    if missing:
        return 'needs ' + ' '.join(missing)
    work = target + '.work'
    os.makedirs(work)
    environment = {k: os.environ[k] for k in KEPT if k in os.environ}
    environment.update(LC_ALL='C', S=os.path.join(HERE, 'sources'), B=folder)
    try:
        made = subprocess.run(['bash', '-c', command], cwd=work, env=environment, timeout=120,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        said = made.stdout.decode('utf-8', 'replace')
    except subprocess.TimeoutExpired:
        said = 'took more than two minutes'
    shutil.rmtree(work, ignore_errors=True)
    return None if os.path.exists(target) else '%s cannot be built: %s' % (name, said[-300:])


def main():
    """Make all of them in the folder that is named, and say which there are."""
    for name in rows():
        print('%-12s %s' % (name, make(name, os.path.abspath(sys.argv[1])) or 'made'))


if __name__ == '__main__':
    main()
