// Package card holds what is known of a trained network: how it was made, how
// strong it is, and what it was not tested for.
//
// A Card is card.json, which tiro rate --card writes beside a copy of the weights.
// Read reads it, and Markdown says the same for people:
//
//	c, err := card.Read(data)
//	…
//	fmt.Print(c.Markdown())
//
// Package study makes cards.
//
// # What the numbers are
//
// Ratings come from games of package arena against players that anybody can have again;
// each opening is played from every seat. With more than two seats the network takes one
// and its opponent the others. The points of the learning curve are checkpoints of the same
// run, all rated in one fit, with 95% intervals.
//
// Games and samples depend on the configuration alone. Evaluations and
// core-hours are what the run took: each worker caches evaluations, and a
// core-hour is an hour of CPU time of the whole program. Of a generation whose games
// an earlier process had played in part both cover the rest; such generations count
// as unmeasured.
//
// # Duties of the caller
//
// A Card names the weights that it describes by their checksum. Whoever opens
// the two together must compare it.
package card
