package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"sort"
)

type cache struct{ rows [][]byte }

func (c *cache) fill(n, size int) {
	for i := 0; i < n; i++ {
		c.rows = append(c.rows, make([]byte, size))
	}
}

func spin(n int) int {
	v := make([]int, n)
	for i := range v {
		v[i] = (i * 7919) % n
	}
	sort.Ints(v)
	return v[n/2]
}

func main() {
	runtime.MemProfileRate = 1
	cpu, _ := os.Create("cpu.prof")
	pprof.StartCPUProfile(cpu)
	var c cache
	sum := 0
	for step := 1; step <= 2; step++ {
		c.fill(8, 64<<10)
		for k := 0; k < 8; k++ {
			sum += spin(300000)
		}
		runtime.GC()
		f, _ := os.Create(fmt.Sprintf("heap.%d.prof", step))
		pprof.WriteHeapProfile(f)
		f.Close()
	}
	pprof.StopCPUProfile()
	cpu.Close()
	fmt.Println(sum, len(c.rows))
}
