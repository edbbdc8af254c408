// Package watch shows runs to people in a browser while they train.
//
// A Watcher is an http.Handler. It reads run folders, which may be under way, stopped,
// damaged or not there yet, and writes nothing to them: it takes no lock, and a training
// does not notice it, but on Windows, where an open file cannot be replaced.
//
//	GET /api/runs                      the runs that there are
//	GET /api/runs/ID                   how a run stands (Status)
//	GET /api/runs/ID/charts            its curves (Charts)
//	GET /api/runs/ID/games/GEN/NUMBER  one of its latest games, to be replayed (progress.Replay)
//
// However many browsers watch a run, its files are read once, at most every Options.Every,
// and so that reading takes a small part of a core. Nothing is read unless a browser asks.
package watch
