package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync"

	"tiro/arena"
)

// gameMessage is the message of a game of a match.
type gameMessage struct {
	Match int              `json:"match"` // index in the announcement
	Game  arena.GameRecord `json:"game"`
}

func (m *matches) read(data []byte) (r received, err error) {
	var g gameMessage
	if err := decodeMessage(data, maxMessage, &g); err != nil {
		return r, err
	}
	if g.Match < 0 || g.Match >= len(m.all) {
		return r, fmt.Errorf("match is %d; want 0 to %d", g.Match, len(m.all)-1)
	}
	if err := m.all[g.Match].Check(&g.Game); err != nil {
		return r, err
	}
	text, err := json.Marshal(g.Game)
	sum := sha256.Sum256(text)
	return received{m.first[g.Match] + g.Game.Number, hex.EncodeToString(sum[:]), func() (unwanted []int, err error) {
		if !m.want[g.Match].Take(g.Game) {
			for n := m.first[g.Match]; n < m.first[g.Match+1]; n++ {
				unwanted = append(unwanted, n)
			}
		}
		return unwanted, nil
	}}, err
}

// play plays games of one match after the other, as their numbers come.
func (m *matches) play(ctx context.Context, h *hand) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	atOnce := min(m.atOnce(), max(1, h.most/h.workers-1))
	var wait sync.WaitGroup
	for range h.workers {
		wait.Go(func() {
			if err := m.playSome(ctx, h, atOnce); err != nil {
				cancel(err)
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}

// playSome plays games on this goroutine, at most its part of those in hand. While it
// plays those of a match, the number of a game of another one waits.
func (m *matches) playSome(ctx context.Context, h *hand, atOnce int) error {
	next, ok := receive(ctx, h.numbers)
	for ok {
		i, waiting, playing := m.match(next), true, 0 // next is still to be played
		begin := func() (int, bool) {
			waiting = false
			playing++
			return next - m.first[i], true
		}
		take := func(wait bool) (int, bool) {
			switch {
			case waiting && m.match(next) == i:
				return begin()
			case waiting || !ok:
				return 0, false
			case wait:
				next, ok = receive(ctx, h.numbers)
			case playing*h.workers >= h.inHand():
				return arena.NoneNow, true
			default:
				select {
				case next, ok = <-h.numbers:
				default:
					return arena.NoneNow, true
				}
			}
			if !ok {
				return 0, false
			}
			if waiting = m.match(next) != i; waiting {
				return 0, false
			}
			return begin()
		}
		err := m.all[i].PlayNumbers(ctx, atOnce, take, func(r arena.GameRecord) error {
			playing--
			message, err := json.Marshal(gameMessage{i, r})
			h.finished(m.first[i]+r.Number, message)
			return err
		})
		if err != nil {
			return err
		}
		ok = ok && waiting
	}
	return nil
}

// receive waits for a number, unless ctx ends.
func receive(ctx context.Context, numbers <-chan int) (number int, ok bool) {
	select {
	case number, ok = <-numbers:
	case <-ctx.Done():
	}
	return number, ok
}
