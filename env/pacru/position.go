package pacru

import (
	"errors"
	"fmt"
	"strings"
)

var facingNames = [directions]string{"N", "NE", "E", "SE", "S", "SW", "W", "NW"}

// String returns Position.
func (s *State) String() string { return s.Position() }

// Position returns the position string (7.1). During a turn, a sixth part contains the
// beginning of its move string, and the board shows the turn so far.
func (s *State) Position() string {
	b := make([]byte, 0, 200)
	b = append(b, '0'+s.players, ';', s.seatDigit(s.turn), ';')
	for f := range uint8(fields) {
		digit := byte('.')
		for p := range s.players {
			if s.marks[p].has(f) {
				digit = '0' + p
			}
		}
		b = append(b, digit)
	}
	b = append(b, ';')
	first := len(b)
	for taken := s.taken; !taken.empty(); {
		f := taken.pop()
		p, i := s.occupant(f)
		if len(b) > first {
			b = append(b, ',')
		}
		b = append(b, fieldName(f)...)
		b = append(b, ':', '0'+p)
		b = append(b, facingNames[s.chevrons[p][i].facing]...)
	}
	b = append(b, ';', s.seatDigit(s.final))
	if s.phase != begin {
		b = append(b, ';')
		b = append(b, s.move.begun(s.phase)...)
	}
	return string(b)
}

// seatDigit returns the digit of a seat, or "-" for no seat and for finished games.
func (s *State) seatDigit(p uint8) byte {
	if p == noSeat || s.ending != unfinished {
		return '-'
	}
	return '0' + p
}

// occupant returns the owner of the chevron on a taken field, and its index.
func (s *State) occupant(f uint8) (p uint8, i int) {
	for p := range s.players {
		if i := s.find(p, f); i >= 0 {
			return p, i
		}
	}
	return noSeat, -1
}

// SetPosition sets the state to the position written by Position, with clocks at zero. It
// does not check whether the game should be over: if a seat is on turn, the game continues
// for at least that turn.
func (s *State) SetPosition(pos string) error {
	parts := strings.Split(pos, ";")
	if len(parts) != 5 && len(parts) != 6 {
		return fmt.Errorf("position %.200q: %d parts instead of players;turn;markers;chevrons;final and optionally a turn in progress", pos, len(parts))
	}
	t := State{rules: s.rules, final: noSeat}
	if want := string('0' + rune(s.players)); parts[0] != want {
		return fmt.Errorf("position %.200q: players is %.200q, not %s", pos, parts[0], want)
	}
	err := errors.Join(t.readMarkers(parts[2]), t.readChevrons(parts[3]))
	if err == nil {
		err = errors.Join(t.readFinal(parts[4]), t.readTurn(parts[1], len(parts) == 6))
	}
	if err == nil && len(parts) == 6 {
		err = t.resume(parts[5])
	}
	if err != nil {
		return fmt.Errorf("position %.200q: %w", pos, err)
	}
	*s = t
	return nil
}

func (s *State) readMarkers(text string) error {
	if len(text) != fields {
		return fmt.Errorf("%d markers, not %d (a1 to i1, a2 to i2 and so on)", len(text), fields)
	}
	for i := range len(text) {
		if text[i] == '.' {
			continue
		}
		p, err := s.seat(text[i : i+1])
		if err != nil {
			return fmt.Errorf("marker on %s: %w", fieldName(uint8(i)), err)
		}
		s.marks[p].add(uint8(i))
	}
	return nil
}

// seat parses a seat of this game.
func (s *State) seat(text string) (uint8, error) {
	if len(text) != 1 || text[0] < '0' || text[0] >= '0'+s.players {
		return 0, fmt.Errorf("seat %.200q is not 0 to %d", text, s.players-1)
	}
	return text[0] - '0', nil
}

func (s *State) readChevrons(text string) error {
	if text == "" {
		return nil
	}
	for item := range strings.SplitSeq(text, ",") {
		place, what, _ := strings.Cut(item, ":")
		f, err := parseField(place)
		if err != nil {
			return fmt.Errorf("chevron %.200q: %w", item, err)
		}
		p, err := s.seat(what[:min(1, len(what))])
		if err != nil {
			return fmt.Errorf("chevron %.200q: %w", item, err)
		}
		facing, err := parseFacing(what[1:])
		switch {
		case err != nil:
			return fmt.Errorf("chevron %.200q: %w", item, err)
		case s.taken.has(f):
			return fmt.Errorf("chevron %.200q: the field has another chevron", item)
		case s.foreign(p).has(f):
			return fmt.Errorf("chevron %.200q stands on another seat's marker", item)
		case int(s.count[p]) == s.eachStarts():
			return fmt.Errorf("chevron %.200q: seat %d has more than %d", item, p, s.eachStarts())
		}
		s.put(p, chevron{f, facing})
	}
	return nil
}

func parseFacing(text string) (uint8, error) {
	for d, name := range facingNames {
		if text == name {
			return uint8(d), nil
		}
	}
	return 0, fmt.Errorf("facing %.200q is not one of %s", text, strings.Join(facingNames[:], ", "))
}

func (s *State) readFinal(text string) (err error) {
	if text == "-" {
		return nil
	}
	if s.kind != azacru {
		return fmt.Errorf("final is %.200q, not -: only Azacru has a final round", text)
	}
	if s.final, err = s.seat(text); err != nil {
		return fmt.Errorf("final: %w, or -", err)
	}
	return nil
}

// readTurn parses the seat on turn, or ends the game.
func (s *State) readTurn(text string, underWay bool) (err error) {
	if text == "-" {
		if underWay || s.final != noSeat {
			return errors.New("the game is over, but a turn is in progress or final is not -")
		}
		if s.kind == pacru && s.taken.empty() {
			return errors.New("no seat has a chevron, so there is no winner")
		}
		s.end()
		return nil
	}
	if s.turn, err = s.seat(text); err != nil {
		return fmt.Errorf("turn: %w, or -", err)
	}
	switch {
	case s.turn == s.final:
		return fmt.Errorf("turn of seat %d, which was the first to pass, so turn must be -", s.turn)
	case s.kind != pacru || underWay:
		return nil
	case !s.alive(s.turn):
		return fmt.Errorf("turn of seat %d, which has no chevron", s.turn)
	case !s.movable(s.turn):
		return fmt.Errorf("turn of seat %d, which has no move and is therefore out", s.turn)
	}
	if p, ok := s.lastAlive(); ok {
		return fmt.Errorf("turn of seat %d, but only seat %d has chevrons, so turn must be -", s.turn, p)
	}
	return nil
}

// end ends the game of a position string without a turn, by the rule that the board shows.
func (s *State) end() {
	switch s.kind {
	case shacru:
		if !s.gainable() {
			s.finish(noGain)
			return
		}
	case pacru:
		for p := range s.players {
			if s.alive(p) && s.marks[p].len() >= s.target() {
				s.win(reached, p)
				return
			}
		}
		if last, ok := s.lastAlive(); ok {
			s.win(lastPlayer, last)
			return
		}
	}
	s.finish(declared)
}

// resume parses the beginning of a move string for the board in the middle of that turn.
func (s *State) resume(text string) error {
	m, rest, err := parseMove(text)
	list, open := strings.CutPrefix(rest, "(")
	switch {
	case s.kind != pacru:
		return fmt.Errorf("turn in progress %.200q, but turns of this game are one action", text)
	case err != nil:
		return fmt.Errorf("turn in progress %.200q: %w", text, err)
	case !open || m.kind == passing || m.twist != straight:
		return fmt.Errorf("turn in progress %.200q is not the beginning of a move string, such as a1-a3( or a1>(b2,", text)
	}
	s.move = m
	if m.kind == turning {
		err = s.resumeGiving(list)
	} else {
		err = s.resumeMove(list)
	}
	if err == nil && s.move.begun(s.phase) != text {
		err = fmt.Errorf("must be written %s", s.move.begun(s.phase))
	}
	if err != nil {
		return fmt.Errorf("turn in progress %.200q: %w", text, err)
	}
	return nil
}

// resumeMove resumes a slide or a pincer before its benefit or meeting.
func (s *State) resumeMove(list string) error {
	m := &s.move
	d, _, ok := geo.line(m.from, m.to)
	i := s.find(s.turn, m.to)
	if !ok || i < 0 || s.chevrons[s.turn][i].facing != d || s.taken.has(m.from) {
		return errors.New("the chevron must be at its destination, facing the direction of its move")
	}
	if m.kind == pincer && !s.marks[s.turn].has(m.to) {
		return errors.New("the player's marker must be on the field of the pincer")
	}
	gains, linked, between := s.benefits()
	s.changed = m.kind == pincer
	switch {
	case list == "":
		s.phase = benefiting
		s.mayMeet = s.meetingCounts()
		if gains.len()+int(bit(linked)) < 2 {
			return errors.New("there is no benefit to choose")
		}
		return nil
	case list == ",":
		if linked || !gains.empty() {
			return errors.New("the benefit before the meeting is missing")
		}
	case list == "*,":
		if !linked || !between.without(s.marks[s.turn]).empty() {
			return errors.New("the connection must have been made")
		}
		m.benefit, s.changed = onLink, true
	default:
		f, err := parseField(strings.TrimSuffix(list, ","))
		if err != nil {
			return err
		}
		if !s.marks[s.turn].has(f) || !geo.crosses(m.from, m.to) || geo.land[f] != geo.land[m.to] {
			return fmt.Errorf("seat %d must have a border marker on %s, in the borderland entered", s.turn, fieldName(f))
		}
		m.benefit, m.gained, s.changed = onField, f, true
	}
	s.phase, s.mayMeet = meeting, true
	if !s.faces() || s.meetings().empty() {
		return errors.New("there is no meeting")
	}
	return nil
}

// resumeGiving resumes a turn on the spot.
func (s *State) resumeGiving(list string) error {
	m := &s.move
	s.phase = giving
	if s.find(s.turn, m.from) < 0 {
		return errors.New("the player's chevron must be on the field of the turn")
	}
	var given set
	for list != "" {
		item, rest, _ := strings.Cut(list, ",")
		f, err := parseField(item)
		if err != nil {
			return err
		}
		if given.has(f) || s.taken.has(f) || !s.neutral().has(f) {
			return fmt.Errorf("%s must be given once, and must be neutral and without a chevron", item)
		}
		given.add(f)
		list = rest
	}
	if given.len() >= cost(m.angle) {
		return fmt.Errorf("%d fields are given, which must be fewer than %d", given.len(), cost(m.angle))
	}
	for _, f := range s.order().origin {
		if given.has(f) {
			m.given[m.gifts] = f
			m.gifts++
		}
	}
	s.changed = m.gifts > 0
	var rest [fields]uint8
	if n := s.later(&rest); n <= s.owed() {
		return fmt.Errorf("%d fields are left to choose from, which must be more than %d", n, s.owed())
	}
	return nil
}
