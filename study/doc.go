// Package study measures what training achieved: how strong a network is, and
// what a change of the configuration is worth.
//
// # Rating a network
//
//	run, err := study.Open("runs/connect4", games.New)
//	…
//	o := study.DefaultRating()
//	o.Out = "connect4-card"
//	o.Anchors, err = study.ParsePlayers(run.Game, study.DefaultAnchors(run.Game))
//	…
//	c, err := study.Rate(ctx, run, o)
//	fmt.Print(c.Markdown())
//
// Rate lets the network meet fixed players, the anchors, and checkpoints on the
// way to it a reference opponent and each other. It writes a folder with the
// weights and the card (package models/card).
//
// # Comparing configurations
//
//	report, err := study.Ablate(ctx, study.Ablation{
//		Dir: "runs/wide", Game: game, Seeds: 3, Generations: 20,
//		Variants: []study.Variant{{Name: "base", Config: base}, {Name: "wide", Config: wide}},
//		…
//	})
//	fmt.Print(report)
//
// Ablate trains every variant with several seeds, and lets each variant meet the
// base of the same seed. The interval over seeds says what further trainings
// would bring; that of a single match only speaks of the two networks that met.
//
// # Interruptions
//
// Both keep every finished match in a MatchLog. Interrupted and called again,
// they go on: only the match under way is played anew.
//
// # Signature
//
// Signature is a digest of play, by which a change of play is noticed.
package study
