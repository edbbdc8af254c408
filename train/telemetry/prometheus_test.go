package telemetry_test

import (
	"io"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"tiro/rundir"
	"tiro/train/telemetry"
)

// sampleLine is a sample of the text exposition format 0.0.4.
var sampleLine = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)*\})? (\S+)$`)

// parse reads a page strictly: each name has its HELP and TYPE once, in front of all
// its samples, and no sample comes twice.
func parse(t *testing.T, page string) map[string]float64 {
	require.True(t, strings.HasSuffix(page, "\n"))
	samples, heads := map[string]float64{}, map[string]bool{}
	name := ""
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		if help, ok := strings.CutPrefix(line, "# HELP "); ok {
			name, _, ok = strings.Cut(help, " ")
			require.True(t, ok, line)
			require.NotContains(t, heads, name)
			heads[name] = false
			continue
		}
		if kind, ok := strings.CutPrefix(line, "# TYPE "); ok {
			require.Contains(t, []string{name + " gauge", name + " counter"}, kind)
			require.Equal(t, strings.HasSuffix(name, "_total"), strings.HasSuffix(kind, " counter"), line)
			heads[name] = true
			continue
		}
		parts := sampleLine.FindStringSubmatch(line)
		require.NotNil(t, parts, line)
		require.Equal(t, name, parts[1])
		require.True(t, heads[name], line)
		x, err := strconv.ParseFloat(parts[3], 64)
		require.NoError(t, err)
		require.NotContains(t, samples, parts[1]+parts[2])
		samples[parts[1]+parts[2]] = x
	}
	return samples
}

func TestPrometheus(t *testing.T) {
	defer goleak.VerifyNone(t)
	p, err := telemetry.ServePrometheus("127.0.0.1:0", telemetry.Run{Game: "mnk:m=4", Folder: "a \"b\"\\\n\xff"})
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	get := func() map[string]float64 {
		answer, err := client.Get(p.URL())
		require.NoError(t, err)
		defer answer.Body.Close()
		require.Equal(t, http.StatusOK, answer.StatusCode)
		require.Equal(t, "text/plain; version=0.0.4; charset=utf-8", answer.Header.Get("Content-Type"))
		page, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return parse(t, string(page))
	}
	const info = "tiro_run_info{game=\"mnk:m=4\",run=\"a \\\"b\\\"\\\\\\n\uFFFD\"}"
	require.Equal(t, map[string]float64{info: 1}, get())

	all := generations(2)
	all[1].GradNorm = math.Inf(1)
	all[1].Machine = &rundir.Machine{Players: []rundir.Player{{Name: "attic", Games: 3, Evaluations: 400, CPUSeconds: 1.5}, {Name: "laptop", Silent: 9}}}
	for i := range all {
		require.NoError(t, p.Add(&all[i]))
	}
	page := get()
	require.Contains(t, page, info)
	require.Equal(t, 2.0, page["tiro_generation"])
	require.Equal(t, 14.0, page["tiro_steps_total"])
	require.Equal(t, 1.0/3, page[`tiro_validation_loss_nats{head="policy"}`])
	require.Equal(t, 16.0, page[`tiro_games_ended{rule="k-in-row"}`])
	require.Equal(t, 0.75, page[`tiro_duel_score{opponent="random"}`])
	require.Equal(t, math.Inf(1), page["tiro_gradient_norm"])
	require.Equal(t, 3.0, page[`tiro_player_games{player="attic"}`])
	require.Equal(t, 400.0, page[`tiro_player_evaluations{player="attic"}`])
	require.Equal(t, 1.5, page[`tiro_player_cpu_seconds{player="attic"}`])
	require.Equal(t, 9.0, page[`tiro_player_silent_seconds{player="laptop"}`])
	require.Len(t, page, 1+len(telemetry.Values(&all[1])))

	_, err = telemetry.ServePrometheus(strings.TrimSuffix(strings.TrimPrefix(p.URL(), "http://"), "/metrics"), telemetry.Run{})
	require.ErrorContains(t, err, "telemetry: serve metrics: ")
}

// TestValuesOfNothing: what is not known is left out, and no generation is too odd.
func TestValuesOfNothing(t *testing.T) {
	for _, v := range telemetry.Values(&rundir.Metrics{Duels: []rundir.Duel{{}}}) {
		require.Zero(t, v.X, v.Name)
	}
}

func TestOnlyLoopback(t *testing.T) {
	for _, address := range []string{"127.0.0.1:9090", "127.3.2.1:0", "[::1]:80", "[::ffff:127.0.0.1]:80"} {
		require.NoError(t, telemetry.CheckLoopback(address), address)
	}
	for address, want := range map[string]string{
		"0.0.0.0:9090":     "0.0.0.0:9090 can be reached from other machines; want a loopback address such as 127.0.0.1:9090",
		"[::]:80":          "can be reached",
		"192.168.1.2:80":   "can be reached",
		":9090":            "not an address and a port",
		"localhost:9090":   "not an address and a port; want one such as 127.0.0.1:9090",
		"127.0.0.1":        "not an address",
		"127.0.0.1:70000":  "not an address",
		"example.org:9090": "not an address",
	} {
		require.ErrorContains(t, telemetry.CheckLoopback(address), want)
		_, err := telemetry.ServePrometheus(address, telemetry.Run{})
		require.ErrorContains(t, err, "telemetry: ")
	}
}
