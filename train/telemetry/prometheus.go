package telemetry

import (
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"tiro/rundir"
)

// Prometheus returns a handler that answers a Prometheus with the values of the newest
// generation of runs. The argument newest returns these by the names of the runs. It is
// called for each request, possibly by several goroutines.
//
// The tag "validation loss/policy" becomes tiro_validation_loss_policy{run="…"}. The rest of a
// longer tag, and the opponent of a duel, are the label "of".
func Prometheus(newest func() map[string]*rundir.Metrics) http.Handler {
	r := prometheus.NewRegistry()
	r.MustRegister(collector{newest})
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}

type collector struct {
	newest func() map[string]*rundir.Metrics
}

// Describe describes no metrics, because they depend on the runs.
func (collector) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (c collector) Collect(to chan<- prometheus.Metric) {
	for run, m := range c.newest() {
		for _, v := range Values(m) {
			name, of := split(v.Tag)
			labels, values := []string{"run"}, []string{strings.ToValidUTF8(run, "\uFFFD")}
			if of != "" {
				labels, values = append(labels, "of"), append(values, of)
			}
			desc := prometheus.NewDesc("tiro_"+metricName(name), "The "+name+" of the newest generation.", labels, nil)
			to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, v.X, values...)
		}
	}
}

// split splits a tag into the part that names a metric and the rest, which may be empty.
func split(tag string) (name, of string) {
	parts := strings.SplitN(tag, "/", 3)
	if parts[0] == "duel score" {
		return parts[0], strings.Join(parts[1:], "/")
	}
	return strings.Join(parts[:min(2, len(parts))], " "), strings.Join(parts[min(2, len(parts)):], "/")
}

// metricName returns text as a part of a metric's name.
func metricName(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToLower(text))
}
