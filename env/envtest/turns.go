package envtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"tiro/env"
)

// checkTurns: a Turner parses the turns that it writes as the actions that were played.
func checkTurns(game env.Game) error {
	begin := game.New()
	var actions []env.Action // since begin
	return eachAble(walk{game, 26, 100, 1500}, func(p *stop, s env.Turner) error {
		if len(p.history) == 0 {
			begin.CopyFrom(p.state)
			actions = nil
			return nil
		}
		actions = append(actions, p.history[len(p.history)-1])
		text := s.LastTurn()
		if text == "" {
			if len(p.legal) == 0 || p.state.Turn() != begin.Turn() {
				return errors.New("a turn has ended, but LastTurn is empty")
			}
			return nil
		}
		got, err := begin.(env.Turner).ParseTurn(text)
		if err != nil {
			return fmt.Errorf("the turn played: %w", err)
		}
		if !slices.Equal(got, actions) {
			return fmt.Errorf("turn %q is parsed as actions %d, but %d were played", text, got, actions)
		}
		begin.CopyFrom(p.state)
		actions = nil
		return nil
	})
}

// checkRecords: a TurnRecorder's record describes its position, and each turn in it can be
// played and leads to the position in the record.
func checkRecords(game env.Game) error {
	return eachAble(walk{game, 27, 4, 60}, func(p *stop, s env.TurnRecorder) error {
		text, err := json.Marshal(s.Record())
		if err != nil {
			return err
		}
		var record struct {
			Position string `json:"pos"`
			Result   string `json:"result"`
			Children []struct{ Move, After string }
		}
		if err := json.Unmarshal(text, &record); err != nil {
			return fmt.Errorf("record %.80s…: %w", text, err)
		}
		switch {
		case record.Position != p.state.String():
			return fmt.Errorf("the record is of %q", record.Position)
		case len(p.legal) == 0: // the record may ignore rules that end the game
			return nil
		case record.Result != "*":
			return fmt.Errorf("the game is not over, but the result in the record is %q", record.Result)
		}
		for _, child := range record.Children {
			actions, err := env.ParseTurn(p.state, child.Move)
			if err != nil {
				return fmt.Errorf("in the record: %w", err)
			}
			if got := env.After(game, p.state, actions...).String(); got != child.After {
				return fmt.Errorf("turn %q leads to %q, but in the record to %q", child.Move, got, child.After)
			}
		}
		return nil
	})
}

// checkCounts: the turns into which a TurnCounter divides a count have unique names and add
// up to the count.
func checkCounts(game env.Game) error {
	const most = 100 // maximum number of turns for which a second ply is counted
	return eachAble(walk{game, 28, 20, 200}, func(p *stop, s env.TurnCounter) error {
		turns := s.Divide()
		if len(p.legal) == 0 && len(turns) == 0 && s.Perft(1) == s.Perft(2) && s.Perft(1) <= 1 {
			return nil // sequences that have ended may or may not count
		}
		if n := s.Perft(0); n != 1 {
			return fmt.Errorf("perft 0 is %d, not 1", n)
		}
		if n := s.Perft(1); n != uint64(len(turns)) {
			return fmt.Errorf("perft 1 is %d, but there are %d turns", n, len(turns))
		}
		if len(turns) > most {
			return nil
		}
		named, sum := map[string]bool{}, uint64(0)
		for _, t := range turns {
			if named[t.Move] {
				return fmt.Errorf("two turns are named %q", t.Move)
			}
			named[t.Move] = true
			sum += t.After.Perft(1)
		}
		if n := s.Perft(2); n != sum {
			return fmt.Errorf("perft 2 is %d, but its turns have %d", n, sum)
		}
		return nil
	})
}

// checkPrompts: a Turner prompts in the middle of a turn, and only there.
func checkPrompts(game env.Game) error {
	return eachAble(walk{game, 30, 20, 5000}, func(p *stop, s env.Turner) error {
		middle := len(p.history) > 0 && len(p.legal) > 0 && s.LastTurn() == ""
		if prompt := s.Prompt(); (prompt != "") != middle {
			return fmt.Errorf("the prompt is %q, but in the middle of a turn is %t", prompt, middle)
		}
		return nil
	})
}

// checkClaims: a Claimer's claim is legal when reported as legal, and draws the game.
func checkClaims(game env.Game) error {
	return eachAble(walk{game, 29, 100, 5000}, func(p *stop, s env.Claimer) error {
		claim, legal := s.DrawClaim()
		if legal != slices.Contains(p.legal, claim) {
			return fmt.Errorf("DrawClaim returns %t, but the legal actions are %d", legal, p.legal)
		}
		if !legal {
			return nil
		}
		if v, over := env.After(game, p.state, claim).Result(); !over || v != (env.Value{}) {
			return fmt.Errorf("after the claim the result is %v and over is %t instead of a draw", v, over)
		}
		return nil
	})
}
