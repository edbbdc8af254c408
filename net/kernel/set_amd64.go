package kernel

import "golang.org/x/sys/cpu"

//go:generate go -C gen run . avx512 ../avx512_amd64.s
//go:generate go -C gen run . avx2 ../avx2_amd64.s

var (
	useAVX512 = &implementation{
		name: "avx512", rows: 12, panels: 2,
		multiply: multiplyAVX512, accumulate: accumulateAVX512, input: inputAVX512, output: outputAVX512,
	}
	useAVX2 = &implementation{
		name: "avx2", rows: 6, panels: 1,
		multiply: multiplyAVX2, accumulate: accumulateAVX2, input: inputAVX2, output: outputAVX2,
	}
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

func inputAVX512(p *patch, t *tiling) {
	switch t.size {
	case 3:
		input3AVX512(p)
	case 4:
		input4AVX512(p)
	case 5:
		input5AVX512(p)
	case 6:
		input6AVX512(p)
	}
}

func outputAVX512(p *patch, t *tiling) {
	switch t.size {
	case 3:
		output3AVX512(p)
	case 4:
		output4AVX512(p)
	case 5:
		output5AVX512(p)
	case 6:
		output6AVX512(p)
	}
}

func inputAVX2(p *patch, t *tiling) {
	switch t.size {
	case 3:
		input3AVX2(p)
	case 4:
		input4AVX2(p)
	case 5:
		input5AVX2(p)
	case 6:
		input6AVX2(p)
	}
}

func outputAVX2(p *patch, t *tiling) {
	switch t.size {
	case 3:
		output3AVX2(p)
	case 4:
		output4AVX2(p)
	case 5:
		output5AVX2(p)
	case 6:
		output6AVX2(p)
	}
}

//go:noescape
func multiplyAVX512(t *tile)

//go:noescape
func accumulateAVX512(t *tile)

//go:noescape
func multiplyAVX2(t *tile)

//go:noescape
func accumulateAVX2(t *tile)

//go:noescape
func input3AVX512(p *patch)

//go:noescape
func input4AVX512(p *patch)

//go:noescape
func input5AVX512(p *patch)

//go:noescape
func input6AVX512(p *patch)

//go:noescape
func output3AVX512(p *patch)

//go:noescape
func output4AVX512(p *patch)

//go:noescape
func output5AVX512(p *patch)

//go:noescape
func output6AVX512(p *patch)

//go:noescape
func input3AVX2(p *patch)

//go:noescape
func input4AVX2(p *patch)

//go:noescape
func input5AVX2(p *patch)

//go:noescape
func input6AVX2(p *patch)

//go:noescape
func output3AVX2(p *patch)

//go:noescape
func output4AVX2(p *patch)

//go:noescape
func output5AVX2(p *patch)

//go:noescape
func output6AVX2(p *patch)
