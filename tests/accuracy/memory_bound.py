#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How far are sampled curves from the exact ones for programs that wait for memory, and for the
examples?

    memory_bound.py [--build DIR] [--runs N] [--quick] [--only EXPRESSION] [--policy NAMES]
                    [--line SIZES] [--examples] [bars]

Records each program of the set with the defaults, once for each of N seeds, and prints a line
for each program and one for all: mean and largest error in percentage points, the share of
the points within max(0.1 points, 15 %), and of those whose interval holds the exact value.
The bars are those of compare_curve.py: the mean over all points, the largest error of a
program's point on average over the seeds (one unlucky seed is not a broken tool), and the
shares of all points. Takes minutes; --quick uses a few small programs and loose bars, --examples
those of the folder examples, run as in its README.

Some programs cycle through arrays exactly as large as one of the caches, and touch a few other
lines: with LRU the cache misses always, and one that is a thousandth larger never. Samples cannot
count lines so exactly. For these points only (AT_EDGE), the error is the distance from the range
between the exact ratios of these two caches; the error from the first one's ratio is printed, too.
"""

import argparse
import os
import re
import sys
import tempfile

import compare_curve

MB = 1 << 20
# Each runs for 0.2 to 1.5 s by itself.
PROGRAMS = [
    ("chase", 1 * MB, 2500),
    ("chase", 16 * MB, 25),
    ("chase", 64 * MB, 6),
    ("chase", 200 * MB, 2),
    ("gather", 4 * MB, 50000000),
    ("gather", 64 * MB, 25000000),
    ("gather", 200 * MB, 15000000),
    ("column", 8 * MB, 100),
    ("column", 64 * MB, 10),
    ("column", 200 * MB, 2),
    ("mapped", 64 * MB, 10),
]
EXAMPLES = [
    ("column-walk", "3000"),
    ("blocked-multiply", "20"),
    ("blocked-multiply", "60"),
    ("blocked-multiply", "60", "heap"),
    ("spatial", "stencil"),
    ("spatial", "gather"),
    ("struct-init", "fields"),
    ("struct-init", "elements"),
    ("mesh", "spread"),
    ("mesh", "packed"),
    ("two-loops", "apart"),
    ("two-loops", "fused"),
    ("multigrid", "standard"),
    ("multigrid", "optimised"),
    ("heat",),
]
# Seconds in all. One of each kind: larger than the middle of the sizes, smaller than the last.
QUICK = [
    ("chase", 4 * MB, 60),
    ("gather", 16 * MB, 4000000),
    ("column", 16 * MB, 10),
    ("mapped", 16 * MB, 4),
]
DEFAULT_BARS = {"mean": 0.6, "max": 3.0, "near": None, "cover": 0.9}
# A tool that took what it cannot see for hits, or for misses, is off by 10 points and more.
QUICK_BARS = {"mean": 2.5, "max": 10.0, "near": None, "cover": 0.75}
# Of the caches that a program's data just fills, the size.
AT_EDGE = {"column 8M": 8 * MB, "two-loops apart": 8 * MB, "two-loops fused": 8 * MB,
           "mesh packed": 16 * MB}
LINE = "%-22s %8.3f %8.3f %7.0f %% %7.0f %%"


def slightly_larger(options, command, process, folder, size):
    """The exact LRU miss ratios, in points, by bytes of a line, of a cache that is a thousandth
    larger.
    """
    found = {}
    for line in options.line.split(","):
        larger = size + size // 1000 // int(line) * int(line)
        there = argparse.Namespace(**{**vars(options), "policy": "lru", "line": line,
                                      "sizes": "%d:%d" % (larger, larger)})
        curve = compare_curve.simulate(there, command, process, folder)["lru", line]
        found[line] = 100 * float(curve[larger]["miss_ratio"])
    return found


def move_to_edge(runs, kinds, size, larger):
    """The point of that size is compared with what lies between its exact ratio and that of
    `larger`.
    """
    for run in runs:
        for i, (at, exact, sampled, low, high) in enumerate(run):
            policy, line = kinds[i * len(kinds) // len(run)]
            if policy == "lru" and at == size:
                print("    at an edge, "
                      "lines of %s: sampled %.2f %%, exactly %.2f, in a thousandth more %.2f" %
                      (line, sampled, exact, larger[line]))
                least, most = sorted((exact, larger[line]))
                run[i] = (at, min(max(sampled, least), most), sampled, low, high)


def programs(options):
    """(name, command) of those that were asked for."""
    folder = os.path.join(options.build, "examples")
    tool = os.path.join(options.build, "tests", "accuracy", "memory_bound")
    if options.examples:
        every = [(" ".join(e), [os.path.join(folder, e[0]), *e[1:]]) for e in EXAMPLES]
    else:
        every = [("%s %dM" % (p[0], p[1] // MB), [tool, *map(str, p)])
                 for p in (QUICK if options.quick else PROGRAMS)]
    for one in every:
        if not os.path.exists(one[1][0]):
            print("%s was not built" % one[0])
        elif re.search(options.only, one[0]):
            yield one


def measure(options, name, command, folder):
    """For each seed and kind of cache [(size, exact, sampled, low, high)]."""
    exact, runs = None, []
    for seed in range(1, options.runs + 1):
        sampled, process = compare_curve.sample(options, command, seed, folder)
        if exact is None:
            exact = compare_curve.simulate(options, command, process, folder)
        runs.append([point for kind in compare_curve.kinds(options)
                     for point in compare_curve.compare(exact[kind], sampled[kind])])
    if name in AT_EDGE and "lru" in options.policy:
        larger = slightly_larger(options, command, process, folder, AT_EDGE[name])
        move_to_edge(runs, compare_curve.kinds(options), AT_EDGE[name], larger)
    return runs


def mean_largest(runs):
    """The largest error of a size, its errors averaged over the seeds."""
    return max(sum(abs(p[2] - p[1]) for p in same_size) / len(runs) for same_size in zip(*runs))


def parse():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    compare_curve.add_set_options(p, 3)
    p.add_argument("--quick", action="store_true", help="four small programs")
    p.add_argument("--examples", action="store_true", help="the examples instead")
    p.add_argument("--points", action="store_true", help="print each point, too")
    return p.parse_args()


def main():
    options = parse()
    points, largest = [], 0
    print("%-22s %8s %8s %9s %9s" % ("program", "mean", "largest", "near", "covered"))
    with tempfile.TemporaryDirectory() as folder:
        for name, command in programs(options):
            runs = measure(options, name, command, folder)
            these = [point for run in runs for point in run]
            if options.points:
                for run in runs:
                    compare_curve.show(run)
            score = compare_curve.score(these)
            print(LINE % (name, score["mean"], score["max"], 100 * score["near"],
                          100 * score["cover"]), flush=True)
            points += these
            largest = max(largest, mean_largest(runs))
    if not points:
        sys.exit("memory_bound.py: no program matches '%s'" % options.only)
    result = compare_curve.score(points)
    print(LINE % ("all", result["mean"], result["max"], 100 * result["near"],
                  100 * result["cover"]))
    result["max"] = largest
    print("largest error of a size on average over the seeds: %.3f" % largest)
    defaults = QUICK_BARS if options.quick else DEFAULT_BARS
    return compare_curve.report_missed(result, compare_curve.bars(options, defaults))


if __name__ == "__main__":
    sys.exit(main())
