// Package page writes a report on a training run as a self-contained HTML page, which needs no
// network connection.
//
//	run, err := page.Open("runs/coerceo", games.New)
//	…
//	err = run.Write(file, page.Facts{Commands: []string{"tiro train coerceo"}, Machine: "…"})
//
// The page shows ratings (after tiro rate), losses, the diagnosis, the time spent, lengths and
// endings of games, openings over time, sample games to replay with the newest network's
// opinion of each move, and the configuration. The run may be training meanwhile.
package page
