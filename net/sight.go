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

// Look returns the Sight of s, a position of the game of spec, with plan's output if plan is not
// nil. A finished game has neither planes nor output.
func Look(spec env.Spec, s env.State, plan *Plan) (Sight, error) {
	seen := Sight{
		Position: s.String(), Result: env.FormatResult(s, spec.Players), Turn: s.Turn(),
		Planes: [][][]float32{}, Actions: []SeenAction{},
	}
	legal := s.Legal(nil)
	if len(legal) == 0 {
		return seen, nil
	}
	x := make([]float32, spec.Inputs())
	s.Observe(x)
	for plane := range slices.Chunk(x, spec.Cells()) {
		seen.Planes = append(seen.Planes, slices.Collect(slices.Chunk(plane, spec.Width)))
	}
	for _, a := range legal {
		seen.Actions = append(seen.Actions, SeenAction{Move: s.ActionString(a), Action: a})
	}
	if plan == nil {
		return seen, nil
	}
	policy, outcome := make([]float32, spec.Actions()), make([]float32, spec.Outcomes())
	plan.Run(1, x, policy, outcome)
	prior, chance := make([]float32, len(legal)), make([]float32, len(outcome))
	if err := Priors(prior, policy, legal); err != nil {
		return seen, err
	}
	all := make([]env.Action, len(outcome))
	for i := range all {
		all[i] = env.Action(i)
	}
	if err := Priors(chance, outcome, all); err != nil {
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

// Outcomes returns a function that returns the network's probabilities of all results: a win of
// each seat, and a draw. They are all 0 if the game is over or the network's output is not
// finite. The function is for one goroutine.
func (m *Model) Outcomes(game env.Game) func(s env.State) []float64 {
	plan, spec := m.NewPlan(1), game.Spec()
	return func(s env.State) []float64 {
		outcome := make([]float64, spec.Outcomes())
		seen, err := Look(spec, s, plan)
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
