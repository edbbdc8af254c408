// Package watch shows training runs in a browser.
//
// A Watcher is an http.Handler. It reads run folders, which may be training, stopped, damaged
// or missing. It takes no lock and writes nothing, so that a training run does not notice it,
// except on Windows, where an open file cannot be replaced.
//
//	GET /api/runs                      the list of runs
//	GET /api/runs/ID                   the state of a run (Status)
//	GET /api/runs/ID/charts            its charts (Charts); ?with=ID adds another run, ?smooth=0.9 averages
//	GET /api/runs/ID/games/GEN/NUMBER  one of its latest games, for replay (progress.Replay)
//
// The files of a run are read once for all browsers, at most every Options.Every, and only
// when a browser sends a request. Reading takes a small fraction of a core.
package watch
