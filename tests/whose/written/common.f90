! SPDX-License-Identifier: GPL-2.0-or-later
! Arrays of a COMMON block, a saved one, and an allocated one, in a stencil.
program stencil
  implicit none
  real(8) :: a, b
  common /grids/ a(40, 40), b(40, 40)
  real(8), allocatable :: rows(:)
  integer :: i
  allocate(rows(40))
  a = 1
  b = 0
  do i = 1, 3
    call step(rows)
  end do
  if (rows(20) < 0) stop 1
  deallocate(rows)
end program

subroutine step(rows)
  implicit none
  real(8) :: a, b
  common /grids/ a(40, 40), b(40, 40)
  real(8) :: rows(40)
  real(8), save :: weight(40) = 0.25d0
  integer :: i, j
  do j = 2, 39
    do i = 2, 39
      b(i, j) = weight(i) * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))
    end do
  end do
  do i = 1, 40
    do j = 1, 40
      rows(i) = rows(i) + b(i, j)
      a(i, j) = b(i, j)
    end do
  end do
end subroutine
