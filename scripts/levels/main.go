// Command levels computes the levels of games from ratings of players: levels RATINGS… >
// player/levels.json. make levels plays the games as well. Without ratings the command prints the
// table of docs/RATINGS.md.
//
// Ratings are files of tiro rate --json whose candidates are the bundled model with
// sims=N,temperature=T. Level 1 is the weakest candidate, and each further level is 150 Elo above
// the previous one. Between two candidates, the logarithms of simulations and temperature are
// interpolated linearly in Elo. Games without ratings keep their levels.
package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"os"
	"slices"
	"strings"

	"tiro/player"
	"tiro/study/ladder"
)

// step is the difference between two levels in Elo.
const step = 150

func main() {
	log.SetFlags(0)
	if err := run(os.Args[1:]); err != nil {
		log.Fatal("levels: ", err)
	}
}

func run(files []string) error {
	if len(files) == 0 {
		text, err := table()
		fmt.Print(text)
		return err
	}
	scales, err := player.Scales()
	if err != nil {
		return err
	}
	out := player.ScaleFile{Scales: scales}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var report ladder.Report
		if err := json.Unmarshal(data, &report); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		scale, err := scaleOf(&report)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		out.Scales = replace(out.Scales, scale)
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", " ")
	return encoder.Encode(out)
}

// replace replaces the scale of the same game, or appends scale if there is none.
func replace(scales []player.Scale, scale player.Scale) []player.Scale {
	i := slices.IndexFunc(scales, func(s player.Scale) bool { return s.Game == scale.Game })
	if i < 0 {
		return append(scales, scale)
	}
	scales[i] = scale
	return scales
}

// table returns the levels of the program as a Markdown table.
func table() (string, error) {
	scales, err := player.Scales()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| game | anchor | levels | Elo of level 1 | of the top level |\n|---|---|--:|--:|--:|\n")
	for _, s := range scales {
		first, last := s.Levels[0], s.Levels[len(s.Levels)-1]
		fmt.Fprintf(&b, "| `%s` | `%s` | %d | %+.0f ± %.0f | %+.0f |\n", s.Game, s.Anchor, len(s.Levels), first.Elo, first.Error, last.Elo)
	}
	return b.String(), nil
}

// scaleOf returns the levels of the rated game.
func scaleOf(report *ladder.Report) (player.Scale, error) {
	scale := player.Scale{Game: report.Game, Anchor: report.Anchor}
	var points []player.Level
	for _, p := range report.Players {
		if !p.Candidate || math.IsNaN(p.Elo.Value) || p.Error == nil {
			continue
		}
		l := player.Level{Simulations: p.Player.Budget.Simulations, Temperature: p.Player.Temperature}
		if l.Simulations == 0 || l.Temperature == 0 {
			return scale, fmt.Errorf("%s: sims=N and temperature=T are required", p.Name)
		}
		if scale.Weights != "" && scale.Weights != p.Player.Weights {
			return scale, fmt.Errorf("%s has another network than earlier candidates", p.Name)
		}
		l.Elo, l.Error, scale.Weights = p.Elo.Value, *p.Error, p.Player.Weights
		points = append(points, l)
	}
	if len(points) < 2 {
		return scale, fmt.Errorf("%d rated candidates, but at least two are required", len(points))
	}
	scale.Levels = levels(points)
	return scale, nil
}

// levels returns equally spaced levels from the weakest to the strongest point. If a stronger
// setting was rated lower by chance, it is averaged with its neighbours.
func levels(points []player.Level) (all []player.Level) {
	slices.SortFunc(points, func(a, b player.Level) int {
		return cmp.Or(cmp.Compare(a.Simulations, b.Simulations), cmp.Compare(b.Temperature, a.Temperature))
	})
	rising(points)
	for elo := points[0].Elo; elo <= points[len(points)-1].Elo; elo += step {
		i := 1
		for i < len(points)-1 && points[i].Elo < elo {
			i++
		}
		all = append(all, between(points[i-1], points[i], elo))
	}
	return all
}

// rising makes the ratings of the points strictly increasing. Falling neighbours get their mean
// (isotonic regression), and equal ratings are then separated by a hundredth of an Elo.
func rising(points []player.Level) {
	for {
		i := 1
		for i < len(points) && points[i].Elo >= points[i-1].Elo {
			i++
		}
		if i == len(points) {
			break
		}
		first := i - 1
		for first > 0 && points[first-1].Elo == points[i-1].Elo {
			first--
		}
		sum := 0.0
		for _, p := range points[first : i+1] {
			sum += p.Elo
		}
		for j := first; j <= i; j++ {
			points[j].Elo = sum / float64(i+1-first)
		}
	}
	for i := 1; i < len(points); i++ {
		points[i].Elo = max(points[i].Elo, points[i-1].Elo+0.01)
	}
}

// between returns the level with a rating between two points.
func between(a, b player.Level, elo float64) player.Level {
	t := (elo - a.Elo) / (b.Elo - a.Elo)
	mix := func(x, y float64) float64 { return float64((1-t)*x) + float64(t*y) }
	geometric := func(x, y float64) float64 { return math.Exp(mix(math.Log(x), math.Log(y))) }
	return player.Level{
		Simulations: int(math.Round(geometric(float64(a.Simulations), float64(b.Simulations)))),
		Temperature: math.Round(100*geometric(a.Temperature, b.Temperature)) / 100,
		Elo:         math.Round(elo), Error: math.Round(mix(a.Error, b.Error)),
	}
}
