// Package telemetry hands the metrics of a run to other tools: to TensorBoard by event
// files, and to Prometheus by a page that it reads.
//
//	events, err := telemetry.NewEvents(file, now)
//	…
//	err = events.Add(metrics, now)
package telemetry
