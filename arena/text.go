package arena

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"tiro/env"
	"tiro/internal/decimal"
)

// String returns the report as text: a table of scores by player and seat, the Elo
// difference of every pair of players, and statistics of the games.
func (r Report) String() string {
	var b strings.Builder
	names := make([]string, len(r.Players))
	for i, s := range r.Players {
		names[i] = s.Name
		if s.Seats > 1 {
			names[i] += fmt.Sprintf(" ×%d", s.Seats)
		}
	}
	fmt.Fprintf(&b, "%s: %s, %d games, seed %d\n\n", r.Game, strings.Join(names, " vs "), r.Games, r.Seed)
	r.writeScores(&b, names)
	if r.Groups > 0 {
		r.writeElo(&b)
	}
	if len(r.Endings) > 0 {
		fmt.Fprintf(&b, "endings   %s\n", Endings(r.Endings))
	}
	if a := r.Adjudication; a != nil {
		fmt.Fprintf(&b, "early     %s adjudicated; %d more played out as a check, %d of them with another result",
			env.Plural(a.Adjudicated, "game"), a.PlayedOut, a.FalsePositives)
		if a.PlayedOut > 0 {
			fmt.Fprintf(&b, " (95%% interval %.1f to %.1f%%)", 100*a.FalsePositiveRate.Low, 100*a.FalsePositiveRate.High)
		}
		b.WriteString("\n")
	}
	if r.Games > 0 {
		fmt.Fprintf(&b, "length    %d to %d plies, mean %.1f\n", r.Plies.Min, r.Plies.Max, r.Plies.Mean)
		fmt.Fprintf(&b, "distinct  %d of %d games", r.Distinct, r.Games)
		if r.Distinct < r.Games {
			b.WriteString("; repeated groups count once in intervals and tests")
		}
		b.WriteString("\n")
	}
	if t := r.SPRT; t != nil {
		fmt.Fprintf(&b, "SPRT      %s after %d games: Elo %+g against %+g, LLR %+.2f (rejected at %.2f, accepted at %.2f)\n",
			r.Verdict, r.Games, t.Elo1, t.Elo0, t.LLR, t.Reject, t.Accept)
	}
	r.writeForfeits(&b)
	if r.Games < r.Requested && (r.Verdict == "" || r.Verdict == Undecided) {
		fmt.Fprintf(&b, "stopped   %d of %d games unfinished\n", r.Requested-r.Games, r.Requested)
	}
	return b.String()
}

func (r *Report) writeScores(b *strings.Builder, names []string) {
	seat := func(i int) string {
		if r.SeatNames != nil {
			return "  as " + r.SeatNames[i]
		}
		return fmt.Sprintf("  as player %d", i+1)
	}
	width := len("  as player 1")
	for _, name := range names {
		width = max(width, utf8.RuneCountInString(name))
	}
	many := len(r.Players[0].BySeat) > 2 // with two seats the last columns are redundant
	line := func(cells ...any) {
		text := fmt.Sprintf("%-*s %5v %5v %6v %7v %6v  %-14v", append([]any{width}, cells[:7]...)...)
		if many {
			text += fmt.Sprintf(" %6v %6v", cells[7:]...)
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	line("player", "wins", "draws", "losses", "points", "score", "95% interval", "equal", "payoff")
	percent := func(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }
	row := func(name string, s Result) {
		score, interval, equal, payoff := "", "", "", ""
		if r.Groups > 0 {
			score, interval = percent(s.Score.Value), fmt.Sprintf("%.1f to %s", 100*s.Score.Low, percent(s.Score.High))
			equal, payoff = percent(s.EqualScore), decimal.Signed(s.Payoff.Value, 2)
		}
		line(name, s.Wins, s.Draws, s.Losses, fmt.Sprintf("%.1f", s.Points), score, interval, equal, payoff)
	}
	for i, s := range r.Players {
		row(names[i], s.Result)
		for j, result := range s.BySeat {
			row(seat(j), result)
		}
	}
	b.WriteString("\n")
}

// writeElo writes the Elo differences and the number of openings. With two seats it
// also writes the first player's points per opening, which are the pentanomial counts.
func (r *Report) writeElo(b *strings.Builder) {
	for i, s := range r.Players {
		for j := i + 1; j < len(r.Players); j++ {
			fmt.Fprintf(b, "Elo       %s above %s: %s\n", s.Name, r.Players[j].Name, eloText(s, r.Players[j], s.Elo[j]))
		}
	}
	fmt.Fprintf(b, "openings  %d, each played with every seating", r.Groups)
	if a := r.Players[0]; len(a.BySeat) == 2 {
		most := func(a, b string) int { return cmp.Compare(b, a) }
		fmt.Fprintf(b, "; points of %s per opening: %s", a.Name, counts(a.GroupPoints, most))
	}
	b.WriteString("\n")
}

// shownForfeits is the number of forfeits with a line of their own.
const shownForfeits = 5

func (r *Report) writeForfeits(b *strings.Builder) {
	shown, all := 0, r.Endings[Forfeited]+r.Endings[TimeForfeit]
	for _, g := range r.Records {
		if g.Forfeit == nil {
			continue
		}
		if shown++; shown > shownForfeits {
			fmt.Fprintf(b, "          and %s\n", env.Plural(all-shownForfeits, "more game"))
			return
		}
		fmt.Fprintf(b, "forfeit   game %d, by %s: %s\n", g.Number, r.Players[g.Seating[g.Forfeit.Seat]].Name, g.Forfeit.Reason)
	}
}

// Forfeits has the reasons of forfeited games by the player's name, for reports on several matches.
type Forfeits map[string][]string

// Add adds the games that players of a match forfeited.
func (f Forfeits) Add(games []GameRecord, players ...string) {
	for _, g := range games {
		if g.Forfeit != nil {
			name := players[g.Seating[g.Forfeit.Seat]]
			f[name] = append(f[name], g.Forfeit.Reason)
		}
	}
}

// String returns a line for each player with its last reason.
func (f Forfeits) String() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(f)) {
		all := f[name]
		fmt.Fprintf(&b, "forfeit   %s, by %s; the last one: %s\n", env.Plural(len(all), "game"), name, all[len(all)-1])
	}
	return b.String()
}

// eloText formats the Elo difference of two players.
func eloText(a, b Standing, elo Interval) string {
	switch {
	case math.IsInf(elo.Low, -1) && math.IsInf(elo.High, 1):
		return "unknown"
	case math.IsInf(elo.High, 1):
		return fmt.Sprintf("at least %s (95%%), because %s has no points", decimal.Signed(elo.Low, 0), b.Name)
	case math.IsInf(elo.Low, -1):
		return fmt.Sprintf("at most %s (95%%), because %s has no points", decimal.Signed(elo.High, 0), a.Name)
	}
	return fmt.Sprintf("%s, 95%% interval %s to %s", decimal.Signed(elo.Value, 0), decimal.Signed(elo.Low, 0), decimal.Signed(elo.High, 0))
}

// Endings formats the numbers of games by ending, the most frequent first.
func Endings(games map[string]int) string {
	return counts(games, func(a, b string) int { return cmp.Or(cmp.Compare(games[b], games[a]), cmp.Compare(a, b)) })
}

// counts formats a map of counts, with the keys in the given order.
func counts(m map[string]int, order func(a, b string) int) string {
	keys := slices.SortedFunc(maps.Keys(m), order)
	for i, k := range keys {
		keys[i] = fmt.Sprintf("%s ×%d", k, m[k])
	}
	return strings.Join(keys, ", ")
}
