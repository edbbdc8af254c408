// Package page writes what is known of a training run as one HTML page, which refers to
// nothing outside of it and can be read without a network.
//
//	run, err := page.Open("runs/coerceo", games.New)
//	…
//	err = run.Write(file, page.Facts{Commands: []string{"tiro train coerceo"}, Machine: "…"})
//
// The page has the ratings of the run, if tiro rate has played for it; its losses; its
// diagnosis; where the time went; how long its games are and how they end; how its
// openings have changed; sample games that can be replayed, with the opinion of the
// newest network at each move; and the configuration. The run may be under way.
package page
