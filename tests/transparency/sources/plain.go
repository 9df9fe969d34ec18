// SPDX-License-Identifier: GPL-2.0-or-later

package main

func answer() int { return 42 }
