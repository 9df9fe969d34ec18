// SPDX-License-Identifier: GPL-2.0-or-later

// Layouts of data in Go, for layouts.py: see layouts.c.
package main

import "fmt"

const count, rounds = 4000, 4

type point struct {
	x, y float64
	tag  [4]int32
	rest [6]int64
}

type node struct {
	next *node
	key  int64
	pad  [8]int64
}

type team struct {
	id     int64
	spots  [3]point
	others []int32
	name   string
}

var (
	global [count]point
	points []point
	first  *node
	teams  []*team
	table  map[int64]point
	sum    float64
	whole  int64
)

//go:noinline
func walkGlobal() {
	for i := range global {
		sum += global[i].y
	}
}

//go:noinline
func walkSlice() {
	for i := range points {
		whole += int64(points[i].tag[2])
	}
}

//go:noinline
func walkNodes() {
	for n := first; n != nil; n = n.next {
		whole += n.key
	}
}

//go:noinline
func walkSpots() {
	for _, t := range teams {
		for j := range t.spots {
			sum += t.spots[j].x
		}
	}
}

//go:noinline
func walkOthers() {
	for _, t := range teams {
		whole += int64(len(t.others))
	}
}

//go:noinline
func walkMap() {
	for i := int64(0); i < count; i++ {
		sum += table[i].x
	}
}

func main() {
	points = make([]point, count)
	table = make(map[int64]point)
	for i := int64(0); i < count; i++ {
		first = &node{next: first, key: i}
		teams = append(teams, &team{id: i})
		table[i] = point{}
	}
	for i := 0; i < rounds; i++ {
		walkGlobal()
		walkSlice()
		walkNodes()
		walkSpots()
		walkOthers()
		walkMap()
	}
	fmt.Println(sum, whole > 0)
}
