#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The table of docs/results/transparency.md from what run.py --results wrote.

    table.py RESULTS.json... [--write docs/results/transparency.md]

Of several results of a case the last one counts. With --write the text between the two marks of
that file is replaced; otherwise the table is printed.
"""
import argparse
import json

BEGIN, END = '<!-- results: made by tests/transparency/table.py -->', '<!-- end of results -->'


def cell(result):
    if result is None:
        return ''
    return {'ok': 'equal', 'skipped': 'skipped'}.get(result['result'], '**differs**')


def remark(results):
    """What differs, or why it was not run, or what dwell said: once for all modes."""
    said = []
    for r in results.values():
        text = r.get('what') or r.get('said') or ''
        # The first line: process numbers and paths beyond it are of no use to a reader.
        text = text.split('\n')[0].split('; it said')[0].replace('|', '\\|')[:160]
        if text and text not in said:
            said.append(text)
    return '; '.join(said)


def make_table(results):
    modes = sorted({r['mode'] for r in results})
    cases = {}
    for r in results:
        cases.setdefault(r['name'], {})[r['mode']] = r
    rows = ['| program | %s | remark |' % ' | '.join(modes), '|---|%s---|' % ('---|' * len(modes))]
    for name in sorted(cases):
        rows.append('| %s | %s | %s |' % (name, ' | '.join(cell(cases[name].get(g)) for g in modes),
                                          remark(cases[name])))
    count = {k: sum(r['result'] == k for r in results) for k in ('ok', 'skipped')}
    rows.append('\n%d runs: %d equal, %d skipped, %d that differ.' % (
        len(results), count['ok'], count['skipped'], len(results) - sum(count.values())))
    return '\n'.join(rows)


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    p.add_argument('results', nargs='+')
    p.add_argument('--write', metavar='FILE')
    options = p.parse_args()
    latest = {}
    for path in options.results:
        with open(path) as f:
            latest.update({(r['name'], r['mode']): r for r in json.load(f)})
    table = make_table(list(latest.values()))
    if not options.write:
        print(table)
        return
    with open(options.write) as f:
        before, rest = f.read().split(BEGIN)
    after = rest.split(END)[1]
    with open(options.write, 'w') as f:
        f.write(before + BEGIN + '\n' + table + '\n' + END + after)


if __name__ == '__main__':
    main()
