#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Names, types and fields of Fortran's data: COMMON, SAVE, ALLOCATABLE, derived types.

    fortran.py --dwell PATH
"""
import json
import shutil
import subprocess

from cases import Skip, case, check, main

DWELL = None
SOURCE = """\
module bodies
  type body
    real(8) :: x, y, z
    integer :: id
    real(8) :: v(3)
  end type
  type(body), allocatable :: all(:)
end module
subroutine walk(n, s)
  use bodies
  integer :: n, i
  real(8) :: s, left, right
  common /two/ left(30000), right(100,200), last
  real(8), save :: keep(3000)
  real(4) :: last
  do i = 1, n
    s = s + left(mod(i*31,30000)+1) + right(mod(i*17,100)+1,mod(i,200)+1) + all(mod(i*7919,n)+1)%v(2)
    s = s + keep(mod(i,3000)+1)
    keep(mod(i*3,3000)+1) = s
    all(i)%id = i
  end do
end subroutine
program p
  use bodies
  real(8) :: s, first, second
  real(4) :: last
  common /two/ first(30000), second(100,200), last
  allocate(all(16000))
  first = 1; second = 2; s = 0; last = 3
  do i = 1, 16000
    all(i)%v = 0
  end do
  call walk(16000, s); call walk(16000, s)
  print *, s
end program
"""


def set_up(folder, dwell):
    global DWELL
    DWELL = dwell
    if shutil.which('gfortran') is None:
        return
    with open('bodies.f90', 'w', encoding='utf-8') as out:
        out.write(SOURCE)
    subprocess.run(['gfortran', '-O1', '-g', 'bodies.f90', '-o', 'bodies'], check=True)


def run(*argv):
    done = subprocess.run(argv, capture_output=True, text=True, timeout=100, check=False)
    check(done.returncode == 0, ' '.join(argv), done.returncode, done.stderr)
    return done.stdout


def rows(*view):
    done = json.loads(run(DWELL, *view, '-i', 'run.db', '--format', 'json', '--rows', '10000'))
    return done if isinstance(done, list) else done.get('objects') or done.get('fields')


def last_name(name):
    return name.split('::')[-1]


def check_objects(found):
    """Either procedure's names for the members of the block are right."""
    objects = {last_name(row['name']): row for row in found}

    for names, form, name_of_type in ((('left', 'first'), 'array', 'real(kind=8)(30000)'),
                                      (('right', 'second'), '2D array', 'real(kind=8)(100,200)'),
                                      (('keep',), 'array', 'real(kind=8)(3000)')):
        row = next((objects[name] for name in names if name in objects), None)
        check(row is not None, 'none of', names, 'among', list(objects)[:12])
        check(row['form'] == form and row['type'] == name_of_type, row)
    row = next(row for row in found if row['name'].startswith(('malloc in MAIN__', 'malloc in p ')))
    check(row['form'] == 'structures' and row['element_size'] == 56, row)


def check_fields(found):
    fields = {row['field'] for row in found if row['field']}

    check({'body%id', 'body%v(2)'} <= fields, sorted(fields)[:20])


@case
def names_and_types_in_both_modes():
    if shutil.which('gfortran') is None:
        raise Skip('no gfortran')
    run(DWELL, 'simulate', '-q', '--data', '--references', '--cache', 'L1d=16K,8,64',
        '-o', 'run.db', '--', './bodies')
    found = rows('objects')
    check_objects(found)
    # Each of the two arrays of the block has its own misses: 2 times 16,000 reads, and each element
    # is written once.
    objects = {last_name(row['name']): row for row in found}
    row = objects[next(name for name in ('left', 'first') if name in objects)]
    check(row['references'] == 32000 + 30000, row)
    check_fields(rows('objects', '--fields'))
    run(DWELL, 'record', '-q', '--duty', '100', '-o', 'run.db', '--', './bodies')
    check_objects(rows('objects'))
    check_fields(rows('objects', '--fields'))


main('fortran', __doc__, set_up)
