package net

import (
	"slices"

	"tiro/env"
)

// Sight is a position as a network observes it, with the network's output. It is the record of
// tiro moves --planes.
type Sight struct {
	Position string        `json:"pos"`     // position string
	Result   string        `json:"result"`  // result; "*" while the game continues
	Turn     env.Player    `json:"turn"`    // seat of the mover
	Planes   [][][]float32 `json:"planes"`  // the model's input: [planes][height][width], in the mover's frame
	Actions  []SeenAction  `json:"actions"` // legal actions; empty if the game is over
	*Answer
}

// SeenAction is a legal action.
type SeenAction struct {
	Move   string     `json:"move"`   // the action in the game's notation; a turn may have several
	Action env.Action `json:"action"` // index into the policy output
	*Preference
}

// Preference is a network's output for an action.
type Preference struct {
	Logit float32 `json:"logit"` // with --model: policy output of the action
	Prior float32 `json:"prior"` // with --model: softmax of the logits of the legal actions
}

// Answer is a network's output for a position.
type Answer struct {
	Logits  []float32 `json:"outcome_logits"` // with --model: outcome output (the mover wins, each next seat wins, draw)
	Outcome []float32 `json:"outcome"`        // with --model: softmax of outcome_logits
	Value   []float32 `json:"value"`          // with --model: expected payoff by seat
}

// Look returns a function that returns the Sight of a position of game, with the output of n if it
// is not nil. A finished game has neither planes nor output. The function is for one goroutine.
func Look(game env.Game, n Network) func(s env.State) (Sight, error) {
	var config Config
	var logits func(x, policy, outcome []float32) error
	if n != nil {
		config, logits = n.Config(), n.Logits()
	}
	return func(s env.State) (Sight, error) { return look(game.Spec(), config, logits, s) }
}

func look(spec env.Spec, config Config, logits func(x, policy, outcome []float32) error, s env.State) (Sight, error) {
	seen := Sight{
		Position: s.String(), Result: env.FormatResult(s, spec.Players), Turn: s.Turn(),
		Planes: [][][]float32{}, Actions: []SeenAction{},
	}
	legal := s.Legal(nil)
	if len(legal) == 0 {
		return seen, nil
	}
	x := make([]float32, spec.Inputs())
	config.Observe(s, x)
	for plane := range slices.Chunk(x, spec.Cells()) {
		seen.Planes = append(seen.Planes, slices.Collect(slices.Chunk(plane, spec.Width)))
	}
	for _, a := range legal {
		seen.Actions = append(seen.Actions, SeenAction{Move: s.ActionString(a), Action: a})
	}
	if logits == nil {
		return seen, nil
	}
	policy, outcome := make([]float32, spec.Actions()), make([]float32, spec.Outcomes())
	if err := logits(x, policy, outcome); err != nil {
		return seen, err
	}
	prior, chance := make([]float32, len(legal)), slices.Clone(outcome)
	if err := Priors(prior, policy, legal); err != nil {
		return seen, err
	}
	if err := Softmax(chance); err != nil {
		return seen, err
	}
	view, err := OutcomeView(outcome, spec.Players)
	if err != nil {
		return seen, err
	}
	for i, a := range legal {
		seen.Actions[i].Preference = &Preference{policy[a], prior[i]}
	}
	value := view.BySeat(s.Turn(), spec.Players)
	for i := range value {
		value[i] += 0 // turns -0 into 0
	}
	seen.Answer = &Answer{outcome, chance, value[:spec.Players]}
	return seen, nil
}

// Outcomes returns a function that returns a network's probabilities of all results: a win of each
// seat, and a draw. They are all 0 if the game is over, the network's output is not finite, or the
// backend fails. The function is for one goroutine.
func Outcomes(n Network, game env.Game) func(s env.State) []float64 {
	look, spec := Look(game, n), game.Spec()
	return func(s env.State) []float64 {
		outcome := make([]float64, spec.Outcomes())
		seen, err := look(s)
		if err != nil || seen.Answer == nil {
			return outcome
		}
		for i, p := range seen.Outcome {
			seat := i // a draw comes last in both
			if i < spec.Players {
				seat = (int(seen.Turn) + i) % spec.Players
			}
			outcome[seat] = float64(p)
		}
		return outcome
	}
}
