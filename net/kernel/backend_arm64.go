package kernel

//go:generate go -C gen run . neon ../neon_arm64.s

var useNEON = &implementation{
	name: "neon", bits: fma, rows: 6, panels: 1, multiply: multiplyNEON, accumulate: accumulateNEON,
	transforms: &[transforms][tilings]func(*patch){
		input:  {input3NEON, input4NEON, input5NEON},
		output: {output3NEON, output4NEON, output5NEON},
		filter: {filter3NEON, filter4NEON, filter5NEON},
		spread: {spread3NEON, spread4NEON, spread5NEON},
		gather: {gather3NEON, gather4NEON, gather5NEON},
	},
}

// native returns NEON, which every arm64 CPU has.
func native() []*implementation { return []*implementation{useNEON} }

// The assembly functions, called through an implementation only.

func multiplyNEON(t *tile)
func accumulateNEON(t *tile)
func input3NEON(p *patch)
func input4NEON(p *patch)
func input5NEON(p *patch)
func output3NEON(p *patch)
func output4NEON(p *patch)
func output5NEON(p *patch)
func filter3NEON(p *patch)
func filter4NEON(p *patch)
func filter5NEON(p *patch)
func spread3NEON(p *patch)
func spread4NEON(p *patch)
func spread5NEON(p *patch)
func gather3NEON(p *patch)
func gather4NEON(p *patch)
func gather5NEON(p *patch)
