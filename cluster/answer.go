package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tiro/env"
)

// Times of answers.
const (
	mostSilent = time.Second            // that a worker is to be, if its lease is no shorter
	hungrySoon = 300 * time.Millisecond // a worker that wants games asks again
	hungryFor  = 2 * time.Second        // after which it may have more than its part
	comingFor  = 10 * time.Second       // workers that have yet to fetch a network count
	gatherMost = 5 * time.Second        // that the first games wait for more workers
)

// answer answers the request of a process.
func (t *Trainer) answer(ctx context.Context, name, process string, q *request) reply {
	every := min(mostSilent, t.o.Lease/4)
	r := reply{Granted: []int{}, EveryMilli: int(every.Milliseconds())}
	if err := q.check(t.o.Version); err != nil {
		t.mu.Lock()
		t.once("worker refused", name, err.Error())
		t.mu.Unlock()
		r.Refused = clip(err.Error())
		return r
	}
	t.granting.Lock()
	defer t.granting.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.o.Clock()
	m := t.heard(name, process, q, now)
	k := t.current
	switch {
	case m == nil:
		r.Refused = fmt.Sprintf("too many processes; want at most %d of one worker, and %d of all", maxOfName, maxProcesses)
		return r
	case k == nil || k.over:
		clear(m.held)
		return r
	}
	m.id, m.refuses = q.ID, q.Refused != ""
	if r.ID = k.id; q.ID != k.id {
		r.Announcement = k.data
	}
	if m.refuses && q.ID == k.id {
		t.once("a worker does not play this", name, q.Refused)
	}
	if m.refuses || q.ID != k.id {
		k.renew(m, nil, 0, now, t.o.Lease)
		return r
	}
	t.counts(k, m, q)
	part := t.part(k, m, now, 3*every)
	r.Over = k.renew(m, q.Held, part+m.goroutines, now, t.o.Lease)
	if !t.gathered(now) {
		r.EveryMilli = 50
		return r
	}
	if len(m.held) >= m.goroutines {
		m.hungry = time.Time{}
	} else if m.hungry.IsZero() {
		m.hungry = now
	}
	room := part - len(m.held)
	if !m.hungry.IsZero() && now.Sub(m.hungry) > hungryFor {
		room = max(room, m.goroutines-len(m.held))
	}
	r.Granted = t.grant(ctx, k, m, min(q.Want, room), now)
	if k.over {
		return r
	}
	if len(r.Granted) == 0 && q.Want > 0 {
		r.Granted = append(r.Granted, k.late(m, t.others(m), q.Want, now, t.o.Lease)...)
	}
	if len(r.Granted) > 0 {
		t.begun = true
	}
	if len(m.held) < m.goroutines {
		r.EveryMilli = min(r.EveryMilli, int(hungrySoon.Milliseconds()))
	}
	return r
}

// grant gives up to n games to a process: first those that others play and that it is to
// play, too, then those of the queue. The lock is released while the queue is asked.
func (t *Trainer) grant(ctx context.Context, k *task, m *member, n int, now time.Time) (granted []int) {
	granted = []int{}
	if n <= 0 {
		return granted
	}
	granted = append(granted, k.seconds(m, n, now)...)
	for len(granted) < n && !k.over {
		t.mu.Unlock()
		found, err := t.pull(ctx, k, n-len(granted))
		t.mu.Lock()
		if k.over { // meanwhile
			break
		}
		for _, g := range found {
			if k.received(g, m, now) {
				granted = append(granted, g.number)
				t.double(k, m, g.number)
			}
		}
		if err != nil || len(found) == 0 {
			break
		}
	}
	return granted
}

// double notes that a second worker is to play a game, if there is one, for some games.
func (t *Trainer) double(k *task, m *member, n int) {
	chosen := env.Mix(t.o.Secret^env.Mix(uint64(k.began.UnixNano()))+uint64(n))>>11 < uint64(t.o.Twice*(1<<53))
	if chosen && slices.ContainsFunc(t.others(m), func(o *member) bool { return o.name != m.name && o.backend == m.backend && !o.silent && !o.refuses }) {
		k.flights[n].double = true
		k.twice = append(k.twice, n)
	}
}

// part returns how many games a process should have at a time, so that all that are left
// are spread by the goroutines of those that are there.
func (t *Trainer) part(k *task, m *member, now time.Time, silence time.Duration) int {
	all := 0
	for _, o := range t.members {
		coming := o.id == k.id || now.Sub(k.began) < comingFor
		if o == m || coming && !(o.refuses && o.id == k.id) && now.Sub(o.heard) <= silence {
			all += o.goroutines
		}
	}
	return (k.left*m.goroutines + all - 1) / all
}

// gathered reports whether the first games may be given out.
func (t *Trainer) gathered(now time.Time) bool {
	return t.begun || now.Sub(t.gather[1]) >= t.o.Gather || now.Sub(t.gather[0]) >= max(gatherMost, t.o.Gather)
}

// others returns all processes but one.
func (t *Trainer) others(m *member) (all []*member) {
	for _, o := range t.members {
		if o != m {
			all = append(all, o)
		}
	}
	return all
}

// heard notes what a process says of itself, and returns it, or nil if there are too many.
func (t *Trainer) heard(name, process string, q *request, now time.Time) *member {
	m := t.members[process]
	if m == nil {
		same := 0
		for _, o := range t.members {
			if o.name == name {
				same++
			}
		}
		if same >= maxOfName || len(t.members) >= maxProcesses {
			return nil
		}
		m = &member{process: process, name: name, held: map[int]bool{}, evaluations: q.Evaluations, cpu: q.CPUSeconds}
		t.members[process] = m
		t.info("a worker has come", "worker", name, "goroutines", q.Goroutines)
		if t.gather[1] = now; t.gather[0].IsZero() {
			t.gather[0] = now
		}
	}
	if k := t.current; k != nil && q.ID == k.id { // also if that is over
		p := k.player(name)
		p.Evaluations = min(p.Evaluations+max(0, q.Evaluations-m.evaluations), maxEvaluations)
		m.spent += max(0, q.Evaluations-m.evaluations)
		p.CPUSeconds = min(p.CPUSeconds+max(0, q.CPUSeconds-m.cpu), maxCPUSeconds)
	}
	m.backend, m.goroutines, m.heard, m.silent = q.Backend, q.Goroutines, now, false
	m.evaluations, m.cpu = q.Evaluations, q.CPUSeconds
	return m
}

// counts notes which processes a player has.
func (t *Trainer) counts(k *task, m *member, q *request) {
	p := k.player(m.name)
	p.Backend, p.Workers = q.Backend, 0
	for _, o := range t.members {
		if o.name == m.name && !o.silent && o.id == k.id {
			p.Workers += o.goroutines
		}
	}
	if own := k.common().Backend; q.Backend != own && q.Backend != "" {
		t.once("a worker computes on another backend: its games differ in the last bits from those of this run on one backend", m.name, q.Backend+" and not "+own)
	}
}

// result takes the message of a game, and returns nil once the worker need not keep it.
func (t *Trainer) result(name, process, id string, data []byte) error {
	t.mu.Lock()
	k, m := t.current, t.members[process]
	over := k == nil || k.over
	backend := ""
	if m != nil {
		backend = m.backend
	}
	t.mu.Unlock()
	switch {
	case over:
		return errOver
	case id != k.id:
		return nil // it is late
	}
	g, err := k.read(data) // replays the game
	if err == nil {
		err = t.take(k, name, backend, g)
	} else {
		t.mu.Lock()
		t.once("a worker has sent a game that is not one", name, err.Error())
		t.mu.Unlock()
	}
	return err
}

// network returns a weights file that the current task needs.
func (t *Trainer) network(name string) ([]byte, error) {
	t.mu.Lock()
	k := t.current
	t.mu.Unlock()
	if k == nil {
		return nil, errOver
	}
	if data := k.weights[name]; data != nil {
		return data, nil
	}
	write := k.networks()[name]
	if write == nil {
		return nil, errors.New("no such network")
	}
	data, err := write()
	if err != nil {
		return nil, err
	}
	if len(k.weights) >= 4 {
		clear(k.weights)
	}
	k.weights[name] = data
	return data, nil
}
