package cluster

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"tiro/rundir"
)

// membership is what is known of a process beyond the ledger of a generation.
type membership struct {
	heard       time.Time
	evaluations int // that the session had at the last request
	cpu         float64
	silent      bool // it was said that it is
}

// request answers a request, unless what is played was interrupted.
func (t *Trainer) request(m *nats.Msg) {
	t.mu.Lock()
	away := t.away
	t.mu.Unlock()
	if away {
		return
	}
	name := strings.TrimPrefix(m.Subject, leasePrefix)
	q := request{}
	err := CheckName(name)
	if err == nil {
		err = decodeMessage(m.Data, maxRequest, &q)
	}
	r := reply{Granted: []int{}}
	if err != nil {
		r.Refused = clip(err.Error())
		t.mu.Lock()
		t.refused[refusedMalformed]++
		t.once("a message cannot be read", fmt.Sprintf("%.70q", name), err.Error())
		t.mu.Unlock()
	} else {
		r = t.answer(name, &q)
	}
	if data, err := json.Marshal(r); err == nil {
		_ = m.Respond(data) // who does not hear it asks again
	}
}

// answer answers the request of a worker.
func (t *Trainer) answer(name string, q *request) reply {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := reply{Granted: []int{}}
	if why, ok := t.banned[name]; ok {
		r.Refused = why
		return r
	}
	if why := t.refuses(name, q); why != "" {
		t.once("worker refused", name, why)
		r.Refused = why
		return r
	}
	if q.Refused != "" {
		t.once("a worker does not play this run", name, q.Refused)
	}
	k, now := t.current, t.o.Clock()
	process := processOf(name, q)
	t.heard(process, q, k, now)
	if k == nil || k.over {
		return r
	}
	r.ID = k.id
	if q.ID != r.ID || q.Refused != "" {
		return r
	}
	k.ledger.join(process, q.Workers, q.Backend, now)
	t.sayBackend(k, name, q.Backend)
	k.ledger.renew(process, q.Held, q.Sent, now)
	r.Share = k.ledger.share(process)
	if room := k.ledger.most(process) - len(q.Held); q.Want > 0 && room > 0 {
		r.Granted = append(r.Granted, k.ledger.grant(process, min(q.Want, room), now)...)
	}
	return r
}

// refuses returns why a worker cannot take part.
func (t *Trainer) refuses(name string, q *request) string {
	switch {
	case q.Tiro != t.o.Version:
		return fmt.Sprintf("the trainer is tiro %q, the worker is %.60q; want the same version", t.o.Version, q.Tiro)
	case name != trainerName && CheckName(q.Session) != nil:
		return fmt.Sprintf("session %.70q; want 1 to 64 letters, digits, - and _", q.Session)
	case len(q.Backend) > maxBackend:
		return fmt.Sprintf("backend %.70q; want at most %d letters", q.Backend, maxBackend)
	case t.members[processOf(name, q)] == nil && t.sessions(name) >= maxSessions:
		return fmt.Sprintf("%d processes of one worker have come within %v; want fewer", maxSessions, forgotten*t.o.Lease)
	case name != trainerName && q.Workers < 1 || q.Workers > maxWorkers:
		return fmt.Sprintf("%d workers; want 1 to %d", q.Workers, maxWorkers)
	case q.Evaluations < 0 || q.Evaluations > maxEvaluations:
		return fmt.Sprintf("evaluations is %d; want 0 to %d", q.Evaluations, maxEvaluations)
	case !(q.CPUSeconds >= 0 && q.CPUSeconds <= maxCPUSeconds): // NaN too
		return fmt.Sprintf("cpu_seconds is %g; want 0 to %g", q.CPUSeconds, maxCPUSeconds)
	}
	return ""
}

// Bounds of what a worker says of itself.
const (
	maxWorkers  = 4096 // goroutines
	maxBackend  = 64   // letters of its name
	maxSessions = 4096 // processes of one name that are not forgotten
	maxText     = 400  // bytes that are kept of a reason

	maxEvaluations = 1 << 50 // of a process, and of a player in all
	maxCPUSeconds  = 1e12    // likewise
)

// addEffort adds what a process says to have taken to what is known of a player. A process
// may count from 0 again and again, so that the sums have bounds too.
func addEffort(p *rundir.Player, evaluations int, cpuSeconds float64) {
	p.Evaluations = min(p.Evaluations+max(0, evaluations), maxEvaluations)
	p.CPUSeconds = min(p.CPUSeconds+max(0, cpuSeconds), maxCPUSeconds)
}

// clip returns a text that others have had a part in, shortened to what is kept of it.
func clip(text string) string {
	if len(text) > maxText {
		return strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	return text
}

// processOf returns the name of the process that makes a request, as in a ledger.
func processOf(name string, q *request) string {
	if name == trainerName {
		return name
	}
	return name + "/" + q.Session
}

// sessions returns how many processes of a worker are not forgotten.
func (t *Trainer) sessions(name string) (n int) {
	for process := range t.members {
		if owner(process) == name {
			n++
		}
	}
	return n
}

// heard notes what a process says of itself.
func (t *Trainer) heard(process string, q *request, k *task, now time.Time) {
	m, name := t.members[process], owner(process)
	if m == nil {
		if name != trainerName {
			t.info("a worker has come", "worker", name, "goroutines", q.Workers, "backend", q.Backend)
		}
		m = &membership{evaluations: q.Evaluations, cpu: q.CPUSeconds}
		t.members[process] = m
	}
	if m.silent {
		t.info("a worker is back", "worker", name)
	}
	if k != nil && !k.over {
		p := k.player(name)
		p.Backend = q.Backend
		p.Workers += q.Workers - k.workers[process]
		k.workers[process] = q.Workers
		addEffort(p, q.Evaluations-m.evaluations, q.CPUSeconds-m.cpu)
	}
	m.heard, m.silent, m.evaluations, m.cpu = now, false, q.Evaluations, q.CPUSeconds
}

// sayBackend says once that games of another backend differ in the last bits.
func (t *Trainer) sayBackend(k *task, name, backend string) {
	if own := k.backend(); backend != own {
		t.once("a worker computes on another backend: its games differ in the last bits from those of this run on one backend", name, backend+" and not "+own)
	}
}

// once warns of something about a worker unless it was said before.
func (t *Trainer) once(text, name, why string) {
	why = clip(why)
	if key := text + "\n" + name + "\n" + why; !t.told[key] && len(t.told) < maxTold {
		t.told[key] = true
		t.warn(text, "worker", name, "reason", why)
	}
}

// maxTold bounds what is remembered of what was said.
const maxTold = 10000
