#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Asks a server on a Unix socket many times from several threads, and prints what came back, in
order.

    ask.py http SOCKET REQUESTS PATH...
    ask.py memcached SOCKET REQUESTS
"""
import hashlib
import socket
import sys
import threading

THREADS = 4


def connect(path):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(60)
    s.connect(path)
    return s


def http(path, count, paths):
    """A digest of each path's bodies; the connection stays open as long as the server likes."""
    sums = {p: hashlib.sha256() for p in paths}
    for i in range(count):
        name = paths[i % len(paths)]
        with connect(path) as s:
            s.sendall(b'GET /%s HTTP/1.0\r\n\r\n' % name.encode())
            data = b''.join(iter(lambda: s.recv(65536), b''))
        head, _, body = data.partition(b'\r\n\r\n')
        sums[name].update(head.split(b'\r\n')[0] + body)
    return ' '.join(s.hexdigest()[:16] for s in sums.values())


def memcached(path, count, number):
    sums = hashlib.sha256()
    with connect(path) as s:
        f = s.makefile('rwb')
        for i in range(count):
            key, value = b'%d-%d' % (number, i % 100), b'v' * (i % 1000) + b'%d' % i
            f.write(b'set %s 0 0 %d\r\n%s\r\nget %s\r\n' % (key, len(value), value, key))
            f.flush()
            for _ in range(4):
                sums.update(f.readline())
    return sums.hexdigest()[:16]


def main():
    what, path, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    answers = [None] * THREADS

    def ask(n):
        try:
            answers[n] = http(path, count, sys.argv[4:]) if what == 'http' else memcached(path,
                                                                                          count, n)
        except OSError as e:
            answers[n] = str(e)
    threads = [threading.Thread(target=ask, args=(n,)) for n in range(THREADS)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    print('\n'.join(answers))


if __name__ == '__main__':
    main()
