package coerceo

import "testing"

func BenchmarkPerft(b *testing.B) {
	p := Start(2)
	n := uint64(0)
	for b.Loop() {
		n += p.Perft(5)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "positions/s")
}
