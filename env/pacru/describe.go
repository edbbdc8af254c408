package pacru

import (
	"fmt"
	"strings"

	"tiro/env"
)

var _ env.Describer = (*Game)(nil)

// Names of the directions, clockwise from north.
var directionNames = [directions]string{"north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"}

const frameMeaning = "row 0 is rank 1, column 0 is file a; the board lies the same for every player, only the seats are counted from the player on turn"

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
		env.Plane{Name: "no-progress", Meaning: "everywhere: turns without a change of markers, as a share of the limit; 0 without one"},
		env.Plane{Name: "turns", Meaning: "everywhere: turns played, as a share of the limit"})
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

// describeSeat returns the planes that there are for each player; 0 is the one on turn.
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
	add("reach", "1 on fields that a chevron of WHO can go to")
	add("ways", "on chevrons of WHO: number of the three ways that are open to it, divided by 3")
	add("open", fmt.Sprintf("everywhere: ways that are open to WHO in all, divided by %d", 3*r.eachStarts()))
	add("blocked", "everywhere: 1 if no way is open to WHO")
	if r.long() {
		add("power", "power of movement of WHO in the borderland of the field, divided by 9; 0 where it counts as 1")
	}
	if r.kind != pacru {
		add("soon", "1/n on fields that a chevron of WHO could move to in his n-th turn and no sooner, if no chevron were in its way and nothing changed; 0 where none could ever")
		add("first", fmt.Sprintf("everywhere: number of neutral fields that WHO could so move to in fewer turns than every other player, divided by %d", fields))
	}
	if r.kind == azacru {
		add("connections", "1 on fields that would become WHO's by a connection if he were on turn")
	}
	return all
}

// turnPlanes are those that tell how far a turn of Pacru has got.
var turnPlanes = []env.Plane{
	{Name: "may-meet", Meaning: "everywhere: 1 if a meeting counts in this turn"},
	{Name: "choose-benefit", Meaning: "everywhere: 1 if the benefit is to be chosen"},
	{Name: "choose-meeting", Meaning: "everywhere: 1 if the meeting is to be chosen"},
	{Name: "choose-gift", Meaning: "everywhere: 1 if a field to give back is to be chosen"},
	{Name: "left", Meaning: "1 on the field that the chevron of this turn has left, once it has moved"},
	{Name: "reached", Meaning: "1 on the field where the chevron of this turn is, once it has moved"},
	{Name: "choices", Meaning: "1 on fields that may be chosen now, the connection not included"},
	{Name: "connection", Meaning: "1 on fields of the connection that may be chosen"},
	{Name: "gift-order", Meaning: "while fields are given back: their place in the order in which that is done, from 0 to 1"},
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
		return append(all, "pass, in the middle field only")
	}
	for _, angle := range spotAngles {
		all = append(all, fmt.Sprintf("turn the chevron on the field on the spot by %+d degrees, clockwise", 45*int(angle)))
	}
	return append(all,
		"put the marker for a border crossed on the field",
		"choose the connection, at the field of the chevron that has moved",
		"put the marker for a meeting on the field",
		"choose no meeting, at the field of the chevron that has moved",
		"give the marker on the field back")
}

// CellName is the name of the field.
func (g *Game) CellName(_ env.Player, cell int) string { return fieldName(uint8(cell)) }

// ActionName implements env.Describer. A slide may be a pincer in Pacru, and in Azacru
// it may remove its chevron by a connection, which leaves nothing to twist.
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
