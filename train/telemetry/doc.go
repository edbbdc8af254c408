// Package telemetry writes the metrics of a run to an event file of TensorBoard.
//
//	board, err := telemetry.Open(disk.OS{}, "tb/first", time.Now, history)
//	for … {
//		err = board.Add(metrics)
//	}
//	err = board.Close()
//
// An error of this package is no reason to end a run: the caller reports it once and
// continues without.
package telemetry
