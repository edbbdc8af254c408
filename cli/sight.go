package cli

import (
	"io"
	"slices"

	"tiro/env"
	"tiro/net"
)

// sight is what a network sees of a position, and what it answers. It is the
// record of tiro moves --planes.
type sight struct {
	Position string        `json:"pos"`
	Result   string        `json:"result"` // see env.FormatResult
	Turn     env.Player    `json:"turn"`   // seat of the mover
	Planes   [][][]float32 `json:"planes"` // [Planes, Height, Width], in the mover's frame
	Actions  []seenAction  `json:"actions"`
	*Answer
}

// seenAction is a legal action.
type seenAction struct {
	Move   string     `json:"move"`
	Action env.Action `json:"action"` // index into the policy
	*Preference
}

// Preference is what a network says of an action.
type Preference struct {
	Logit float32 `json:"logit"`
	Prior float32 `json:"prior"` // softmax of the logits of the legal actions
}

// Answer is what a network says of a position.
type Answer struct {
	Logits  []float32 `json:"outcome_logits"` // a win of the mover, of the next seats round the table, a draw
	Outcome []float32 `json:"outcome"`        // their softmax
	Value   []float32 `json:"value"`          // expected payoff by seat
}

// sight returns the function that looks at positions of game, with the network that
// the flags name, if they name one. What is to be said of it goes to notes.
func (o movesOptions) sight(game env.Game, notes io.Writer) (func(env.State) (any, error), error) {
	var plan *net.Plan
	if o.model != "" {
		model, err := o.openModel(game, o.backend, o.model)
		if err != nil {
			return nil, err
		}
		sayForeign(notes, o.model, model, game)
		plan = model.NewPlan(1)
	}
	return func(s env.State) (any, error) { return see(game.Spec(), s, plan) }, nil
}

// see returns what a network sees of s, and what plan, unless it is nil, answers. Of
// a game that is over there is nothing to see.
func see(spec env.Spec, s env.State, plan *net.Plan) (sight, error) {
	seen := sight{
		Position: s.String(), Result: env.FormatResult(s, spec.Players), Turn: s.Turn(),
		Planes: [][][]float32{}, Actions: []seenAction{},
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
		seen.Actions = append(seen.Actions, seenAction{Move: s.ActionString(a), Action: a})
	}
	if plan == nil {
		return seen, nil
	}
	policy, outcome := make([]float32, spec.Actions()), make([]float32, spec.Outcomes())
	plan.Run(1, x, policy, outcome)
	prior := make([]float32, len(legal))
	if err := net.Priors(prior, policy, legal); err != nil {
		return seen, err
	}
	all := make([]env.Action, len(outcome))
	for i := range all {
		all[i] = env.Action(i)
	}
	chance := make([]float32, len(outcome))
	if err := net.Priors(chance, outcome, all); err != nil {
		return seen, err
	}
	view, err := net.OutcomeView(outcome, spec.Players)
	if err != nil {
		return seen, err
	}
	for i, a := range legal {
		seen.Actions[i].Preference = &Preference{policy[a], prior[i]}
	}
	value := view.BySeat(s.Turn(), spec.Players)
	seen.Answer = &Answer{outcome, chance, value[:spec.Players]}
	return seen, nil
}
