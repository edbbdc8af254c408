package page

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"tiro/env"
	"tiro/internal/decimal"
	"tiro/rundir"
	"tiro/study/chart"
	"tiro/study/ladder"
	"tiro/study/progress"
	"tiro/train"
)

//go:embed page.html
var text string

// Facts are the contents of a page that do not come from the run folder.
type Facts struct {
	Ratings  *ladder.Report // ratings of the run's checkpoints; nil if there are none
	Commands []string       // commands that train the run again
	Rate     string         // command that rates it
	Machine  string         // machine that makes the page
	Tiro     string         // version of the program that makes the page
}

// content is the input of the page's template.
type content struct {
	Facts
	Figures            []progress.Figure
	ChartStyle         template.CSS
	Game, Run, Text    string
	Newest             rundir.Metrics
	Games, Positions   int
	CPU, Wall          string
	Findings           []train.Fault
	Words              []string
	Rating             chart.Chart // by duels
	Elo, EloGames      chart.Chart
	Duels              []rundir.Duel
	DuelsAfter         int
	Time, Ending       []part
	OpeningGenerations []int
	Openings           []opening
	Programs           []string
	Replay             template.JS
	HasGames           bool
	NetworkGeneration  int
	Loss               string // payoff of a loss
	Changed            string // generations that the commands do not repeat exactly
}

// part is a share of a whole.
type part struct {
	Name  string
	Share float64
	Text  string
}

// Percent returns the share in percent.
func (p part) Percent() string { return fmt.Sprintf("%.1f", 100*p.Share) }

// Write writes the page.
func (r *Run) Write(w io.Writer, facts Facts) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"percent": func(x float64) string { return fmt.Sprintf("%.0f%%", 100*x) },
	}).Parse(text)
	if err != nil {
		return err
	}
	replay, err := r.replay()
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	games, err := json.Marshal(replay)
	if err != nil {
		return err
	}
	c := content{
		Facts: facts, Rating: r.Rating(), ChartStyle: template.CSS(chart.Style), Game: r.Game.Spec().Name, Run: r.path, Text: r.text, Newest: r.Metrics[len(r.Metrics)-1],
		Findings: r.Findings(), Words: r.Words(), Changed: rundir.Ranges(r.changed),
		Replay: template.JS(games), HasGames: len(replay.Games) > 0, NetworkGeneration: r.generation,
		Loss: fmt.Sprintf("%.2g", env.WinFor(0, r.Game.Spec().Players)[1]),
	}
	c.OpeningGenerations, c.Openings = r.openings()
	r.games(&c)
	r.time(&c)
	c.rated()
	c.Figures = slices.DeleteFunc(r.Figures(), func(f progress.Figure) bool { return f.Title == "Rating" }) // it has its own section
	return t.Execute(w, c)
}

// games sets the number of games, and the endings in the newest generation.
func (r *Run) games(c *content) {
	for _, m := range r.Metrics {
		c.Games += m.Games
		c.Positions += m.Plies
		if len(m.Duels) > 0 {
			c.Duels, c.DuelsAfter = m.Duels, m.Generation
		}
	}
	newest := c.Newest.Endings
	for _, name := range slices.Sorted(maps.Keys(newest)) {
		share := float64(newest[name]) / float64(max(1, c.Newest.Games))
		c.Ending = append(c.Ending, part{name, share, fmt.Sprintf("%d of %d games", newest[name], c.Newest.Games)})
	}
}

// time sets the times of the run by activity.
func (r *Run) time(c *content) {
	var all, play, learn, duels, cpu float64
	known := map[string]bool{}
	for _, m := range r.Metrics {
		x := m.Machine
		if x == nil {
			continue
		}
		all += x.Seconds
		play += x.SelfplaySeconds
		learn += x.LearnSeconds
		duels += x.DuelSeconds
		cpu += x.CPUSeconds
		if program := strings.TrimSpace(fmt.Sprintf("tiro %s, %s, %s", x.Tiro, x.Backend, env.Plural(x.Workers, "worker"))); !known[program] {
			known[program] = true
			c.Programs = append(c.Programs, program)
		}
	}
	if all > 0 {
		add := func(name string, seconds float64) {
			c.Time = append(c.Time, part{name, seconds / all, duration(seconds)})
		}
		add("self-play", play)
		add("learning", learn)
		add("duels", duels)
		add("checkpoints and other", max(0, all-play-learn-duels)) // self-play and learning may overlap
	}
	c.CPU, c.Wall = duration(cpu), duration(all)
}

// rated sets the ratings.
func (c *content) rated() {
	if c.Ratings == nil {
		return
	}
	c.Elo, c.EloGames = ratings(c.Ratings)
	all := curves(c.Ratings)
	if len(all) == 0 {
		return
	}
	points := all[0].checkpoints
	first, last := points[0], points[len(points)-1]
	text := fmt.Sprintf("Generation %d is rated %s ± %.0f Elo relative to %s", last.Checkpoint.Generation, decimal.Signed(last.Elo.Value, 0), *last.Error, c.Ratings.Anchor)
	if len(points) > 1 {
		text += fmt.Sprintf(", generation %d %s ± %.0f", first.Checkpoint.Generation, decimal.Signed(first.Elo.Value, 0), *first.Error)
	}
	c.Words = append(c.Words, text+".")
}

// duration formats seconds.
func duration(s float64) string { return progress.Duration(time.Duration(s * float64(time.Second))) }
