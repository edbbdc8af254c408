package clock

import (
	"cmp"
	"time"
)

// Manager decides how long a search may take. It plans each move by the time on the clock and
// the number of moves to come, spends more where the search is undecided, and keeps a reserve
// for time that passes outside the search. It is for one goroutine at a time.
//
// A search calls Over between its batches, so a move exceeds the plan by one batch at most.
type Manager struct {
	now func() time.Time

	// The plan of the current move. Without a limit, there is none.
	limited bool
	began   time.Time
	base    time.Duration // length of a search with average doubt
	hard    time.Duration // length that the search may not exceed
	turn    time.Duration // length that all searches of the turn together may not exceed
	exact   bool          // whether the search takes all of hard

	next    time.Duration // time of the next look at the search
	best    int           // best action at the last look
	changed time.Duration // time at which the best action changed last
	checked time.Duration // time of the last call of Over in this turn; 0 for none
	batch   time.Duration // length of a long batch
	stall   time.Duration // length of the longest recent batch, which a busy machine may have interrupted

	// The lag is the time that the clock counts in addition to the plan. It is known from the
	// next move's time.
	lag      time.Duration
	planned  time.Duration // end of the last search as planned, or as it was if that is earlier
	last     Time          // of the last move
	known    bool          // whether last is known
	greatest time.Duration // greatest time on the clock in this game
}

// NewManager returns a Manager without a limit that reads the time from now.
func NewManager(now func() time.Time) *Manager { return &Manager{now: now} }

// Opinion is the state of a search for a move.
type Opinion struct {
	Best  int     // best action
	Doubt float64 // 0: no other action comes close, to 1: another one is as good
}

// The constants were chosen so that games with 1+0.01 on two busy cores have no losses on time,
// and the time of longer games is used.
const (
	horizon      = 30                     // moves to plan for, or fewer if the game must end earlier
	mostMoves    = 150                    // moves to keep the lag for, without an increment
	nearest      = 4                      // moves to plan for at least
	leastHold    = 10 * time.Millisecond  // kept on the clock
	mostHold     = 100 * time.Millisecond // kept on the clock
	holdPart     = 10                     // part of the time at the start of a game that is kept, if between these
	lagReserve   = 3                      // multiples of the lag that are kept in addition
	stallReserve = 2                      // multiples of the longest batch that are kept in addition, up to half of the time left
	mostStretch  = 3                      // greatest length of a search in multiples of base
	looks        = 6                      // looks at a search during base
)

// NewGame forgets the time of the last move, and keeps the lag.
func (m *Manager) NewGame() { m.known, m.greatest = false, 0 }

// Forget forgets the time of the last move. Begin then learns no lag from the next time.
func (m *Manager) Forget() { m.known = false }

// Unlimit removes the limit.
func (m *Manager) Unlimit() { m.limited = false }

// Begin begins a turn that started at began with the time t. moves is the greatest number of
// moves that the rules leave to the player, 0 if unknown.
func (m *Manager) Begin(began time.Time, t Time, moves int) {
	m.observe(t)
	m.stall = m.stall * 19 / 20
	m.limited, m.began = true, began
	m.exact, m.next, m.best, m.changed, m.checked, m.planned = t.Fixed && t.Moves == 1, 0, -1, 0, 0, 0
	m.greatest = max(m.greatest, t.Left)
	m.last, m.known = t, true
	m.plan(t, moves)
}

// observe learns the lag of the last move from the time on the clock.
func (m *Manager) observe(t Time) {
	if !m.known || t.Moves > m.last.Moves || m.last.Fixed || t.Fixed {
		return
	}
	charged := m.last.Left + m.last.Increment - t.Left
	m.lag = max(m.lag*4/5, min(charged-m.planned, time.Second))
}

func (m *Manager) plan(t Time, moves int) {
	reserve := lagReserve * m.lag
	if m.exact {
		reserve = min(reserve+leastHold, t.Left/4)
		m.base = t.Left - reserve
		m.hard, m.turn = m.base, m.base
		return
	}
	reserve += min(max(m.greatest/holdPart, leastHold), mostHold) + min(stallReserve*m.stall, t.Left/2)
	if t.Increment == 0 && t.Moves == 0 { // for all moves to come
		reserve = min(reserve+time.Duration(min(cmp.Or(moves, horizon), mostMoves))*(m.lag+m.batch)/2, max(reserve, t.Left/2))
	}
	usable := max(0, t.Left-reserve)
	n := horizon
	if moves > 0 {
		n = min(n, max(moves, nearest))
	}
	if t.Moves > 0 {
		n = min(n, t.Moves)
	}
	m.base = usable/time.Duration(n) + t.Increment*3/4
	most := usable * 2 / 3
	if n == 1 {
		m.base, most = usable*7/10, usable*9/10
	}
	m.hard = min(mostStretch*m.base, most)
	m.base, m.turn = min(m.base, m.hard), m.hard
}

// Continue begins the search for the next action of the same turn. It reports whether the
// turn's time was used by an earlier search, so that this one should be short.
func (m *Manager) Continue() bool {
	if !m.limited || m.checked == 0 { // a forced action needs no search
		return false
	}
	m.checked = m.now().Sub(m.began)
	m.hard, m.exact = min(m.turn, m.checked+m.base/4), true
	return true
}

// Over reports whether the search should end. It calls opinion now and then.
func (m *Manager) Over(opinion func() Opinion) bool {
	if !m.limited {
		return false
	}
	elapsed := m.now().Sub(m.began)
	m.batch, m.stall = max(elapsed-m.checked, m.batch*9/10), max(m.stall, elapsed-m.checked)
	m.checked = elapsed
	limit := m.hard
	over := elapsed+m.batch >= m.hard
	if !over && !m.exact && elapsed >= m.next {
		limit = m.wish(elapsed, opinion())
		m.next = min(elapsed+m.base/looks, limit)
		over = elapsed >= limit
	}
	m.planned = min(elapsed, limit)
	return over
}

// wish returns the length of the search with this opinion: 0.7 times base without doubt, and up
// to 2.2 times if the best action has changed recently.
func (m *Manager) wish(elapsed time.Duration, o Opinion) time.Duration {
	if o.Best != m.best {
		m.best, m.changed = o.Best, elapsed
	}
	wish := time.Duration(float64(m.base) * (0.7 + min(max(o.Doubt, 0), 1)))
	if m.changed > elapsed/2 {
		wish += m.base / 2
	}
	return wish
}
