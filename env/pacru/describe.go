package pacru

import (
	"fmt"
	"strings"

	"tiro/env"
)

var _ env.Describer = (*Game)(nil)

// directionNames are the directions, clockwise from north.
var directionNames = [directions]string{"north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"}

const frameMeaning = "row 0 is rank 1, column 0 is file a; the board has the same orientation for every player, but seats are numbered from the player on turn"

// Describe implements env.Describer.
func (g *Game) Describe() env.Description {
	r := &g.start.rules
	d := env.Description{Frame: frameMeaning, Actions: r.describeActions()}
	for _, name := range directionNames {
		d.Planes = append(d.Planes, env.Plane{Name: "facing-" + name, Meaning: "1 on fields with a chevron of any player that faces " + name})
	}
	for i := range 4 {
		name := directionNames[2*i]
		d.Planes = append(d.Planes, env.Plane{Name: "edge-" + name, Meaning: "1 on fields at the " + name + " edge of their borderland"})
	}
	d.Planes = append(d.Planes,
		env.Plane{Name: "board", Meaning: "1 everywhere"},
		env.Plane{Name: "neutral", Meaning: "1 on neutral fields"},
		env.Plane{Name: "no-progress", Meaning: "everywhere: turns without a change of markers, divided by the limit; 0 without a limit"},
		env.Plane{Name: "turns", Meaning: "everywhere: turns played, divided by the limit"})
	for seat := range int(r.players) {
		d.Planes = append(d.Planes, r.describeSeat(seat)...)
	}
	switch r.kind {
	case azacru:
		d.Planes = append(d.Planes, env.Plane{Name: "final-round", Meaning: "everywhere: turns left in the final round, divided by the number of players; 0 before it"})
	case pacru:
		d.Planes = append(d.Planes, turnPlanes...)
	}
	return d
}

// describeSeat returns the planes of a seat; seat 0 is the player on turn.
func (r *rules) describeSeat(seat int) []env.Plane {
	whose := "the player on turn"
	if seat > 0 {
		whose = fmt.Sprintf("player %d after the one on turn", seat)
	}
	var all []env.Plane
	add := func(name, meaning string) {
		all = append(all, env.Plane{Name: fmt.Sprintf("player-%d-%s", seat, name), Meaning: strings.ReplaceAll(meaning, "WHO", whose)})
	}
	add("chevrons", "1 on fields with a chevron of WHO")
	add("markers", "1 on fields with a marker of WHO")
	goal := fields
	if r.kind == pacru {
		goal = r.target()
	}
	add("count", fmt.Sprintf("everywhere: number of markers of WHO, divided by %d", goal))
	if r.kind == pacru {
		add("attacked", "on enemy chevrons that WHO attacks: number of attackers, divided by 2")
		add("in", "everywhere: 1 if WHO is not out")
	}
	add("reach", "1 on fields that a chevron of WHO can move to")
	add("ways", "on chevrons of WHO: number of open directions, divided by 3")
	add("open", fmt.Sprintf("everywhere: total number of open directions of WHO's chevrons, divided by %d", 3*r.eachStarts()))
	add("blocked", "everywhere: 1 if no direction is open to WHO")
	if r.long() {
		add("power", "power of movement of WHO in the field's borderland, divided by 9; 0 where it counts as 1")
	}
	if r.kind != pacru {
		add("soon", "1/n on fields that a chevron of WHO could reach in WHO's n-th turn at the earliest if no chevron blocked it and nothing changed; 0 on unreachable fields")
		add("first", fmt.Sprintf("everywhere: number of neutral fields that WHO could reach in this way in fewer turns than every other player, divided by %d", fields))
	}
	if r.kind == azacru {
		add("connections", "1 on fields that WHO would gain by a connection if on turn")
	}
	return all
}

// turnPlanes describe the state of an unfinished turn of Pacru.
var turnPlanes = []env.Plane{
	{Name: "may-meet", Meaning: "everywhere: 1 if a meeting counts in this turn"},
	{Name: "choose-benefit", Meaning: "everywhere: 1 if the benefit must be chosen"},
	{Name: "choose-meeting", Meaning: "everywhere: 1 if the meeting must be chosen"},
	{Name: "choose-gift", Meaning: "everywhere: 1 if a field to give back must be chosen"},
	{Name: "left", Meaning: "1 on the field that this turn's chevron has left, after its move"},
	{Name: "reached", Meaning: "1 on the field where this turn's chevron is, after its move"},
	{Name: "choices", Meaning: "1 on fields that may be chosen now, excluding the connection"},
	{Name: "connection", Meaning: "1 on fields of the connection that may be chosen"},
	{Name: "gift-order", Meaning: "while fields are given back: their position in the order of giving, from 0 to 1"},
	{Name: "gifts-left", Meaning: "everywhere: fields still to be given back, divided by 4"},
}

// describeActions returns the meaning of each policy plane.
func (r *rules) describeActions() []string {
	all := make([]string, 0, r.policyPlanes())
	for plane := range r.slidePlanes() {
		twist, rest := plane%r.twists(), plane/r.twists()
		text := fmt.Sprintf("move the chevron on the field %s by %d", directionNames[rest/r.distances()], rest%r.distances()+1)
		if r.twists() > 1 {
			text += [...]string{", without a twist", ", then twist it left", ", then twist it right"}[twist]
		}
		all = append(all, text)
	}
	if r.kind != pacru {
		return append(all, "pass (in the middle field only)")
	}
	for _, angle := range spotAngles {
		all = append(all, fmt.Sprintf("turn the chevron on the field on the spot by %+d degrees clockwise", 45*int(angle)))
	}
	return append(all,
		"mark the field, for crossing a border",
		"choose the connection (at the field of the moved chevron)",
		"mark the field, for a meeting",
		"decline the meeting (at the field of the moved chevron)",
		"give back the marker on the field")
}

// CellName returns the name of the field.
func (g *Game) CellName(_ env.Player, cell int) string { return fieldName(uint8(cell)) }

// ActionName implements env.Describer. In Pacru a slide may be a pincer, and in Azacru a
// slide that connects may remove its chevron, which then cannot twist; such actions have no
// fixed name.
func (g *Game) ActionName(_ env.Player, a env.Action) string {
	s := &g.start
	plane, f := int(a)/fields, uint8(int(a)%fields)
	if plane >= s.slidePlanes() {
		if s.kind != pacru && a != s.pass() {
			return ""
		}
		return s.ActionString(a)
	}
	m := s.slideOf(a)
	if int(geo.room[m.d][f]) < m.k || s.kind == pacru {
		return ""
	}
	crosses := geo.crosses(f, m.to)
	removes := s.kind == azacru && m.k > 1 && m.twist == 0
	if m.twist > 0 && !crosses || crosses && removes {
		return ""
	}
	return s.slideString(m)
}
