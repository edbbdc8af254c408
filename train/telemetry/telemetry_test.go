package telemetry

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/rundir"
)

func metrics(generation int) *rundir.Metrics {
	return &rundir.Metrics{
		Generation: generation, Games: 20, MeanPlies: 31.5, Draws: 5, Steps: 7, TotalSteps: 7 * generation,
		ValidationLoss: rundir.Losses{PolicyKL: 0.5, Outcome: 0.75}, BaselineLoss: 1,
		Machine: &rundir.Machine{Seconds: 3, CPUSeconds: 5},
	}
}

// read reads an event file without any code of this package, as the TFRecord format and
// the definitions of the messages say. It returns versions, and values by step and tag.
func read(t *testing.T, data []byte) (versions []string, values map[uint64]map[string]float32) {
	sum := func(b []byte) uint32 {
		c := crc32.New(crc32.MakeTable(0x82f63b78))
		_, _ = c.Write(b)
		return (c.Sum32()>>15 | c.Sum32()<<17) + 0xa282ead8
	}
	// fields calls f for the fields of a message: its number, and its bytes or bits.
	fields := func(b []byte, f func(number uint64, part []byte, bits uint64)) {
		for len(b) > 0 {
			key, n := binary.Uvarint(b)
			b = b[n:]
			switch key & 7 {
			case 0:
				v, n := binary.Uvarint(b)
				f(key>>3, nil, v)
				b = b[n:]
			case 1:
				f(key>>3, nil, binary.LittleEndian.Uint64(b))
				b = b[8:]
			case 2:
				size, n := binary.Uvarint(b)
				f(key>>3, b[n:n+int(size)], 0)
				b = b[n+int(size):]
			case 5:
				f(key>>3, nil, uint64(binary.LittleEndian.Uint32(b)))
				b = b[4:]
			default:
				t.Fatal("wire type", key&7)
			}
		}
	}
	values = map[uint64]map[string]float32{}
	for len(data) > 0 {
		size := binary.LittleEndian.Uint64(data)
		require.Equal(t, sum(data[:8]), binary.LittleEndian.Uint32(data[8:]))
		event := data[12 : 12+size]
		require.Equal(t, sum(event), binary.LittleEndian.Uint32(data[12+size:]))
		data = data[16+size:]
		step, found := uint64(0), map[string]float32{}
		fields(event, func(number uint64, part []byte, bits uint64) {
			switch number {
			case 1:
				require.Equal(t, 1.5e9, math.Float64frombits(bits))
			case 2:
				step = bits
			case 3:
				versions = append(versions, string(part))
			case 5:
				fields(part, func(_ uint64, value []byte, _ uint64) {
					tag := ""
					fields(value, func(number uint64, part []byte, bits uint64) {
						if number == 1 {
							tag = string(part)
						} else {
							found[tag] = math.Float32frombits(uint32(bits))
						}
					})
				})
			}
		})
		if len(found) > 0 {
			values[step] = found
		}
	}
	return versions, values
}

// TestEvents: another reader finds what was written. All event files that TensorFlow
// writes begin with the same 13 bytes: a record of 24 bytes, its checksum, a wall time.
func TestEvents(t *testing.T) {
	var b bytes.Buffer
	now := time.Unix(1.5e9, 0)
	e, err := NewEvents(&b, now)
	require.NoError(t, err)
	require.NoError(t, e.Add(metrics(1), now))
	require.NoError(t, e.Add(metrics(300), now))
	require.Equal(t, "\x18\x00\x00\x00\x00\x00\x00\x00\xa3\x7f\x4b\x22\x09", b.String()[:13])
	versions, values := read(t, b.Bytes())
	require.Equal(t, []string{"brain.Event:2"}, versions)
	require.Len(t, values, 2)
	require.Equal(t, float32(0.75), values[300]["loss/outcome"])
	require.Equal(t, float32(2100), values[300]["learning/steps"])
	require.Equal(t, float32(0.25), values[1]["games/drawn"])

	_, err = NewEvents(full{}, now)
	require.ErrorContains(t, err, "telemetry: no space")
}

// full is a writer that has no room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space") }

// TestPage: every line of the page is one of the text format, and totals add up.
func TestPage(t *testing.T) {
	p := NewPage("pacru:players=3", `a "run"\`)
	server := httptest.NewServer(p)
	defer server.Close()
	get := func(path string) (int, string) {
		answer, err := http.Get(server.URL + path)
		require.NoError(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return answer.StatusCode, string(text)
	}
	status, text := get("/metrics")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, text, `tiro_generation{game="pacru:players=3",run="a \"run\"\\"} 0`)
	p.Add(metrics(1))
	p.Add(metrics(2))
	_, text = get("/metrics")
	require.Contains(t, text, "# TYPE tiro_games_total counter\n")
	require.Regexp(t, `\ntiro_games_total\{.*\} 40\n`, text)
	require.Regexp(t, `\ntiro_cpu_seconds_total\{.*\} 10\n`, text)
	require.Regexp(t, `\ntiro_generation\{.*\} 2\n`, text)
	require.Regexp(t, `\ntiro_loss_outcome\{.*\} 0.75\n`, text)
	line := regexp.MustCompile(`^(# HELP tiro_[a-z_]+ .+|# TYPE tiro_[a-z_]+ (gauge|counter)|tiro_[a-z_]+\{game="[^"]*",run="(\\.|[^"\\])*"\} [-+0-9.e]+)$`)
	seen := map[string]bool{}
	for _, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		require.Regexp(t, line, l)
		require.False(t, seen[l], l)
		seen[l] = true
	}
	status, _ = get("/")
	require.Equal(t, http.StatusNotFound, status)
	answer, err := http.Post(server.URL+"/metrics", "", nil)
	require.NoError(t, err)
	answer.Body.Close()
	require.Equal(t, http.StatusMethodNotAllowed, answer.StatusCode)
}
