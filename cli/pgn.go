package cli

import (
	"io"

	"tiro/arena"
	"tiro/env"
	"tiro/play"
)

// writePGN writes games of a match as PGN.
func writePGN(w io.Writer, game env.Game, names []string, games []arena.GameRecord) error {
	for i := range games {
		r, err := play.RecordOf(game, &games[i], names)
		if err == nil {
			_, err = w.Write(append(r.PGN(), '\n'))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
