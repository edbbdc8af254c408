package study

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tiro/configs"
	"tiro/disk"
	"tiro/format"
	"tiro/net"
)

// Comparison is the common part of ablations and fits. Every variant has a trial with every
// seed, in the folder Dir/NAME-SEED.
type Comparison struct {
	Dir      string
	Variants []Variant // the base first, with which the others are compared
	Seeds    int       // trials of each variant, with the seeds 1, 2, …

	CPUTime time.Duration        // length of each trial; 0 for another limit
	Backend net.Backend          // computes the networks
	Tiro    string               // version of the program, for stored results
	CPU     func() time.Duration // see train.Options; may be nil
}

// check returns an error unless there are seeds, and the variants have different names, the
// same game and changes.
func (c *Comparison) check() error {
	if c.Seeds < 1 {
		return fmt.Errorf("seeds must be at least 1, not %d", c.Seeds)
	}
	seen := map[string]bool{}
	for i := range c.Variants {
		v := &c.Variants[i]
		switch {
		case v.Name == "" || strings.ContainsAny(v.Name, `/\=:`) || seen[v.Name]:
			return fmt.Errorf("variant %q: the name %q is taken or not suitable for a folder", v.Name, v.Name)
		case v.Config.Game != c.Variants[0].Config.Game:
			return fmt.Errorf("variant %q must have the same game as the base", v.Name)
		case i > 0 && len(configs.Changes(&c.Variants[0].Config, &v.Config)) == 0:
			return fmt.Errorf("variant %q changes nothing: the base has the same settings", v.Name)
		}
		seen[v.Name] = true
	}
	return nil
}

// folder returns the folder of a trial.
func (c *Comparison) folder(v *Variant, seed int) string {
	return filepath.Join(c.Dir, fmt.Sprintf("%s-%d", v.Name, seed))
}

// each calls do for every trial, seed by seed, with a title such as "fit 2 of 6, wide, seed 1".
func (c *Comparison) each(noun string, do func(title string, v *Variant, seed int) error) error {
	number := 0
	for seed := 1; seed <= c.Seeds; seed++ {
		for i := range c.Variants {
			number++
			title := fmt.Sprintf("%s %d of %d, %s, seed %d", noun, number, c.Seeds*len(c.Variants), c.Variants[i].Name, seed)
			if err := do(title, &c.Variants[i], seed); err != nil {
				return err
			}
		}
	}
	return nil
}

// Report is the result of a comparison. It is stored as report.json in its folder, where it
// also records finished trials.
type Report struct {
	format.Header
	Game     string    `json:"game"`
	Backend  string    `json:"backend"`
	Notes    []string  `json:"notes"` // conditions, as text
	Trials   []Trial   `json:"trials"`
	Measures []Measure `json:"measures"`
}

// Trial is a finished training or fit of a variant.
type Trial struct {
	Variant
	Seed int `json:"seed"`
	Cost
	Fit *Fitted `json:"fit,omitempty"` // nil for a training run
}

// name returns the name of the trial's folder.
func (t *Trial) name() string { return fmt.Sprintf("%s-%d", t.Name, t.Seed) }

var reportHeader = format.Header{Format: 1, What: "tiro comparison"}

const (
	reportFile = "report.json"
	maxReport  = 1 << 26 // bytes
)

// open locks the folder of the comparison and reads its report, which is empty if there is
// none. It returns an error if the file is not a report.
func (c *Comparison) open() (old Report, unlock func() error, err error) {
	if unlock, err = disk.LockFolder(disk.OS{}, c.Dir, reportFile); err != nil {
		return old, nil, err
	}
	path := filepath.Join(c.Dir, reportFile)
	data, err := disk.ReadFile(disk.OS{}, path, maxReport)
	if errors.Is(err, fs.ErrNotExist) {
		return Report{Header: reportHeader}, unlock, nil
	}
	if err == nil {
		err = format.DecodeJSON(data, reportHeader, &old)
	}
	if err != nil {
		return old, nil, errors.Join(fmt.Errorf("%s: %w; move it elsewhere, or choose another folder", path, err), unlock())
	}
	return old, unlock, nil
}

// save writes the report of the comparison.
func (c *Comparison) save(r Report) error {
	return disk.WriteFile(disk.OS{}, filepath.Join(c.Dir, reportFile), func(w io.Writer) error { return format.EncodeJSON(w, r) })
}

// newReport returns the report of a comparison. The trials are in the order of the method each.
func (c *Comparison) newReport(trials []Trial, measures ...Measure) Report {
	r := Report{Header: reportHeader, Game: c.Variants[0].Config.Game, Backend: c.Backend.Name(), Measures: measures}
	for v := range c.Variants {
		for i := v; i < len(trials); i += len(c.Variants) {
			r.Trials = append(r.Trials, trials[i])
		}
	}
	return r
}

// String returns the report as text: a table of the trials, and a table of the variants for
// each measure.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, backend %s\n", r.Game, r.Backend)
	for _, note := range r.Notes {
		fmt.Fprintln(&b, note)
	}
	rows := [][]string{{"variant", "seed", "CPU", "generations", "games", "steps"}}
	for _, m := range r.Measures {
		rows[0] = append(rows[0], m.Name)
	}
	for v, of := range r.Measures[0].Variants {
		for seed := range of.Values {
			t := &r.Trials[v*len(of.Values)+seed]
			row := []string{t.Name, fmt.Sprint(t.Seed), fmt.Sprintf("%.0fs", t.CPUSeconds), fmt.Sprint(t.Generations), fmt.Sprint(t.Games), fmt.Sprint(t.Steps)}
			for _, m := range r.Measures {
				row = append(row, m.number(m.Variants[v].Values[seed]))
			}
			rows = append(rows, row)
		}
	}
	b.WriteString("\n" + columns(rows))
	for _, m := range r.Measures {
		b.WriteString("\n" + m.String())
	}
	if n := len(r.Measures[0].Variants) - 1; n > 1 {
		fmt.Fprintf(&b, "\n%d variants were compared; one interval in 20 excludes 0 by chance\n", n)
	}
	return b.String()
}

// columns formats rows as a table, with the first column flush left and the others flush right.
func columns(rows [][]string) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			widths = slices.Concat(widths, make([]int, max(0, i+1-len(widths))))
			widths[i] = max(widths[i], len(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		line := fmt.Sprintf("%-*s", widths[0], row[0])
		for i, cell := range row[1:] {
			line += fmt.Sprintf("  %*s", widths[i+1], cell)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}
