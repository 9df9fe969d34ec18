! SPDX-License-Identifier: GPL-2.0-or-later
! Layouts of data in Fortran, for layouts.py: see layouts.c.
module layouts
  implicit none
  integer, parameter :: count = 4000
  type point
    real(8) :: x, y
    integer :: tag(4)
    real(8) :: rest(5)
  end type
  type holder
    integer :: id
    real(8), allocatable :: inside(:)
    type(point) :: spots(3)
  end type
  real(8) :: plane(40, 100)
  type(point), allocatable :: points(:)
  type(holder), allocatable :: holders(:)
  complex(8), allocatable :: waves(:)
  character(len=24) :: words(count)
  real(8), pointer :: lent(:)
  real(8), save :: total
contains
  subroutine walk_plane()
    integer :: i, j
    do i = 1, 40
      do j = 1, 100
        total = total + plane(i, j)
      end do
    end do
  end subroutine
  subroutine walk_points()
    integer :: i
    do i = 1, count
      total = total + points(i)%y
    end do
  end subroutine
  subroutine walk_tags()
    integer :: i
    do i = 1, count
      total = total + points(i)%tag(3)
    end do
  end subroutine
  subroutine walk_spots()
    integer :: i, j
    do i = 1, count / 4
      do j = 1, 3
        total = total + holders(i)%spots(j)%x
      end do
    end do
  end subroutine
  subroutine walk_component()
    integer :: i
    do i = 1, count / 4
      total = total + holders(i)%inside(1)
    end do
  end subroutine
  subroutine walk_waves()
    integer :: i
    do i = 1, count
      total = total + aimag(waves(i))
    end do
  end subroutine
  subroutine walk_words()
    integer :: i
    do i = 1, count
      total = total + ichar(words(i)(5:5))
    end do
  end subroutine
  subroutine walk_lent()
    integer :: i
    do i = 1, count
      total = total + lent(i)
    end do
  end subroutine
  subroutine walk_dummy(a)
    real(8), intent(in) :: a(:)
    integer :: i
    do i = 1, size(a)
      total = total + a(i)
    end do
  end subroutine
  subroutine walk_automatic(n)
    integer, intent(in) :: n
    real(8) :: own(n)
    integer :: i
    own = 1d0
    do i = 1, n
      total = total + own(mod(i * 7919, n) + 1)
    end do
  end subroutine
  subroutine walk_common()
    real(8) :: first(4000), second(2000)
    integer :: i
    common /shared/ first, second
    do i = 1, 2000
      total = total + second(mod(i * 919, 2000) + 1)
    end do
  end subroutine
  subroutine walk_first()
    real(8) :: first(4000), second(2000)
    integer :: i
    common /shared/ first, second
    do i = 1, 4000
      total = total + first(mod(i * 919, 4000) + 1)
    end do
  end subroutine
  subroutine walk_saved()
    real(8), save :: kept(4000)
    integer :: i
    do i = 1, 4000
      total = total + kept(mod(i * 97, 4000) + 1)
      kept(mod(i * 97, 4000) + 1) = i
    end do
  end subroutine
end module

program main
  use layouts
  implicit none
  real(8), allocatable, target :: a(:)
  integer :: i
  allocate(points(count), holders(count / 4), waves(count), a(count))
  plane = 1d0
  a = 2d0
  lent => a
  words = 'abcdefgh'
  waves = (1d0, 2d0)
  do i = 1, count
    points(i)%x = i
    points(i)%y = i
    points(i)%tag = i
  end do
  do i = 1, count / 4
    allocate(holders(i)%inside(10))
    holders(i)%inside = i
    holders(i)%spots(:)%x = i
  end do
  do i = 1, 4
    call walk_plane()
    call walk_points()
    call walk_tags()
    call walk_spots()
    call walk_component()
    call walk_waves()
    call walk_words()
    call walk_lent()
    call walk_dummy(a)
    call walk_automatic(count)
    call walk_common()
    call walk_first()
    call walk_saved()
  end do
  print *, int(total) * 0
end program
