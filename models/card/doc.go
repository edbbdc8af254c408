// Package card holds what is known of a trained network: how it was made, how
// strong it is, and what it was not tested for.
//
// A Card is card.json, which tiro card writes beside a copy of the weights that
// play. Read reads it, and Markdown says the same for people:
//
//	card, err := card.Read(data)
//	…
//	fmt.Print(card.Markdown())
//
// # What the numbers are
//
// Ratings come from matches of package arena against players that anybody can
// have again, each opening played from every seat. Of more than two seats the
// network takes one and its opponent the others. A share is the network's points
// a game, an Elo difference its rating above the opponent's, both with 95%
// intervals; docs/RATINGS.md has the formulas. Points of the learning curve are
// earlier checkpoints of the same run, rated the same way.
//
// Games and rows are the run's wherever it is trained. Evaluations and core-hours
// are what it took: each worker remembers some of the positions it has judged,
// and a core-hour is an hour of a generation by its workers. Of a generation that
// was interrupted both cover the last part.
//
// # Duties of the caller
//
// A Card says whose weights it speaks of by their checksum; whoever opens the
// two together compares it.
package card
