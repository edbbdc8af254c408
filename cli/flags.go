package cli

import (
	"fmt"
	"math"
	"runtime"
	"strconv"

	"github.com/spf13/cobra"

	"tiro/internal/machine"
	"tiro/player"
	"tiro/player/clock"
)

// maxThreads is the maximum of flags that set a number of goroutines.
const maxThreads = 1024

// number is a flag's value with bounds.
type number[T int | float64] struct {
	value *T
	parse func(string) (T, error)
	valid func(T) bool
	want  string // the error for other values
}

// intVar adds a flag whose value is at least low and at most high.
func intVar(cmd *cobra.Command, p *int, name string, value, low, high int, help string) {
	want := fmt.Sprintf("must be a whole number between %d and %d", low, high)
	if high == math.MaxInt {
		want = fmt.Sprintf("must be a whole number, at least %d", low)
	}
	*p = value
	cmd.Flags().Var(&number[int]{p, strconv.Atoi, func(n int) bool { return low <= n && n <= high }, want}, name, help)
}

// floatVar adds a flag whose value is above 0 and at most high.
func floatVar(cmd *cobra.Command, p *float64, name string, value, high float64, help string) {
	want := fmt.Sprintf("must be a number above 0 and at most %v", high)
	parse := func(s string) (float64, error) { return strconv.ParseFloat(s, 64) }
	*p = value
	cmd.Flags().Var(&number[float64]{p, parse, func(x float64) bool { return 0 < x && x <= high }, want}, name, help)
}

// String implements pflag.Value.
func (n *number[T]) String() string { return fmt.Sprint(*n.value) }

// Type implements pflag.Value.
func (n *number[T]) Type() string { return fmt.Sprintf("%T", *n.value) }

// Set implements pflag.Value.
func (n *number[T]) Set(s string) error {
	x, err := n.parse(s)
	if err != nil || !n.valid(x) {
		return fmt.Errorf("%s", n.want)
	}
	*n.value = x
	return nil
}

// workersVar adds the flag --workers.
func workersVar(cmd *cobra.Command, workers *int, lowest int) {
	help := "goroutines; changes results only with limits of time"
	if lowest == 0 {
		help = "goroutines (0: only tiro worker plays); changes results only with limits of time"
	}
	intVar(cmd, workers, "workers", runtime.GOMAXPROCS(0), lowest, maxThreads, help)
}

// simsVar adds the flag --sims.
func simsVar(cmd *cobra.Command, sims *int, value, lowest int, help string) {
	intVar(cmd, sims, "sims", value, lowest, player.MaxSimulations, help)
}

// clockVar adds the flags of a time control: tc, st and timemargin.
func clockVar(cmd *cobra.Command, c *clock.Control, players string) {
	add := func(key, help string) {
		cmd.Flags().Func(key, help, func(text string) error { return c.Set(key, text) })
	}
	add("tc", "give "+players+" a clock of `TIME`: SECONDS, SECONDS+INCREMENT or MOVES/SECONDS+INCREMENT, such as 10+0.1")
	add("st", "give "+players+" this number of `SECONDS` for each move")
	add("timemargin", "`MILLISECONDS` by which "+players+" may exceed the time of --tc or --st")
}

// maxHours is the maximum length of a training run: ten years.
const maxHours = 24 * 3653

// checkCPUTime returns an error if a limit of CPU time is given on a system that does not
// measure it.
func checkCPUTime(limit float64) error {
	return unless(limit == 0 || machine.CPU() > 0, "CPU time cannot be measured on this system; use another limit")
}

// required marks flags as required, and returns cmd.
func required(cmd *cobra.Command, flags ...string) *cobra.Command {
	for _, name := range flags {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // cmd has no such flag
		}
	}
	return cmd
}
