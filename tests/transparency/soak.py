#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A server under load for a long time under Dwell: its answers stay right, and memory stays flat.

    soak.py [--minutes 20] [--server memcached|redis] [--mode sample|count|simulate]

Four threads store and fetch values. Each answer is checked. Every second the resident memory of the
server with the engine in it, and of the collector, is read. The median of the last quarter of the
run must not be above that of the second quarter by more than 5 % and 4 MB. The server must end as
it does natively, and the profile must have counted accesses.
"""
import argparse
import os
import shutil
import signal
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time

THREADS, KEYS, BATCH = 4, 500, 50
SLACK_KB = 4096
SERVERS = {'memcached': (['memcached', '-u', 'root', '-t', '4', '-m', '16', '-s', 'SOCKET'],
                         signal.SIGINT),
           'redis': (['redis-server', '--port', '0', '--unixsocket', 'SOCKET', '--save', '',
                      '--appendonly', 'no'],
                     signal.SIGTERM),}


def words(kind, key, value):
    """What stores the value and fetches it, and what has to come back."""
    if kind == 'memcached':
        return (b'set %s 0 0 %d\r\n%s\r\nget %s\r\n' % (key, len(value), value, key),
                b'STORED\r\nVALUE %s 0 %d\r\n%s\r\nEND\r\n' % (key, len(value), value))
    return (b'*3\r\n$3\r\nSET\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n*2\r\n$3\r\nGET\r\n$%d\r\n%s\r\n' % (
                len(key), key, len(value), value, len(key), key),
            b'+OK\r\n$%d\r\n%s\r\n' % (len(value), value))


class Load:
    """Threads that ask until `stop`; `requests` counts answers, `wrong` says what was not right."""

    def __init__(self, kind, path):
        self.kind, self.path, self.stop = kind, path, threading.Event()
        self.requests, self.wrong = [0] * THREADS, []
        self.threads = [threading.Thread(target=self.run, args=(n,)) for n in range(THREADS)]
        for t in self.threads:
            t.start()

    def batch(self, f, number, i):
        asked, expected = [], []
        for k in range(i, i + BATCH):
            a, e = words(self.kind, b'%d-%d' % (number, k % KEYS),
                         b'v' * (k * 37 % 900) + b'%d' % k)
            asked.append(a)
            expected.append(e)
        f.write(b''.join(asked))
        f.flush()
        expected = b''.join(expected)
        return f.read(len(expected)) == expected

    def run(self, number):
        try:
            # Connections come and go, as they do with a real server.
            while not self.stop.is_set():
                with socket.socket(socket.AF_UNIX) as s:
                    s.settimeout(60)
                    s.connect(self.path)
                    f = s.makefile('rwb')
                    for _ in range(20):
                        if not self.batch(f, number, self.requests[number]):
                            raise OSError('a wrong answer')
                        self.requests[number] += BATCH
                time.sleep(0.01)
        except OSError as e:
            self.wrong.append('thread %d after %d requests: %s' % (number, self.requests[number],
                                                                   e))

    def end(self):
        self.stop.set()
        for t in self.threads:
            t.join()


def resident_kb(pid):
    """Private and shared pages of a process that are in memory."""
    with open('/proc/%d/smaps_rollup' % pid) as f:
        return next(int(line.split()[1]) for line in f if line.startswith('Rss:'))


def child_of(pid):
    """The program that `dwell record` with this pid has started, or None."""
    with open('/proc/%d/task/%d/children' % (pid, pid)) as f:
        children = f.read().split()
    return int(children[0]) if children else None


def is_flat(name, samples):
    quarter = len(samples) // 4
    early, late = (statistics.median(samples[a:a + quarter]) for a in (quarter,
                                                                       len(samples) - quarter))
    ok = late <= early * 1.05 + SLACK_KB
    print('soak: %s: %.1f MB in the second quarter, %.1f MB in the last: %s' % (
        name, early / 1024, late / 1024, 'flat' if ok else 'GROWS'))
    return ok


def counted(profile):
    with sqlite3.connect('file:%s?mode=ro' % profile, uri=True) as db:
        return db.execute('SELECT sum(accesses) FROM process').fetchone()[0] or 0


def soak(options, folder):
    path, profile = os.path.join(folder, 's'), os.path.join(folder, 'p.db')
    argv, ends_by = SERVERS[options.server]
    argv = [path if a == 'SOCKET' else a for a in argv]
    command = ['simulate'] if options.mode == 'simulate' else ['record', '--mode', options.mode]
    dwell = subprocess.Popen([os.path.join(options.build,
                                           'dwell')] + command + ['-q', '-o', profile, '--'] + argv,
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 30
    while not os.path.exists(path):
        if dwell.poll() is not None or time.monotonic() > deadline:
            dwell.kill()
            sys.exit('soak: the server did not begin')
        time.sleep(0.05)
    server, memory = child_of(dwell.pid), {'server': [], 'collector': []}
    load = Load(options.server, path)
    end = time.monotonic() + options.minutes * 60
    while time.monotonic() < end and not load.wrong and dwell.poll() is None:
        memory['server'].append(resident_kb(server))
        memory['collector'].append(resident_kb(dwell.pid))
        time.sleep(1)
    load.end()
    failed = list(load.wrong)
    if dwell.poll() is None:
        os.kill(server, ends_by)
    try:
        status = dwell.wait(120)
    except subprocess.TimeoutExpired:
        dwell.kill()
        status = 'none after two minutes'
    print('soak: %d requests in %.1f minutes' % (sum(load.requests), options.minutes))
    if status != 0:
        failed.append('exit status %s' % status)
    failed += [name + ' grows' for name, samples in memory.items()
               if len(samples) < 8 or not is_flat(name, samples)]
    if not failed and counted(profile) == 0:
        failed.append('the profile counts no accesses')
    for what in failed:
        print('soak: ' + what)
    return 1 if failed else 0


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    p.add_argument('--build', default='build')
    p.add_argument('--minutes', type=float, default=20)
    p.add_argument('--server', choices=sorted(SERVERS), default='redis')
    p.add_argument('--mode', choices=['count', 'sample', 'simulate'], default='sample')
    options = p.parse_args()
    if not shutil.which(SERVERS[options.server][0][0]):
        print('soak: %s is not installed' % SERVERS[options.server][0][0])
        return 77
    folder = tempfile.mkdtemp(prefix='dwell-soak-')
    try:
        return soak(options, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == '__main__':
    sys.exit(main())
