package telemetry

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"tiro/rundir"
)

// Prometheus returns a handler that answers a Prometheus with the values of the newest
// generation of runs. The argument newest returns these by the names of the runs. It is
// called for each request, possibly by several goroutines.
//
// The tag "validation loss/policy" becomes tiro_validation_loss_policy{run="…"}. The rest of a
// longer tag, and the opponent of a duel, are the label "of".
func Prometheus(newest func() map[string]*rundir.Metrics) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		values, runs := map[string]string{}, newest() // by metric, as text
		for _, run := range slices.Sorted(maps.Keys(runs)) {
			for _, v := range Values(runs[run]) {
				name, of := split(v.Tag)
				metric, labels := "tiro_"+metricName(name), label("run", run)
				if of != "" {
					labels = label("of", of) + "," + labels
				}
				if values[metric] == "" {
					values[metric] = fmt.Sprintf("# HELP %s The %s of the newest generation.\n# TYPE %[1]s gauge\n", metric, name)
				}
				values[metric] += fmt.Sprintf("%s{%s} %s\n", metric, labels, strconv.FormatFloat(v.X, 'g', -1, 64))
			}
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		for _, metric := range slices.Sorted(maps.Keys(values)) {
			_, _ = io.WriteString(w, values[metric])
		}
	})
}

// label returns a label in Prometheus's text format (prometheus.io, Exposition formats).
func label(name, value string) string {
	return name + `="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(strings.ToValidUTF8(value, "\uFFFD")) + `"`
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
