// SPDX-License-Identifier: GPL-2.0-or-later

// A Go program that prints the same each time: goroutines, maps, garbage, sorting, formatting.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sort"
	"strings"
	"sync"
	"syscall"
)

type node struct {
	left, right *node
	key         int
}

func (n *node) insert(key int) *node {
	if n == nil {
		return &node{key: key}
	}
	if key < n.key {
		n.left = n.left.insert(key)
	} else {
		n.right = n.right.insert(key)
	}
	return n
}

func (n *node) sum() int {
	if n == nil {
		return 0
	}
	return n.key + n.left.sum() + n.right.sum()
}

func churn(seed int) int {
	var root *node
	for i := 0; i < 20000; i++ {
		root = root.insert((i*7919 + seed) % 20011)
	}
	return root.sum()
}

func words() string {
	count := map[string]int{}
	for i := 0; i < 30000; i++ {
		count[fmt.Sprintf("w%d", i*i%997)]++
	}
	keys := make([]string, 0, len(count))
	for k := range count {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(a, b int) bool {
		if count[keys[a]] != count[keys[b]] {
			return count[keys[a]] > count[keys[b]]
		}
		return keys[a] < keys[b]
	})
	return strings.Join(keys[:5], " ")
}

func recovered() (what string) {
	defer func() { what = fmt.Sprint(recover()) }()
	var none *node
	return fmt.Sprint(none.key)
}

func main() {
	sums := make([]int, 4)
	var all sync.WaitGroup
	for i := range sums {
		all.Add(1)
		go func(i int) {
			defer all.Done()
			sums[i] = churn(i)
		}(i)
	}
	all.Wait()
	runtime.GC()
	fmt.Println(sums, words())
	fmt.Println(recovered())
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGUSR1)
	syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	fmt.Println(<-caught)
	fmt.Println(answer())
}
