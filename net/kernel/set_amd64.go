package kernel

import "golang.org/x/sys/cpu"

//go:generate go -C gen run . avx512 ../avx512_amd64.s
//go:generate go -C gen run . avx2 ../avx2_amd64.s

var (
	useAVX512 = &implementation{name: "avx512", rows: 12, panels: 2, multiply: multiplyAVX512, accumulate: accumulateAVX512}
	useAVX2   = &implementation{name: "avx2", rows: 6, panels: 1, multiply: multiplyAVX2, accumulate: accumulateAVX2}
)

// native returns the assembly that this CPU can run, the fastest first.
func native() []*implementation {
	var sets []*implementation
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512BW {
		sets = append(sets, useAVX512)
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		sets = append(sets, useAVX2)
	}
	return sets
}

//go:noescape
func multiplyAVX512(t *tile)

//go:noescape
func multiplyAVX2(t *tile)

//go:noescape
func accumulateAVX512(t *tile)

//go:noescape
func accumulateAVX2(t *tile)
