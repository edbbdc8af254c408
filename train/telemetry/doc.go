// Package telemetry writes the metrics of a run to a TensorBoard event file, and answers
// Prometheus with the newest metrics of several runs.
//
//	board, err := telemetry.Open(disk.OS{}, "tb/first", time.Now, history)
//	for … {
//		err = board.Add(metrics)
//	}
//	err = board.Close()
//
// An error of this package need not end a run: the caller may report it once and continue without
// telemetry.
package telemetry
