#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How far is a sampled miss-ratio curve from the exact one?

compare_curve.py [--build DIR] [--runs N] [--policy NAMES] [--line SIZES] [bars] -- COMMAND
[ARGUMENT...] compare_curve.py --exact exact.csv --sampled sampled.csv [bars]

Records the command, simulates the same command exactly (dwell simulate --curve), and prints
both curves, the errors in percentage points, and how often the printed interval contains the exact
value. --policy random,lru and --line 32,64,128 compare each policy with each line size, from one
recording and one simulation. If the recording has one size only, give it with
--record='--line 32'. Exit status 1 if a bar is missed:

    --mean P       mean error at most P points
    --max P        largest error at most P points
    --near SHARE   at this share of the points: error <= max(0.1 points, 15 %)
    --cover SHARE  at this share of the points: exact value inside the interval
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile


def read_curve(path):
    """size -> row"""
    with open(path, newline="") as f:
        return {int(row["size_bytes"]): row for row in csv.DictReader(f)}


def run(command, **options):
    done = subprocess.run(command, stdout=subprocess.DEVNULL, **options)
    if done.returncode != 0:
        sys.exit("%s: exit status %d" % (" ".join(command), done.returncode))


def kinds(options):
    """The curves to compare: (policy, bytes of a line)."""
    return [(policy, line) for policy in options.policy.split(",")
            for line in options.line.split(",")]


def sample(options, command, seed, folder):
    """Record the command. Returns the sampled curves by kind, and the process they are of."""
    dwell = os.path.join(options.build, "dwell")
    profile = os.path.join(folder, "sampled.db")
    run([dwell, "record", "-q", "-o", profile,
         "--seed", str(seed)] + options.record.split() + ["--"] + command)
    path = os.path.join(folder, "sampled.csv")
    view = [dwell, "curve", "-i", profile, "--sizes", options.sizes]
    curves = {}
    for policy, line in kinds(options):
        with open(path, "w") as f:
            subprocess.run(view + ["--policy", policy, "--line", line, "--format=csv"], stdout=f,
                           check=True)
        curves[policy, line] = read_curve(path)
    answer = subprocess.run(view + ["--format=json"], stdout=subprocess.PIPE, check=True)
    return curves, json.loads(answer.stdout)["process"]


def simulate(options, command, process, folder):
    """The exact curves by kind."""
    dwell, profile = os.path.join(options.build, "dwell"), os.path.join(folder, "exact.db")
    path = os.path.join(folder, "exact.csv")
    curves = {}
    policies = options.policy if options.policy in ("random", "lru") else "both"
    run([dwell, "simulate", "-q", "--curve", "-o", profile, "--sizes", options.sizes,
         "--policy", policies, "--lines", options.line, "--process", str(process), "--"] + command)
    for policy, line in kinds(options):
        with open(path, "w") as f:
            subprocess.run([dwell, "curve", "-i", profile, "--process", str(process),
                            "--policy", policy,
                            "--line", line, "--format=csv"], stdout=f, check=True)
        curves[policy, line] = read_curve(path)
    return curves


def compare(exact, sampled):
    """One (size, exact, sampled, low, high) for each size that both have, ratios in points."""
    points = []
    for size in sorted(exact):
        row = sampled.get(size)
        if row is None or row["miss_ratio"] == "":
            sys.exit("the sampled curve has no point at %d bytes" % size)
        points.append((size, 100 * float(exact[size]["miss_ratio"]),
                       *(100 * float(row[k]) for k in ("miss_ratio", "low", "high"))))
    if not points:
        sys.exit("the curves have no size in common")
    return points


def score(points):
    errors = [abs(s - e) for _, e, s, _, _ in points]
    near = [err <= max(0.1, 0.15 * p[1]) for err, p in zip(errors, points)]
    # The exact simulation is random too: a hundredth of a point is its own noise.
    inside = [low - 0.01 <= e <= high + 0.01 for _, e, _, low, high in points]
    return {"mean": sum(errors) / len(errors), "max": max(errors),
            "near": sum(near) / len(near), "cover": sum(inside) / len(inside)}


def show(points):
    print("%10s %9s %9s %8s   %s" % ("size", "exact", "sampled", "error", "interval"))
    for size, e, s, low, high in points:
        print("%10d %8.3f%% %8.3f%% %+8.3f   %.3f - %.3f%s" %
              (size, e, s, s - e, low, high, "" if low <= e <= high else "  outside"))


BARS = {"mean": 1, "max": 1, "near": -1, "cover": -1}  # 1: at most, -1: at least


def report_missed(result, bars):
    """Say which bars (None: no bar) were not reached. Returns the exit status."""
    missed = [k for k, bar in bars.items() if bar is not None and BARS[k] * (result[k] - bar) > 0]
    for k in missed:
        print("bar not reached: %s is %.3f, wanted %.3f" % (k, result[k], bars[k]))
    return 1 if missed else 0


def add_options(p, runs):
    p.add_argument("--build", default="build", help="where dwell is")
    p.add_argument("--sizes", default="8K:64M")
    p.add_argument("--policy", default="random", help="random, lru, or random,lru")
    p.add_argument("--line", default="64", help="sizes of a line, with commas")
    p.add_argument("--record", default="", help="options for dwell record")
    p.add_argument("--runs", type=int, default=runs,
                   help="recordings of each, each with its seed (%d)" % runs)
    for bar in BARS:
        p.add_argument("--" + bar, type=float)


def add_set_options(p, runs):
    """Of a tool that measures a set of programs."""
    add_options(p, runs)
    p.add_argument("--only", default="", help="programs whose name matches")


def bars(options, defaults=None):
    """The bars asked for, or else those of `defaults`."""
    given = {k: getattr(options, k) for k in BARS}
    return {k: (defaults or {}).get(k) if bar is None else bar for k, bar in given.items()}


def parse():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_options(p, 1)
    p.add_argument("--exact", help="what dwell curve --format=csv wrote of one curve of dwell "
                   "simulate --curve")
    p.add_argument("--sampled", help="what it wrote of a recording")
    p.add_argument("command", nargs="*")
    a = p.parse_args()
    if bool(a.command) == bool(a.exact and a.sampled):
        p.error("either a command, or --exact and --sampled")
    if a.exact and len(kinds(a)) > 1:
        p.error("--exact and --sampled are one curve each")
    return a


def all_points(a):
    if not a.command:
        points = compare(read_curve(a.exact), read_curve(a.sampled))
        show(points)
        return points
    points, exact = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(1, a.runs + 1):
            sampled, process = sample(a, a.command, seed, folder)
            if process not in exact:
                exact[process] = simulate(a, a.command, process, folder)
            for kind in kinds(a):
                these = compare(exact[process][kind], sampled[kind])
                if len(kinds(a)) > 1:
                    print("%s, lines of %s bytes:" % kind)
                show(these)
                points += these
    return points


def main():
    a = parse()
    result = score(all_points(a))
    print("mean error %.3f points, largest %.3f, near %.0f %%, covered %.0f %%" %
          (result["mean"], result["max"], 100 * result["near"], 100 * result["cover"]))
    return report_missed(result, bars(a))


if __name__ == "__main__":
    sys.exit(main())
