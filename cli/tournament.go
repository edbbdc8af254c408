package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tiro/arena"
	"tiro/arena/tournament"
)

// playTournament plays a tournament of all players of m, and writes its report and games.
func (o *matchOptions) playTournament(cmd *cobra.Command, m arena.Match, log *arena.GameLog, meter *meter, json, pgn *target) error {
	if m.SPRT != nil {
		return usage(errors.New("--sprt compares two players, and a tournament has more"))
	}
	t := tournament.Tournament{Match: m, Gauntlet: o.gauntlet, Log: log, By: o.builder()}
	meetings, err := t.Meetings()
	if err != nil {
		return usage(err)
	}
	total := 0
	for i := range meetings {
		total += meetings[i].Games
	}
	if slices.ContainsFunc(meetings, func(m tournament.Meeting) bool { return m.MayRepeat() }) {
		meter.log.Warn(repeating)
	}
	done, began := 0, 0 // games of earlier meetings, and meetings
	t.Begun = func(next tournament.Meeting) func(arena.Progress) {
		began++
		var names []string
		for _, p := range next.Match.Players {
			names = append(names, p.String())
		}
		title, last := fmt.Sprintf("%d/%d %s", began, len(meetings), strings.Join(names, " vs ")), 0
		return func(p arena.Progress) {
			done, last = done+p.Done-last, p.Done
			meter.set(done, title+", "+p.String())
		}
	}
	meter.begin("tournament", "games", 0, total)
	report, err := tournament.Play(cmd.Context(), t)
	meter.end()
	if log != nil && errors.Is(err, context.Canceled) {
		meter.log.Info(keptGames)
	}
	if report.Games == 0 {
		return err
	}
	out := cmd.OutOrStdout()
	fmt.Fprint(out, fold(report.String(), columns(out, math.MaxInt)))
	return errors.Join(err, json.saveJSON(report), pgn.save(func(w io.Writer) error {
		return report.Each(func(names []string, games []arena.GameRecord) error { return writePGN(w, m.Game, names, games) })
	}))
}
