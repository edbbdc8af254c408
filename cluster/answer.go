package cluster

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"tiro/rundir"
)

// Bounds on processes.
const (
	maxProcesses = 4096 // of all workers
	maxOfName    = 256  // of one worker
)

// Times of answers.
const (
	comingFor = 10 * time.Second // for which workers that have yet to fetch a network count
	activeFor = 3 * time.Second  // after a worker's last request
	gather    = 20               // the first games wait for more workers for this part of Options.Lease
)

// answer answers a request.
func (t *Trainer) answer(name, process string, q *request) reply {
	r := reply{}
	k, m, err := t.hear(name, process, q)
	if err != nil {
		r.Refused = clip(err.Error())
		return r
	}
	if k != nil && q.ID == k.id {
		for _, data := range q.Games {
			t.receive(k, m, data)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if k == nil || k.over {
		return r
	}
	now := t.o.Clock()
	if r.ID = k.id; q.ID != k.id {
		r.Announcement = k.data
	}
	if q.ID != k.id || m.refuses {
		t.renew(k, m, nil, 0, now)
		return r
	}
	if q.Network != "" {
		piece := k.networks[q.Network]
		piece = piece[min(max(q.Offset, 0), len(piece)):]
		r.Piece = piece[:min(len(piece), networkPiece)]
	}
	if own := k.announcement.Backend; q.Backend != own && q.Backend != "" {
		t.once("a worker has another backend: its games differ in the last bits from games of one backend", name, q.Backend+" instead of "+own)
	}
	part := t.part(k, m, now)
	r.Over = t.renew(k, m, q.Held, part+m.Workers, now)
	if now.Before(t.ready) {
		return r
	}
	if n := min(q.Want, part-len(m.held)); n > 0 {
		r.Granted = t.grant(k, m, n, now)
	}
	if len(r.Granted) == 0 && q.Want > 0 {
		r.Granted = t.late(k, m, q.Want, now)
	}
	return r
}

// hear records a worker's report, and returns the current task, or nil, and the process.
func (t *Trainer) hear(name, process string, q *request) (*task, *member, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := q.check(t.o.Version); err != nil {
		t.once("refused a worker", name, err.Error())
		return nil, nil, err
	}
	now, m := t.o.Clock(), t.members[process]
	if m == nil {
		if len(t.members) >= maxProcesses {
			maps.DeleteFunc(t.members, func(_ string, o *member) bool { return o.silent && len(o.held) == 0 && o.Games == 0 })
		}
		same := 0
		for _, o := range t.members {
			if o.Name == name && !o.silent {
				same++
			}
		}
		if same >= maxOfName || len(t.members) >= maxProcesses {
			return nil, nil, fmt.Errorf("too many processes: one worker may have %d, and all together %d", maxOfName, maxProcesses)
		}
		m = &member{Contribution: rundir.Contribution{Name: name}, held: map[int]bool{}}
		t.members[process] = m
		t.log.Info("a worker has joined", "worker", name, "goroutines", q.Goroutines)
		if len(t.members) == 1 {
			t.ready = now.Add(t.o.Lease / gather)
		}
	}
	m.Backend, m.Workers, m.heard, m.silent = q.Backend, q.Goroutines, now, false
	m.id, m.refuses = q.ID, q.Refused != ""
	k := t.current
	if k != nil && q.ID == k.id {
		m.Evaluations, m.CPUSeconds = max(m.Evaluations, q.Evaluations), max(m.CPUSeconds, q.CPUSeconds)
		if m.refuses {
			t.once("a worker does not play the announced games", name, q.Refused)
		}
	}
	return k, m, nil
}

// receive takes the message of a game.
func (t *Trainer) receive(k *task, m *member, data []byte) {
	r, err := k.read(data)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		t.once("a worker has sent an invalid game", m.Name, err.Error())
		return
	}
	k.take(m, r, t.o.Clock())
}

// renew records which games a process still holds, and returns those that it need not
// finish. Games that it has from before the trainer was restarted count as given, up to most.
func (t *Trainer) renew(k *task, m *member, held []int, most int, now time.Time) (over []int) {
	still, touch := map[int]bool{}, now.Sub(m.touched) > t.o.Lease/4
	for _, n := range held {
		if n < 0 || n >= k.size() || still[n] {
			continue
		}
		still[n] = true
		if k.isDone(n) {
			if !m.held[n] || !k.chosen(n) {
				over = append(over, n)
			}
			continue
		}
		if !m.held[n] && len(m.held) < most {
			k.begin(n, m, now)
		}
		if message := k.game(n).message; touch && m.held[n] && message != nil {
			_ = message.InProgress()
		}
	}
	if touch {
		m.touched = now
	}
	for n := range m.held {
		if still[n] {
			continue
		}
		delete(m.held, n)
		if g := k.games[n]; g.message != nil && !t.holds(n) {
			_ = g.message.Nak() // if it is lost, the message is delivered again in time
			g.message = nil
		}
	}
	return over
}

// holds reports whether any process holds a game.
func (t *Trainer) holds(n int) bool {
	for _, m := range t.members {
		if m.held[n] {
			return true
		}
	}
	return false
}

// grant gives a process up to n games: games to be played twice, then games of the queue.
func (t *Trainer) grant(k *task, m *member, n int, now time.Time) (granted []int) {
	granted = k.seconds(m, n)
	for len(granted) < n && t.pull != nil {
		found, err := t.pull(k, n-len(granted))
		for _, q := range found {
			g, held := k.game(q.number), t.holds(q.number)
			if g.done {
				_ = q.message.Ack()
				continue
			}
			if g.message = q.message; !held {
				k.begin(q.number, m, now)
				granted = append(granted, q.number)
			}
		}
		if err != nil || len(found) == 0 {
			break
		}
	}
	return granted
}

// part returns how many games a process should have, so that all games that are left are
// distributed in proportion to the goroutines of the active processes.
func (t *Trainer) part(k *task, m *member, now time.Time) int {
	all := m.Workers
	for _, o := range t.members {
		active := o.id == k.id && !o.refuses || o.id != k.id && now.Sub(k.began) < comingFor
		if o != m && active && now.Sub(o.heard) <= activeFor {
			all += o.Workers
		}
	}
	return (k.left*m.Workers + all - 1) / all
}

// behindOf is the fraction of its part of the evaluations below which an idle process plays
// late games. In TestParts these games are 0 to 3% of all evaluations, and 1 to 6% with 1.03,
// which brings the parts little closer.
const behindOf = 0.98

// late gives a process with idle goroutines games that others have begun and not finished,
// the newest first. It gives none to a process that has done its part of the evaluations,
// and no game that two processes have, unless they may hang.
func (t *Trainer) late(k *task, m *member, most int, now time.Time) (given []int) {
	done, goroutines, copies := 0, 0, map[int]int{}
	for _, o := range t.members {
		if o.id == k.id {
			done, goroutines = done+o.Evaluations, goroutines+o.Workers
		}
		for n := range o.held {
			copies[n]++
		}
	}
	behind := float64(m.Evaluations)*float64(goroutines) < behindOf*float64(done)*float64(m.Workers)
	for _, n := range slices.SortedFunc(maps.Keys(copies), func(a, b int) int {
		return cmp.Or(k.games[b].since.Compare(k.games[a].since), cmp.Compare(b, a))
	}) {
		age := now.Sub(k.games[n].since)
		ripe := age > t.o.Lease || k.slowest > 0 && age >= k.slowest/2
		hangs := age > 4*max(t.o.Lease, k.slowest)
		if len(m.held) < m.Workers && len(given) < most && !m.held[n] && !k.isDone(n) && ripe && (hangs || behind && copies[n] < 2) {
			m.held[n] = true
			given = append(given, n)
		}
	}
	return given
}

// once warns about a worker unless it has done so before.
func (t *Trainer) once(text, name, why string) {
	const most = 10000 // warnings that are remembered
	why = clip(why)
	if key := text + "\n" + name + "\n" + why; !t.warned[key] && len(t.warned) < most {
		t.warned[key] = true
		t.log.Warn(text, "worker", name, "reason", why)
	}
}
