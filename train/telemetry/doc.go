// Package telemetry shows the metrics of a run to other tools: to TensorBoard by an
// event file, and to Prometheus by a page on this machine.
//
// Both show the same values (Values), one set a generation:
//
//	board, err := telemetry.OpenTensorBoard(disk.OS{}, "tb/first", time.Now, history)
//	page, err := telemetry.ServePrometheus("127.0.0.1:9090", telemetry.Run{Game: "coerceo", Folder: "runs/coerceo"})
//	for … {
//		err = board.Add(metrics)
//		err = page.Add(metrics)
//	}
//	err = errors.Join(board.Close(), page.Close())
//
// Nothing here changes the run, and an error of this package is no reason to end it:
// the caller says once what went wrong and goes on without.
package telemetry
