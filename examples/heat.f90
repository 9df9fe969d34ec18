! SPDX-License-Identifier: GPL-2.0-or-later
!
! Heat in a plate, in Fortran, where neighbours in a column are neighbours in memory: one
! subroutine walks the plate so, the other across.
!
!   heat
module plate
  implicit none
  integer, parameter :: n = 1000
  double precision :: now(n, n), next(n, n)
contains
  subroutine spread_along()
    integer :: i, j
    do j = 2, n - 1
      do i = 2, n - 1
        next(i, j) = 0.25d0 * (now(i - 1, j) + now(i + 1, j) + now(i, j - 1) + now(i, j + 1))
      end do
    end do
  end subroutine spread_along

  subroutine spread_across()
    integer :: i, j
    do i = 2, n - 1
      do j = 2, n - 1
        now(i, j) = 0.25d0 * (next(i - 1, j) + next(i + 1, j) + next(i, j - 1) + next(i, j + 1))
      end do
    end do
  end subroutine spread_across
end module plate

program heat
  use plate
  implicit none
  integer :: step
  now = 0
  next = 0
  now(:, 1) = 100
  next(:, 1) = 100
  do step = 1, 4
    call spread_along()
    call spread_across()
  end do
  print '(a, f10.4)', 'middle of the second column ', now(n / 2, 2)
end program heat
