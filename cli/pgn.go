package cli

import (
	"io"

	"tiro/arena"
	"tiro/env"
	"tiro/play"
	"tiro/player"
)

// writePGN writes games of a match as PGN.
func writePGN(w io.Writer, game env.Game, players []player.Spec, games []arena.GameRecord) error {
	names := make([]string, len(players))
	for i, p := range players {
		names[i] = p.String()
	}
	for i := range games {
		r, err := play.RecordOf(game, &games[i], names)
		if err == nil && i > 0 {
			_, err = io.WriteString(w, "\n")
		}
		if err == nil {
			_, err = w.Write(r.PGN())
		}
		if err != nil {
			return err
		}
	}
	return nil
}
