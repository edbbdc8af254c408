package host

import (
	"cmp"
	"context"
	"errors"
	"html"

	"tiro/env"
)

// View is a game as a page shows it.
type View struct {
	ID       string      `json:"id"`
	Version  int         `json:"version"` // counts changes: of two views the higher one is newer
	Game     string      `json:"game"`
	Title    string      `json:"title"`
	Seats    []Seat      `json:"seats"`
	Ply      int         `json:"ply"`
	Turn     int         `json:"turn"`     // seat to move, -1 at the end
	Person   bool        `json:"person"`   // it is a person
	Thinking bool        `json:"thinking"` // a player is
	MidTurn  bool        `json:"mid_turn"` // a turn of several actions is under way
	Prompt   string      `json:"prompt"`   // what is to be chosen then
	Board    string      `json:"board"`    // an SVG element, or a pre element
	Text     string      `json:"text"`     // the same in words and signs
	Legal    []string    `json:"legal"`    // names of the actions, if a person is to move
	Claim    string      `json:"claim"`    // the one of them that claims a draw; "": none does
	Turns    []Turn      `json:"turns"`
	Lines    []Variation `json:"lines"`  // that were left
	Values   [][]float64 `json:"values"` // by ply, the part of a win that each seat expects; null: not known
	Losses   []*float64  `json:"losses"` // by action, the part of a win that it has cost its player; null: not known
	Result   string      `json:"result"` // at the end, for people
	Trouble  string      `json:"trouble"`
	Note     string      `json:"note"` // what the rules want announced
}

// Seat is a seat as a page shows it.
type Seat struct {
	Name   string `json:"name"`
	Player string `json:"player"`
}

// view returns the game as a page shows it. g.mu must be held.
func (g *game) view() View {
	s, players := g.state(), g.rules.Spec().Players
	v := View{
		ID: g.id, Version: g.version, Game: g.offer.Game, Title: g.offer.Title, Ply: len(g.history), Turn: -1,
		Person: g.occupant() == Human, Thinking: g.busy && g.occupant() != "" && g.occupant() != Human,
		Board: g.board(len(g.history)), Text: g.text(len(g.history)), Legal: []string{}, Turns: g.turns(), Lines: g.variations(),
		Trouble: cmp.Or(g.trouble, g.unsaved),
	}
	for i, name := range g.seats {
		v.Seats = append(v.Seats, Seat{env.SeatName(g.rules, env.Player(i)), name})
	}
	if !g.over() {
		v.Turn = int(s.Turn())
	}
	if v.Person {
		v.Legal = env.Names(s)
		if c, ok := s.(env.Claimer); ok {
			if claim, legal := c.DrawClaim(); legal {
				v.Claim = s.ActionString(claim)
			}
		}
	}
	if t, ok := s.(env.Turner); ok && len(g.history) > 0 && !g.over() {
		v.MidTurn, v.Prompt = t.LastTurn() == "", t.Prompt()
	}
	if n, ok := s.(env.Narrator); ok {
		v.Note = n.Announcement()
	}
	for i := range g.states {
		var value *env.Value
		if o := g.opinions[i]; o != nil {
			value = &o.value
		}
		if payoff, over := g.states[i].Result(); over {
			value = &payoff
		}
		var shares []float64
		if value != nil {
			by := value.Shares(players)
			shares = by[:players]
		}
		v.Values = append(v.Values, shares)
	}
	v.Losses = g.losses(v.Values)
	if payoff, how := g.result(); payoff != nil {
		v.Result = outcome(g.rules, *payoff)
		if how != "" {
			v.Result += " (" + how + ")"
		}
	}
	return v
}

// outcome says who has won.
func outcome(game env.Game, v env.Value) string {
	var winners []string
	for i := range game.Spec().Players {
		if v[i] > 0 {
			winners = append(winners, env.SeatName(game, env.Player(i)))
		}
	}
	switch len(winners) {
	case 0:
		return "A draw"
	case 1:
		return winners[0] + " wins"
	}
	text := winners[0]
	for _, name := range winners[1:] {
		text += " and " + name
	}
	return text + " share the win"
}

// board draws the position after so many actions, with marks on what the last turn
// has changed.
func (g *game) board(ply int) string {
	s := g.states[ply]
	var since env.State
	if ply > 0 {
		mover := g.states[ply-1].Turn()
		begun := ply - 1
		for begun > 0 && g.states[begun-1].Turn() == mover {
			begun--
		}
		since = g.states[begun]
	}
	if d, ok := s.(env.SVGDrawer); ok {
		return d.DrawSVG(since)
	}
	return "<pre>" + html.EscapeString(env.Draw(s, env.Screen{})) + "</pre>"
}

// textColumns is how wide a board as text is at most, if it can be.
const textColumns = 39

// text returns the position after so many actions for those who do not see the board.
func (g *game) text(ply int) string {
	return env.Draw(g.states[ply], env.Screen{Columns: textColumns})
}

// Line is a move that the analyst thinks of.
type Line struct {
	Move   string   `json:"move"`
	Share  float64  `json:"share"` // of a win, that the seat to move expects
	Visits int      `json:"visits"`
	Prior  float64  `json:"prior"`
	PV     []string `json:"pv"`
}

// hint returns the moves that the analyst thinks most of. It searches without the
// lock of the game, which must be held.
func (h *Host) hint(ctx context.Context, g *game, ply int) (any, error) {
	const lines = 5
	switch {
	case ply < 0 || ply >= len(g.states):
		return nil, ErrLate
	case g.offer.Analyst == "":
		return nil, errors.New("nobody here gives hints for this game")
	}
	state, history := g.states[ply], g.history[:ply:ply]
	if _, over := state.Result(); over {
		return nil, errors.New("the game is over")
	}
	g.mu.Unlock()
	defer g.mu.Lock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(h.closing, cancel)()
	_, found, err := h.choose(ctx, g, g.offer.Analyst, state, history)
	if err != nil {
		return nil, err
	}
	if found == nil {
		return []Line{}, nil
	}
	return g.shown(state, found.Lines[:min(lines, len(found.Lines))]), nil
}
