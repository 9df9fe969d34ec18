# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs and profiles with something wrong, for bad_input.py."""
import os
import struct

# Each makes a profile wrong in one place.
WRONG_VALUES = [
    "UPDATE sample_batch SET list = json_replace(list, '$[0][3]', -1)",
    "UPDATE sample_batch SET list = json_replace(list, '$[0][1]', 77)",
    "UPDATE sample_batch SET list = json_replace(list, '$[0][4]', 999999)",
    "UPDATE sample_batch SET list = '[]'",
    "UPDATE sample_batch SET list = '[[1,2],[3'", "UPDATE sample_batch SET list = x'5b5b3000'",
    "UPDATE sample_batch SET window = 123456", "UPDATE window SET length = 0",
    "UPDATE window SET stands_for = -5",
    "UPDATE window SET chosen = -1", "UPDATE window SET chosen = 'few', chosen_loads = 5",
    "UPDATE window SET chosen = 1, chosen_loads = 1 << 62",
    "UPDATE window SET chosen = 1 << 62", "UPDATE window SET length = 'long'",
    "UPDATE process SET accesses = -1", "DELETE FROM process", "DELETE FROM module",
    "DELETE FROM window", "DELETE FROM meta",
    "DELETE FROM location_batch", "DELETE FROM name_batch", "DELETE FROM place",
    "UPDATE location_batch SET list = '[[1],[2'",
    "UPDATE name_batch SET list = '[[77777777]]'",
    "UPDATE location_batch SET first_id = -5 - first_id",
    "UPDATE place SET line = -7, file = NULL", "UPDATE place SET function = x'1b5b324a'",
    "UPDATE meta SET value = -1",
    "UPDATE meta SET value = 'x'", "DROP TABLE sample_batch",
    "UPDATE far_batch SET list = '[[1,2],[3'", "DROP TABLE far_batch",
    "DROP TABLE access_batch", "UPDATE access_batch SET list = '[[-7,-7,-7,-7,-7,-7,-7]]'",
    "UPDATE far_batch SET list = json_replace(list, "
    "'$[0][2]', 0), weights = json_replace(weights, '$[0]', 0)",
    "UPDATE far_batch SET list = json_replace(list, '$[0][2]', (1 << 62) - 1, '$[0][6]', 1, "
    "'$[0][12]', -1)",
    "UPDATE window SET far = '[1,2]'", "UPDATE process SET far_lines = 'x'",
    "UPDATE process SET far_line_weight = '[0,0.001,1,1,1,1,1,1,1,1,9]'",
    "UPDATE stack_distance_batch SET list = '[[0,0,5]]'",
    "DROP TABLE stack_distance_batch",
    "UPDATE stack_distance_batch SET list = json_replace(list, '$[0][0]', "
    "9999, '$[0][3]', -7, '$[0][2]', 1 << 62)",
    "UPDATE variable SET end = start", "UPDATE variable SET start = end + 5",
    "DROP TABLE variable",
    "UPDATE variable SET name = x'1b5b324a', module = NULL, type = NULL",
    "UPDATE variable SET start = 0, end = -1", "UPDATE site SET path = '[77,-3,999999999]'",
    "UPDATE site SET path = 'x'", "UPDATE site SET path = '[]', kind = 'odd'",
    "UPDATE site SET peak_bytes = -1, blocks = -1", "DROP TABLE site"]


def elf_of(path='/bin/true'):
    with open(os.path.realpath(path), 'rb') as f:
        return bytearray(f.read())


def broken_programs():
    """name -> the bytes of a program with one thing wrong."""
    good = elf_of()
    offset, count = struct.unpack_from('<Q', good, 32)[0], struct.unpack_from('<H', good, 56)[0]

    def changed(at, form, value):
        copy = bytearray(good)
        struct.pack_into(form, copy, at, value)
        return copy

    broken = {
        'empty-header': good[:4], 'half-header': good[:40], 'header-only': good[:64],
        'half-table': good[:offset + 56], 'table-outside': changed(32, '<Q', 1 << 40),
        'table-wraps': changed(32, '<Q', (1 << 64) - 8), 'no-table': changed(56, '<H', 0),
        'huge-table': changed(56, '<H', 65535), 'odd-entries': changed(54, '<H', 12),
        'object-file': changed(16, '<H', 1), 'other-machine': changed(18, '<H', 183),
        'entry-outside': changed(24, '<Q', 0x123456789), 'noise': good[:64] + os.urandom(4096),
    }
    for i in range(count):
        kind = struct.unpack_from('<I', good, offset + 56 * i)[0]
        if kind == 1 and 'segment-huge' not in broken:
            broken['segment-huge'] = changed(offset + 56 * i + 40, '<Q', 1 << 62)
            broken['segment-high'] = changed(offset + 56 * i + 16, '<Q', 1 << 60)
            broken['segment-shrinks'] = changed(offset + 56 * i + 32, '<Q', 1 << 30)
            broken['segment-crooked'] = changed(offset + 56 * i + 16, '<Q', 0x123)
        if kind == 3:
            broken['interpreter-far'] = changed(offset + 56 * i + 8, '<Q', 1 << 40)
            broken['interpreter-long'] = changed(offset + 56 * i + 32, '<Q', 1 << 20)
    return broken
