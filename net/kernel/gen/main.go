// Command gen writes the assembly of package kernel.
package main

import (
	"log"
	"os"
	"strings"
)

func main() {
	sets := map[string]func() isa{"avx512": avx512, "avx2": avx2, "neon": neon}
	if len(os.Args) != 3 || sets[os.Args[1]] == nil {
		log.Fatal("usage: gen avx512|avx2|neon FILE")
	}
	text, err := generate(sets[os.Args[1]]())
	if err == nil {
		err = os.WriteFile(os.Args[2], text, 0o644)
	}
	if err != nil {
		log.Fatalf("gen: write %s: %v", os.Args[2], err)
	}
}

// generate returns the functions of an instruction set.
func generate(target isa) ([]byte, error) {
	suffix := strings.ToUpper(target.name)
	tileFunction(target, "multiply"+suffix, "multiplyGo", multiply)
	tileFunction(target, "accumulate"+suffix, "accumulateGo", accumulate)
	winograd(target)
	return target.finish()
}
