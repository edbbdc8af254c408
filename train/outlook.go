package train

import (
	"fmt"
	"slices"
)

// Outlook says what of a run can still be used: how the next Run would go on,
// what is damaged taken away.
type Outlook struct {
	From      int    `json:"from"`       // checkpoint that it goes on from; -1: none is whole
	Newest    int    `json:"newest"`     // last generation of which there is a trace
	Again     []int  `json:"again"`      // generations whose games are gone but can be played again exactly
	Lost      []int  `json:"lost"`       // generations whose games are gone for good
	ExactFrom int    `json:"exact_from"` // newest checkpoint from which nothing is lost, so that the run would end as if unbroken, byte by byte; -1: none
	Backend   string `json:"backend"`    // which computed the checkpoint that it goes on from
}

// Exact reports whether the run ends as if unbroken, byte by byte.
func (o *Outlook) Exact() bool { return o.From >= 0 && o.From == o.ExactFrom }

// outlook fills in the report's, and reports the files that are missing.
func (v *verifier) outlook() {
	o := &Outlook{From: v.newest(), Again: []int{}, Lost: []int{}, ExactFrom: -1}
	v.report.Outlook = o
	o.Newest = max(o.From, v.told.newest)
	listed := -1
	for g := range v.found {
		listed = max(listed, g)
	}
	o.Newest = max(o.Newest, listed)
	if v.told.newest > max(0, listed) {
		v.miss(fmt.Sprintf("%s/%06d", checkpointsDir, v.told.newest), "%s tells of it", metricsFile)
	}
	if o.From < 0 {
		return
	}
	o.Backend = v.found[o.From].state.Backend
	var gone []int
	o.Again, o.Lost, gone = v.window(o.From)
	// The games of older windows may have been removed because nobody wanted
	// them any more.
	if o.From == o.Newest || v.config != nil && o.From > o.Newest-v.config.Checkpoints.Last {
		for _, g := range gone {
			v.miss(fmt.Sprintf("%s/%06d.%s", episodesDir, g, wholeKind), "its games are in the window")
		}
	}
	for g := o.From; g >= 0 && o.ExactFrom < 0; g-- {
		if c := v.found[g]; c != nil && c.whole {
			if _, lost, _ := v.window(g); len(lost) == 0 {
				o.ExactFrom = g
			}
		}
	}
}

// window returns which games that a checkpoint's window holds cannot be read:
// those that can be played again, because the checkpoint that played them is
// there and metrics.jsonl tells what is to come out, and the lost ones. Of
// which there is no file, is gone.
func (v *verifier) window(from int) (again, lost, gone []int) {
	again, lost = []int{}, []int{}
	rows, want := 0, v.found[from].figures.Window
	for g := from; g > 0 && rows < want; g-- {
		games := v.games[g]
		if games != nil && games.whole {
			rows += games.summary.Samples
			continue
		}
		if games == nil {
			gone = append(gone, g)
		}
		line, told := v.told.lines[g]
		rows += line.Samples
		if before := v.found[g-1]; told && before != nil && before.whole {
			again = append(again, g)
		} else {
			lost = append(lost, g)
		}
	}
	for _, list := range [][]int{again, lost, gone} {
		slices.Sort(list)
	}
	return again, lost, gone
}

// Ranges writes ascending numbers such as "1-3, 7".
func Ranges(numbers []int) string {
	var text []byte
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		if i > 0 {
			text = append(text, ", "...)
		}
		text = fmt.Append(text, numbers[i])
		if j > i {
			text = fmt.Appendf(text, "-%d", numbers[j])
		}
		i = j + 1
	}
	return string(text)
}
