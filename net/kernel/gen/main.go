// Command gen writes the assembly of package kernel.
package main

import (
	"log"
	"os"
	"strings"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

func main() {
	sets := map[string]isa{"avx512": avx512, "avx2": avx2}
	if len(os.Args) != 3 || sets[os.Args[1]].name == "" {
		log.Fatal("usage: gen avx512|avx2 FILE")
	}
	if err := write(sets[os.Args[1]], os.Args[2]); err != nil {
		log.Fatalf("gen: write %s: %v", os.Args[2], err)
	}
}

// write generates all functions of an instruction set.
func write(target isa, path string) error {
	c := build.NewContext()
	suffix := strings.ToUpper(target.name)
	function(c, target, "multiply"+suffix, "multiplyGo", multiply)
	function(c, target, "accumulate"+suffix, "accumulateGo", accumulate)
	winograd(c, target)
	file, err := c.Result()
	if err != nil {
		return err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return err
	}
	text, err := printer.NewGoAsm(printer.Config{Name: "gen", Argv: []string{"gen", target.name}, Pkg: "kernel"}).Print(file)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}
