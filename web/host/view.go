package host

import (
	"cmp"
	"context"
	"errors"
	"html"

	"tiro/env"
	"tiro/play"
)

// View is a game for a page.
type View struct {
	ID       string      `json:"id"`
	Version  int         `json:"version"` // counts changes: of two views the higher one is newer
	Game     string      `json:"game"`
	Title    string      `json:"title"`
	Seats    []Seat      `json:"seats"`
	Ply      int         `json:"ply"`
	Turn     int         `json:"turn"`     // seat to move, -1 at the end
	Person   bool        `json:"person"`   // whether it is a human's turn
	Thinking bool        `json:"thinking"` // whether a player is thinking
	MidTurn  bool        `json:"mid_turn"` // whether a turn of several actions has begun
	Prompt   string      `json:"prompt"`   // choice that comes next in the turn
	Board    string      `json:"board"`    // an SVG element, or a pre element
	Text     string      `json:"text"`     // the board as text
	Legal    []string    `json:"legal"`    // names of the legal actions if it is a human's turn
	Claim    string      `json:"claim"`    // legal action that claims a draw; "" for none
	Turns    []play.Turn `json:"turns"`
	Lines    []Variation `json:"lines"`  // abandoned lines
	Values   [][]float64 `json:"values"` // by ply: win chance of each seat; null if unknown
	Losses   []*float64  `json:"losses"` // by action: its loss of win chance; null if unknown
	Result   string      `json:"result"` // result as text, "" before the end
	Ending   string      `json:"ending"` // the rule that ended the game, or the resignation
	Places   []int       `json:"places"` // by seat: its place, 1 for the best; null before the end
	SGF      bool        `json:"sgf"`    // whether the game can be written as SGF
	Trouble  string      `json:"trouble"`
	Note     string      `json:"note"` // announcement that the rules require, such as a threat
}

// Seat is a seat for a page.
type Seat struct {
	Name   string `json:"name"`
	Player string `json:"player"`
}

// view returns the game for a page. g.mu must be held.
func (g *game) view() View {
	s, players := g.State(), g.Rules.Spec().Players
	v := View{
		ID: g.id, Version: g.version, Game: g.offer.Game, Title: g.offer.Title, Ply: len(g.History), Turn: -1,
		Person: g.Occupant() == Human, Thinking: g.busy && g.Occupant() != "" && g.Occupant() != Human,
		Board: g.board(len(g.History)), Text: g.text(len(g.History)), Legal: []string{}, Turns: g.Turns(), Lines: g.variations(),
		Trouble: cmp.Or(g.trouble, g.unsaved),
	}
	for i, name := range g.Seats {
		v.Seats = append(v.Seats, Seat{g.seatName(env.Player(i)), name})
	}
	if !g.Over() {
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
	if t, ok := s.(env.Turner); ok && !g.Over() {
		v.MidTurn, v.Prompt = g.MidTurn(), t.Prompt()
	}
	if n, ok := s.(env.Narrator); ok {
		v.Note = n.Announcement()
	}
	for i := range g.States {
		var value *env.Value
		if o := g.opinions[i]; o != nil && o.known {
			value = &o.value
		}
		if payoff, over := g.States[i].Result(); over {
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
	if g.Over() {
		v.Result = g.ResultText(g.seatName)
		_, v.Ending = g.Table.Result()
		v.Places = g.places()
	}
	_, err := g.Table.Record().SGF()
	v.SGF = err == nil
	return v
}

// places returns the place of each seat of a finished game, nil if there is no result.
func (g *game) places() (all []int) {
	payoffs, _ := g.Table.Result()
	if payoffs == nil {
		return nil
	}
	ranker, ranks := g.State().(env.Ranker)
	_, played := g.State().Result() // not resigned
	for seat := range g.Seats {
		place := 1
		for other := range g.Seats {
			if payoffs[other] > payoffs[seat] {
				place++
			}
		}
		if ranks && played {
			place = int(ranker.Ranking()[seat])
		}
		all = append(all, place)
	}
	return all
}

func (g *game) seatName(seat env.Player) string { return env.SeatName(g.Rules, seat) }

// board draws the position after ply actions, marking the changes of the last turn.
func (g *game) board(ply int) string {
	s := g.States[ply]
	since := g.Since(ply)
	if d, ok := s.(env.SVGDrawer); ok {
		return d.DrawSVG(since)
	}
	return "<pre>" + html.EscapeString(env.Draw(s, env.Screen{})) + "</pre>"
}

// textColumns is the desired maximum width of a board as text.
const textColumns = 39

// text returns the position after ply actions as text, for screen readers.
func (g *game) text(ply int) string {
	return env.Draw(g.States[ply], env.Screen{Columns: textColumns})
}

// Line is a move in the analyst's analysis.
type Line struct {
	Move   string   `json:"move"`
	Share  float64  `json:"share"` // win chance of the seat to move
	Visits int      `json:"visits"`
	Prior  float64  `json:"prior"`
	PV     []string `json:"pv"`
}

// hint returns the analyst's best moves. The lock of the game must be held; hint releases it
// during the search.
func (h *Host) hint(ctx context.Context, g *game, ply int) (any, error) {
	const lines = 5
	switch {
	case ply < 0 || ply >= len(g.States):
		return nil, ErrLate
	case g.offer.Analyst == "":
		return nil, errors.New("hints are not available for this game")
	}
	state, history := g.States[ply], g.History[:ply:ply]
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
