#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Draw the picture of README.md from a profile: the miss-ratio curve and the functions behind it.

    demo-picture.py DWELL PROFILE [--size 32K] [-o docs/demo.svg]

All figures come from 'dwell curve --format csv' and 'dwell report --format json'. The colours
follow the reader's theme, light or dark.
"""
import argparse
import csv
import io
import json
import math
import subprocess

WIDTH, HEIGHT = 960, 340
LEFT, RIGHT, TOP, BOTTOM = 56, 500, 56, 292    # the plot
TABLE = 548  # left edge of the table
ROWS = 3  # functions, and again data structures

STYLE = '''
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #1f2328; }
.title { font: 600 15px system-ui, sans-serif; }
.small { font-size: 12px; fill: #59636e; }
.end { text-anchor: end; } .middle { text-anchor: middle; }
.axis { stroke: #59636e; } .grid { stroke: #d1d9e0; } .mark { stroke: #bc4c00; stroke-dasharray: 4 3; }
.marked { fill: #bc4c00; font-weight: 600; }
.curve { stroke: #0969da; stroke-width: 2.5; fill: none; } .band { fill: #0969da; opacity: .16; }
.bar { fill: #0969da; opacity: .22; }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc; } .small { fill: #9198a1; } .axis { stroke: #9198a1; }
.grid { stroke: #3d444d; } .mark { stroke: #f0883e; } .marked { fill: #f0883e; }
.curve { stroke: #4493f8; } .band, .bar { fill: #4493f8; }
}'''


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('dwell')
    parser.add_argument('profile')
    parser.add_argument('--size', default='32K', help='the cache whose misses the table ranks')
    parser.add_argument('-o', '--output', default='docs/demo.svg')
    return parser.parse_args()


def view(dwell, *words):
    return subprocess.run([dwell, *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def escape(text):
    return str(text).replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')


def size_word(size):
    for factor, unit in ((1 << 30, 'G'), (1 << 20, 'M'), (1 << 10, 'K')):
        if size >= factor:
            return '%g%s' % (round(size / factor, 1), unit)
    return str(size)


def text(x, y, words, style=''):
    return '<text x="%.1f" y="%.1f"%s>%s</text>' % (
        x, y, ' class="%s"' % style if style else '', escape(words))


def line(x1, y1, x2, y2, style):
    return '<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" class="%s"/>' % (x1, y1, x2, y2, style)


class Plot:
    """Sizes to the right by their logarithm, miss ratios upwards."""

    def __init__(self, points):
        self.points = points
        self.low, self.high = points[0][0], points[-1][0]
        top = max(p[3] for p in points)
        self.step = 0.05 if top <= 0.25 else 0.1 if top <= 0.6 else 0.2
        self.top = self.step * math.ceil(top / self.step)

    def x(self, size):
        return LEFT + (RIGHT - LEFT) * math.log(size / self.low) / math.log(self.high / self.low)

    def y(self, ratio):
        return BOTTOM - (BOTTOM - TOP) * ratio / self.top

    def path(self, column, points):
        return ' '.join('%.1f,%.1f' % (self.x(p[0]), self.y(p[column])) for p in points)

    def axes(self):
        for i in range(round(self.top / self.step) + 1):
            y = self.y(i * self.step)
            yield line(LEFT, y, RIGHT, y, 'grid' if i else 'axis')
            yield text(LEFT - 8, y + 4, '%.0f %%' % (100 * i * self.step), 'small end')
        for i, point in enumerate(self.points):
            if i % 3 == 0:
                yield text(self.x(point[0]), BOTTOM + 18, size_word(point[0]), 'small middle')
        yield text((LEFT + RIGHT) / 2, BOTTOM + 36, 'cache size', 'small middle')

    def curve(self):
        band = self.path(2, self.points) + ' ' + self.path(3, self.points[::-1])
        yield '<polygon class="band" points="%s"/>' % band
        yield '<polyline class="curve" points="%s"/>' % self.path(1, self.points)

    def caches(self, caches):
        for cache in caches:
            size = cache['size_bytes']
            if not self.low <= size <= self.high:
                yield text(RIGHT, TOP + 12, '%s %s' % (cache['name'], size_word(size)),
                           'marked end')
                yield text(RIGHT, TOP + 28, '%.1f %%' % (100 * cache['miss_ratio']), 'marked end')
                continue  # beyond the plot
            yield line(self.x(size), TOP, self.x(size), BOTTOM, 'mark')
            yield text(self.x(size) + 5, TOP + 12,
                       '%s %s' % (cache['name'], size_word(size)), 'marked')
            yield text(self.x(size) + 5, TOP + 28, '%.1f %%' % (100 * cache['miss_ratio']),
                       'marked')


def table(y, heading, rows):
    """A heading, and rows of (share, name) with a bar behind each share."""
    yield text(TABLE, y, 'MISSES', 'small')
    yield text(TABLE + 84, y, heading, 'small')
    for share, name in rows:
        y += 22
        yield '<rect x="%d" y="%d" width="%.1f" height="17" class="bar"/>' % (
            TABLE, y - 13, 76 * share)
        yield text(TABLE + 70, y, '%.1f %%' % (100 * share), 'end')
        yield text(TABLE + 84, y, name if len(name) <= 40 else name[:39] + '…')


def rows_of(found, name):
    return [(row['miss_share'], name(row)) for row in found[:ROWS] if row['miss_share'] > 0.001]


def picture(report, points):
    plot = Plot(points)
    yield ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" '
           'aria-label="Miss ratio by cache size, and the functions and data that miss">' %
           (WIDTH, HEIGHT))
    yield '<style>%s</style>' % STYLE
    yield text(LEFT, 28, 'Miss ratio by cache size (shaded: 95 % interval)', 'title')
    for part in (plot.axes(), plot.curve(), plot.caches(report['caches'])):
        yield from part
    size = size_word(report['ranked_at_bytes'])
    yield text(TABLE, 28, 'Who misses in a cache of ' + size, 'title')
    yield from table(64, 'FUNCTION', rows_of(report['functions'], lambda f: f['function']))
    yield from table(160, 'LINE', rows_of(
        report['lines'], lambda f: '%s:%d' % ((f['file'] or '?').split('/')[-1], f['line'])))
    yield from table(256, 'DATA STRUCTURE', rows_of(report['objects'], lambda o: o['name'])[:1])
    yield '</svg>'


def main():
    given = arguments()
    report = json.loads(view(given.dwell, 'report', '-i', given.profile, '--size', given.size,
                             '--format', 'json'))
    rows = csv.DictReader(io.StringIO(view(given.dwell, 'curve', '-i', given.profile,
                                           '--format', 'csv')))
    points = [(int(r['size_bytes']), float(r['miss_ratio']), float(r['low']), float(r['high']))
              for r in rows]
    with open(given.output, 'w') as out:
        out.write('\n'.join(picture(report, points)) + '\n')


if __name__ == '__main__':
    main()
