package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"tiro/selfplay"
	"tiro/train"
)

// Reasons for which messages are refused, as they are counted.
const (
	refusedMalformed = "malformed"        // it cannot be read
	refusedForged    = "forged"           // it can be read, and breaks the rules
	refusedBanned    = "banned"           // its worker is not believed any more
	refusedLate      = "late"             // its generation is over
	refusedDuplicate = "duplicate"        // its game is there already
	refusedName      = "name of a worker" // its subject names none
)

// episode takes the message of a game and reports whether it is dealt with: taken or
// refused for good. Otherwise the server keeps it.
func (t *Trainer) episode(subject string, data []byte) (done bool) {
	id, name, ok := strings.Cut(strings.TrimPrefix(subject, episodePrefix), ".")
	t.mu.Lock()
	g := t.current
	switch {
	case !ok || CheckName(name) != nil:
		t.refused[refusedName]++
		t.mu.Unlock()
		return true
	case g == nil || g.over: // the next one may be the same, resumed
		t.mu.Unlock()
		return false
	case t.banned[name] != "":
		t.refused[refusedBanned]++
		t.mu.Unlock()
		return true
	case id != g.offer.id:
		t.refused[refusedLate]++
		t.mu.Unlock()
		return true
	}
	t.mu.Unlock()

	e, err := selfplay.Episode{}, error(nil)
	if len(data) > maxMessage {
		err = fmt.Errorf("%d bytes; want at most %d", len(data), maxMessage)
	} else {
		e, err = g.read(data) // replays the game: not under the lock
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current != g || g.over {
		return false
	}
	if err != nil {
		t.refused[refusedForged]++
		t.ban(g, name, fmt.Sprintf("it sent a game that is not one: %v", err))
		return true
	}
	return t.take(g, name, &e) == nil
}

// take takes a game that may be right. An error, which ends the generation, means
// that the game is not in the trainer's files.
func (t *Trainer) take(g *generation, name string, e *selfplay.Episode) error {
	digest, err := g.digest(e)
	if err != nil {
		return err
	}
	before := g.ledger.games[e.Game]
	switch g.ledger.deliver(e.Game, name, digest) {
	case accepted:
		if err := g.accept(name, e); err != nil {
			g.end(err)
			return err
		}
	case duplicate:
		t.refused[refusedDuplicate]++
	case differs:
		t.refused[refusedDuplicate]++
		t.dispute(g, &claim{game: e.Game, names: [2]string{before.by, name}, digests: [2]string{before.digest, digest}})
	}
	g.endIfComplete(t.o.Clock())
	return nil
}

// claim is a game of which two workers have delivered different versions.
type claim struct {
	game    int
	backend string
	names   [2]string
	digests [2]string
}

// dispute has it found out which version of a game is right.
func (t *Trainer) dispute(g *generation, c *claim) {
	first, second := g.player(c.names[0]).Backend, g.player(c.names[1]).Backend
	if first != second {
		t.once("the same game differs, as it does between backends", c.names[1], fmt.Sprintf("%s here, %s from worker %s, which came first", second, first, c.names[0]))
		return
	}
	if g.disputes < maxDisputes {
		g.disputes++
		c.backend = first
		g.disputed <- c
	}
}

// maxDisputes bounds the games that wait to be settled: the first one tells enough.
const maxDisputes = 16

// settle plays a disputed game here, and bans whoever was wrong.
func (t *Trainer) settle(ctx context.Context, g *generation, c *claim) error {
	truth, err := g.replay(ctx, c.game, c.backend)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	g.disputes--
	if err != nil {
		t.once("two workers disagree about a game, and this machine cannot find out who is right", c.names[0]+" and "+c.names[1], err.Error())
	}
	for i, name := range c.names {
		switch {
		case err != nil || c.digests[i] == truth || t.banned[name] != "":
		case name == here:
			return errors.New("this machine has played the same game twice, and differently; something is wrong with it, perhaps its memory")
		default:
			t.ban(g, name, fmt.Sprintf("it played game %d of generation %d otherwise than this machine does on the same backend", c.game, g.offer.Generation))
		}
	}
	g.endIfComplete(t.o.Clock())
	return nil
}

// ban drops a worker. What it has played in this generation is played again.
func (t *Trainer) ban(g *generation, name, why string) {
	if t.banned[name] != "" || len(t.banned) >= maxTold {
		return
	}
	t.banned[name] = why
	t.warn("a worker is dropped", "worker", name, "reason", why)
	games := g.ledger.playedBy(name)
	g.ledger.leave(name)
	if len(games) > 0 {
		g.end(&train.Retraction{Games: games, Why: fmt.Sprintf("worker %s was dropped", name)})
	}
}
