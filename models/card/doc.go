// Package card describes trained networks: how they were trained, how strong they are, and which
// strengths were not measured.
//
// A Card is the file card.json, which tiro rate --card writes beside a copy of the weights. Read
// reads it, and Markdown formats it as a page:
//
//	c, err := card.Read(data)
//	…
//	fmt.Print(c.Markdown())
//
// Package study makes cards.
//
// # Meaning of the numbers
//
// Ratings come from games of package arena against players that are available to everyone. Each
// opening is played from every seat. In games of more than two seats, the network has one seat
// and its opponent the others. The points of the learning curve are checkpoints of one run, rated
// in one fit, with 95% intervals.
//
// Games and samples depend on the configuration alone. Evaluations and core-hours also depend on
// the workers, each of which caches evaluations. A core-hour is an hour of CPU time of the whole
// program. If an earlier process played some games of a generation, evaluations and core-hours
// cover only the rest, and the generation counts as unmeasured.
//
// # Duties of the caller
//
// A Card identifies its weights with a checksum. Callers that open a card and weights must
// compare it.
package card
