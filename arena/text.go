package arena

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// String returns the report as a table for people.
func (r Report) String() string {
	var b strings.Builder
	if r.Players == nil {
		r.writeTwo(&b)
	} else {
		r.writeMany(&b)
	}
	if len(r.Endings) > 0 {
		fmt.Fprintf(&b, "endings   %s\n", counts(r.Endings, byCount))
	}
	if a := r.Adjudications; a != nil {
		fmt.Fprintf(&b, "adjudged  %d games; %d more were played on, %d of them to another end", a.Given, a.PlayedOn, a.Wrong)
		if a.PlayedOn > 0 {
			fmt.Fprintf(&b, ": wrong in %.1f to %.1f%%", 100*a.Share.Low, 100*a.Share.High)
		}
		b.WriteString("\n")
	}
	if r.Games > 0 {
		fmt.Fprintf(&b, "length    %d to %d plies, mean %.1f\n", r.Plies.Min, r.Plies.Max, r.Plies.Mean)
		fmt.Fprintf(&b, "distinct  %d of %d games", r.Distinct, r.Games)
		if r.Distinct < r.Games {
			fmt.Fprintf(&b, "; identical games tell nothing new, so the intervals are too narrow")
		}
		b.WriteString("\n")
	}
	if r.Games < r.Wanted {
		fmt.Fprintf(&b, "stopped   %d of %d games were not finished\n", r.Wanted-r.Games, r.Wanted)
	}
	return b.String()
}

// seat names a row of results on one seat.
func (r Report) seat(seat int) string {
	if r.SeatNames != nil {
		return "as " + r.SeatNames[seat]
	}
	return fmt.Sprintf("as player %d", seat+1)
}

// writeTwo writes the results of a game of two seats.
func (r Report) writeTwo(b *strings.Builder) {
	fmt.Fprintf(b, "%s: %s against %s, %d games, seed %d\n\n", r.Game, r.A, r.B, r.Games, r.Seed)
	width := max(len(r.A), len("  as player 1"))
	fmt.Fprintf(b, "%-*s  %6s %6s %6s\n", width, r.A, "won", "drawn", "lost")
	row := func(name string, t Tally) {
		fmt.Fprintf(b, "%-*s  %6d %6d %6d\n", width, "  "+name, t.Won, t.Drawn, t.Lost)
	}
	for seat, t := range r.Seats {
		row(r.seat(seat), t)
	}
	row("in all", r.Total)
	b.WriteString("\n")
	if r.Groups > 0 {
		fmt.Fprintf(b, "score     %.1f%%, 95%% interval %.1f%% to %.1f%%\n", 100*r.Score.Value, 100*r.Score.Low, 100*r.Score.High)
		fmt.Fprintf(b, "Elo       %s\n", r.Elo.elo("everything was won", "nothing was won"))
		fmt.Fprintf(b, "openings  %d, by points of %s: %s\n", r.Groups, r.A, counts(r.Points, byKey))
	}
}

// writeMany writes the results of a game of more seats: first places by player
// and seat, then ratings.
func (r Report) writeMany(b *strings.Builder) {
	last := len(r.Players) - 1
	names := make([]string, len(r.Players))
	width := len("  as player 1")
	for i, s := range r.Players {
		names[i] = s.Name
		if s.Taken > 1 {
			names[i] += fmt.Sprintf(" ×%d", s.Taken)
		}
		width = max(width, utf8.RuneCountInString(names[i]))
	}
	fmt.Fprintf(b, "%s: %s and %s, %d games, seed %d\n\n",
		r.Game, strings.Join(names[:last], ", "), names[last], r.Games, r.Seed)
	fmt.Fprintf(b, "%-*s  %6s %7s %6s  %-14s %6s %7s\n", width, "first places", "games", "won", "share", " 95% interval", "chance", "payoff")
	row := func(name string, f Firsts) {
		fmt.Fprintf(b, "%-*s  %6d %7.1f", width, name, f.Games, f.Won)
		if r.Groups > 0 {
			fmt.Fprintf(b, " %5.1f%%  %5.1f to %5.1f%% %5.1f%%  %+6.2f",
				100*f.Share.Value, 100*f.Share.Low, 100*f.Share.High, 100*f.Chance, f.Payoff.Value)
		}
		b.WriteString("\n")
	}
	for i, s := range r.Players {
		row(names[i], s.Total)
		for seat, f := range s.Seats {
			row("  "+r.seat(seat), f)
		}
	}
	b.WriteString("\n")
	if r.Groups == 0 {
		return
	}
	for i, s := range r.Players {
		for j := i + 1; j <= last; j++ {
			fmt.Fprintf(b, "Elo       %s above %s: %s\n", s.Name, r.Players[j].Name, s.Elo[j].elo(r.Players[j].Name+" won nothing", s.Name+" won nothing"))
		}
	}
	fmt.Fprintf(b, "openings  %d, each with the players seated in every way\n", r.Groups)
}

// elo returns an interval of Elo differences for people, with what is to be said
// of one that is infinite at the high or the low end.
func (i Interval) elo(high, low string) string {
	switch {
	case math.IsInf(i.Low, -1) && math.IsInf(i.High, 1):
		return "unknown"
	case math.IsInf(i.High, 1):
		return fmt.Sprintf("at least %+.0f (95%%); %s", i.Low, high)
	case math.IsInf(i.Low, -1):
		return fmt.Sprintf("at most %+.0f (95%%); %s", i.High, low)
	}
	return fmt.Sprintf("%+.0f, 95%% interval %+.0f to %+.0f", i.Value, i.Low, i.High)
}

// byCount puts the larger count first.
func byCount(m map[string]int, a, b string) int {
	return cmp.Or(cmp.Compare(m[b], m[a]), cmp.Compare(a, b))
}

// byKey puts the larger key first.
func byKey(_ map[string]int, a, b string) int { return cmp.Compare(b, a) }

// counts writes a map of counts in the given order.
func counts(m map[string]int, order func(m map[string]int, a, b string) int) string {
	keys := slices.SortedFunc(maps.Keys(m), func(a, b string) int { return order(m, a, b) })
	for i, k := range keys {
		keys[i] = fmt.Sprintf("%s ×%d", k, m[k])
	}
	return strings.Join(keys, ", ")
}
