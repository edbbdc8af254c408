package play

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"tiro/env"
	"tiro/player"
)

// analyze executes an analysis in the format of Leela Zero, if lz, or of KataGo: [COLOUR]
// [CENTISECONDS] [KEY VALUE …]. It lasts until the next line, or it is of a move that is
// played.
func (g *gtpEngine) analyze(ctx context.Context, args []string, lz, play bool) (string, error) {
	seat, interval, most := g.state.Turn(), infoInterval, math.MaxInt
	if len(args) > 0 {
		if named, err := g.seat(args[0]); err == nil {
			seat, args = named, args[1:]
		}
	}
	if len(args)%2 == 1 {
		args = append([]string{"interval"}, args...)
	}
	for pair := range slices.Chunk(args, 2) {
		n, err := strconv.Atoi(pair[1])
		switch key := pair[0]; {
		case key == "interval" && err == nil:
			interval = time.Duration(min(max(n, 1), math.MaxInt16)) * 10 * time.Millisecond
		case key == "maxmoves" && err == nil && n > 0:
			most = n
		case slices.Contains([]string{"minmoves", "ownership", "movesOwnership", "ownershipStdev", "rootInfo", "pvVisits", "pvEdgeVisits"}, key):
		default:
			return "", fmt.Errorf("%w: %q", errSyntax, clip(strings.Join(pair, " ")))
		}
	}
	s := search{interval: interval, info: func(s *search, a player.Analysis) { s.out.printf("%s\n", s.analysis(a, lz, most)) }}
	if play {
		g.out.printf("=%s\n", g.id)
		if name, err := g.think(ctx, env.SeatName(g.Game, seat), true, s); err != nil {
			g.out.printf("info string %s\n\n", clip(err.Error()))
		} else {
			g.out.printf("play %s\n\n", name)
		}
		return "", errAnswered
	}
	p, err := g.before(seat)
	if err != nil {
		return "", err
	}
	s.state, s.history, s.done = p.state, p.history, func(s *search) { s.out.printf("\n") }
	g.out.printf("=%s\n", g.id)
	g.start(ctx, s)
	return "", errAnswered
}

// analysis formats the visited moves.
func (s *search) analysis(a player.Analysis, lz bool, most int) string {
	var all []string
	seat, players := s.state.Turn(), s.Game.Spec().Players
	for i, l := range a.Lines[:min(most, len(a.Lines))] {
		if l.Visits == 0 && i > 0 {
			continue
		}
		pv := strings.ToUpper(strings.Join(notation(s.Game, s.state, l.Actions), " "))
		move, _, _ := strings.Cut(pv, " ")
		winrate, prior := fmt.Sprintf("%.6f", l.Value.Shares(players)[seat]), fmt.Sprintf("%.6f", l.Prior)
		if lz {
			winrate, prior = fmt.Sprintf("%.0f", 1e4*l.Value.Shares(players)[seat]), fmt.Sprintf("%.0f", 1e4*l.Prior)
		}
		all = append(all, fmt.Sprintf("info move %s visits %d winrate %s prior %s order %d pv %s", move, l.Visits, winrate, prior, i, pv))
	}
	return strings.Join(all, " ")
}
