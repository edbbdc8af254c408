package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/pprof/profile"
)

// module is the start of the import paths of our packages.
const module = "tiro/"

// outside stands for time that none of our functions asked for: garbage
// collection and scheduling.
const outside = "Go runtime"

// timeByPackage returns the CPU time by our packages, without the module's name,
// of a CPU profile as runtime/pprof writes it. A sample counts for the innermost
// of our functions on its stack, so that the work of the standard library for a
// package is that package's time.
func timeByPackage(data []byte) (map[string]time.Duration, error) {
	p, err := profile.ParseData(data)
	if err != nil {
		return nil, fmt.Errorf("read CPU profile: %w", err)
	}
	times := map[string]time.Duration{}
	for _, s := range p.Sample {
		if len(s.Value) == 2 { // the number of samples, nanoseconds
			times[spender(s)] += time.Duration(s.Value[1])
		}
	}
	return times, nil
}

// spender returns the package that a sample counts for.
func spender(s *profile.Sample) string {
	for _, location := range s.Location { // the innermost first
		for _, line := range location.Line { // inlined functions before their callers
			if line.Function == nil {
				continue
			}
			if name := ourPackage(line.Function.Name); name != "" {
				return name
			}
		}
	}
	return outside
}

// ourPackage returns the package of a function with a name such as
// "tiro/mcts.(*Search).Run.func1", without the module's name, if it is ours.
func ourPackage(function string) string {
	function, _, _ = strings.Cut(function, "[") // type arguments
	path := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[path:], ".")
	if function[:path]+name == "main" {
		return "cli"
	}
	if ours, ok := strings.CutPrefix(function[:path]+name, module); ok {
		return ours
	}
	return ""
}
