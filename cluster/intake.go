package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Reasons for which messages are refused, as they are counted.
const (
	refusedMalformed = "malformed"        // it cannot be read
	refusedForged    = "forged"           // it can be read, and breaks the rules
	refusedBanned    = "banned"           // its worker is not believed any more
	refusedLate      = "late"             // what it belongs to is over
	refusedDuplicate = "duplicate"        // its game is there already
	refusedName      = "name of a worker" // its subject names none
)

// episode takes the message of a game and reports whether it is dealt with: taken or
// refused for good. Otherwise the server keeps it.
func (t *Trainer) episode(subject string, data []byte) (done bool) {
	id, name, ok := strings.Cut(strings.TrimPrefix(subject, episodePrefix), ".")
	t.mu.Lock()
	k := t.current
	switch {
	case !ok || CheckName(name) != nil:
		t.refused[refusedName]++
		t.mu.Unlock()
		return true
	case k == nil || k.over: // the next one may be the same, resumed
		t.mu.Unlock()
		return false
	case t.banned[name] != "":
		t.refused[refusedBanned]++
		t.mu.Unlock()
		return true
	case id != k.id:
		t.refused[refusedLate]++
		t.mu.Unlock()
		return true
	}
	t.mu.Unlock()

	var g game
	var err error
	if len(data) > maxMessage {
		err = fmt.Errorf("%d bytes; want at most %d", len(data), maxMessage)
	} else {
		g, err = k.read(data) // replays the game: not under the lock
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current != k || k.over {
		return false
	}
	if t.banned[name] != "" { // meanwhile
		t.refused[refusedBanned]++
		return true
	}
	if err != nil {
		t.refused[refusedForged]++
		t.ban(k, name, fmt.Sprintf("it sent a game that is not one: %v", err))
		return true
	}
	return t.take(k, name, g) == nil
}

// take takes a game that may be right. An error, which ends the task, means
// that the game is not in the trainer's files.
func (t *Trainer) take(k *task, name string, g game) error {
	digest, err := g.digest()
	if err != nil {
		return err
	}
	before := k.ledger.games[g.number()]
	k.ledger.took(g.number(), name, t.o.Clock())
	switch k.ledger.deliver(g.number(), name, digest) {
	case accepted:
		began := t.o.Clock()
		err := k.accept(name, g)
		t.excuse(k, t.o.Clock().Sub(began))
		if err != nil {
			k.end(err)
			return err
		}
	case duplicate:
		t.refused[refusedDuplicate]++
	case differs:
		t.refused[refusedDuplicate]++
		t.dispute(k, &conflict{game: g.number(), names: [2]string{before.by, name}, digests: [2]string{before.digest, digest}})
	}
	k.endIfComplete(t.o.Clock())
	return nil
}

// excuse makes up for a time in which nobody was heard, because there was no room for a
// game until the network had learned: no worker was silent.
func (t *Trainer) excuse(k *task, waited time.Duration) {
	if waited < t.o.Lease/4 {
		return
	}
	for _, m := range t.members {
		m.heard = m.heard.Add(waited)
	}
	k.ledger.extend(waited)
}

// conflict is a game of which two workers have delivered different versions.
type conflict struct {
	game    int
	backend string
	names   [2]string
	digests [2]string
}

// dispute has it found out which version of a game is right.
func (t *Trainer) dispute(k *task, c *conflict) {
	first, second := k.player(c.names[0]).Backend, k.player(c.names[1]).Backend
	if first != second {
		t.once("the same game differs, as it does between backends", c.names[1], fmt.Sprintf("%s here, %s from worker %s, which came first", second, first, c.names[0]))
		return
	}
	if k.disputes < maxDisputes {
		k.disputes++
		c.backend = first
		k.disputed <- c
	}
}

// maxDisputes bounds the games that wait to be settled: the first one tells enough.
const maxDisputes = 16

// settle plays a disputed game here, and bans whoever was wrong.
func (t *Trainer) settle(ctx context.Context, k *task, c *conflict) error {
	var truth string
	w, err := k.local(c.backend, &counter{})
	if err == nil {
		truth, err = replay(ctx, w, c.game)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	k.disputes--
	if err != nil {
		t.once("two workers disagree about a game, and this machine cannot find out who is right", c.names[0]+" and "+c.names[1], err.Error())
	}
	for i, name := range c.names {
		switch {
		case err != nil || c.digests[i] == truth || t.banned[name] != "":
		case name == trainerName:
			return errors.New("this machine has played the same game twice, and differently; something is wrong with it, perhaps its memory")
		default:
			t.ban(k, name, fmt.Sprintf("it played game %d of %s otherwise than this machine does on the same backend", c.game, k))
		}
	}
	k.endIfComplete(t.o.Clock())
	return nil
}

// ban drops a worker. What it has played of this task is played again.
func (t *Trainer) ban(k *task, name, why string) {
	if t.banned[name] != "" || len(t.banned) >= maxTold {
		return
	}
	why = clip(why)
	t.banned[name] = why
	t.warn("a worker is dropped", "worker", name, "reason", why)
	if k.retract(name); k.over {
		t.broken = broken{k.id, k.ledger}
	}
}
