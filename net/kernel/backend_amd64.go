package kernel

import "golang.org/x/sys/cpu"

//go:generate go -C gen run . avx512 ../avx512_amd64.s
//go:generate go -C gen run . avx2 ../avx2_amd64.s

var (
	useAVX512 = &implementation{
		name: "avx512", bits: fma, rows: maxTileRows, panels: 2, multiply: multiplyAVX512, accumulate: accumulateAVX512,
		transforms: &[transforms][tilings]func(*patch){
			input:  {input3AVX512, input4AVX512, input5AVX512},
			output: {output3AVX512, output4AVX512, output5AVX512},
			filter: {filter3AVX512, filter4AVX512, filter5AVX512},
			spread: {spread3AVX512, spread4AVX512, spread5AVX512},
			gather: {gather3AVX512, gather4AVX512, gather5AVX512},
		},
	}
	useAVX2 = &implementation{
		name: "avx2", bits: fma, rows: 6, panels: 1, multiply: multiplyAVX2, accumulate: accumulateAVX2,
		transforms: &[transforms][tilings]func(*patch){
			input:  {input3AVX2, input4AVX2, input5AVX2},
			output: {output3AVX2, output4AVX2, output5AVX2},
			filter: {filter3AVX2, filter4AVX2, filter5AVX2},
			spread: {spread3AVX2, spread4AVX2, spread5AVX2},
			gather: {gather3AVX2, gather4AVX2, gather5AVX2},
		},
	}
)

// native returns the assembly implementations that this CPU can run, the fastest first.
func native() []*implementation {
	var all []*implementation
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512BW {
		all = append(all, useAVX512)
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		all = append(all, useAVX2)
	}
	return all
}

// The assembly functions, called through an implementation only.

func multiplyAVX512(t *tile)
func accumulateAVX512(t *tile)
func multiplyAVX2(t *tile)
func accumulateAVX2(t *tile)
func input3AVX512(p *patch)
func input4AVX512(p *patch)
func input5AVX512(p *patch)
func output3AVX512(p *patch)
func output4AVX512(p *patch)
func output5AVX512(p *patch)
func filter3AVX512(p *patch)
func filter4AVX512(p *patch)
func filter5AVX512(p *patch)
func spread3AVX512(p *patch)
func spread4AVX512(p *patch)
func spread5AVX512(p *patch)
func gather3AVX512(p *patch)
func gather4AVX512(p *patch)
func gather5AVX512(p *patch)
func input3AVX2(p *patch)
func input4AVX2(p *patch)
func input5AVX2(p *patch)
func output3AVX2(p *patch)
func output4AVX2(p *patch)
func output5AVX2(p *patch)
func filter3AVX2(p *patch)
func filter4AVX2(p *patch)
func filter5AVX2(p *patch)
func spread3AVX2(p *patch)
func spread4AVX2(p *patch)
func spread5AVX2(p *patch)
func gather3AVX2(p *patch)
func gather4AVX2(p *patch)
func gather5AVX2(p *patch)
