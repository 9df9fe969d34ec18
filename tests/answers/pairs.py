#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does a comparison say which of two builds waits less for memory?

Ten programs before and after a change that gains time. `diff` of samples says that the one after it
waits less. Where only the order of accesses changes, a prefetcher makes the difference, which no
cache knows: there `diff` must not say the opposite.

    pairs.py [--build DIR]
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

PAIRS = ['columns', 'one-field', 'narrow', 'tree', 'strings', 'join', 'product', 'fused']
BY_PREFETCHERS = ['records', 'list']


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--build', default='build')
    options = parser.parse_args()
    dwell = os.path.join(options.build, 'dwell')
    program = os.path.join(options.build, 'tests', 'answers', 'pairs')
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in PAIRS + BY_PREFETCHERS:
            profiles = [os.path.join(folder, '%s-%s.db' % (name, side))
                        for side in ('before', 'after')]
            for side, profile in zip(('before', 'after'), profiles):
                subprocess.run([dwell, 'record', '-q', '-o', profile, '--', program, name, side],
                               check=True, stdout=subprocess.DEVNULL)
            done = subprocess.run([dwell, 'diff', '--fail-if', 'cost > 0%', '--format', 'json'] +
                                  profiles, capture_output=True, text=True)
            found = json.loads(done.stdout)
            before, after = found['cost_a'], found['cost_b']
            good = done.returncode == 0 and (name in BY_PREFETCHERS or
                                             after['high'] < before['low'])
            failed += not good
            print('%-8s %-10s %.3g cycles (%.3g - %.3g), then %.3g (%.3g - %.3g)' %
                  ('ok' if good else 'FAILED', name, before['cycles'], before['low'],
                   before['high'], after['cycles'], after['low'], after['high']))
    print('pairs: %d ok, %d failed' % (len(PAIRS + BY_PREFETCHERS) - failed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
