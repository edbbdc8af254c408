// Package study measures what training achieved, how strong a network is and
// what a change of the configuration is worth, and makes forks of runs.
//
// # Cards
//
//	run, err := study.Open("runs/connect4", games.New)
//	…
//	c, err := run.RatedCard(ctx, &report, processor) // report is of package ladder
//	…
//	err = run.SaveCard(disk.OS{}, "connect4-card", c)
//
// Package ladder rates networks and other players. A card (package models/card) is a view
// of such a report beside what the training took.
//
// # Comparing configurations
//
//	report, err := study.Ablate(ctx, study.Ablation{
//		Comparison: study.Comparison{
//			Dir: "runs/wide", Seeds: 3,
//			Variants: []study.Variant{{Name: "base", Config: base}, {Name: "wide", Config: wide}},
//			…
//		},
//		Game: game, Generations: 20, …
//	})
//	fmt.Print(report)
//
// Ablate trains every variant with several seeds, and lets each training of a variant
// meet all trainings of the base. The interval of a variant says what further
// trainings would bring.
//
// # Fitting to the games of a run
//
//	window, err := study.OpenWindow("runs/connect4", games.New)
//	…
//	report, err := study.Fit(ctx, study.Fits{
//		Comparison: study.Comparison{
//			Dir: "runs/connect4-fit", Seeds: 3,
//			Variants: []study.Variant{{Name: "base", Config: window.Config}, {Name: "half", Config: half}},
//			…
//		},
//		Window: window, HoldOut: 0.1, Steps: 1000,
//	})
//	fmt.Print(report)
//
// Fit trains every variant on the same games, without self-play, and measures the
// networks on games that none has learned from. That takes minutes, and says
// nothing of what a change does to the games that are played.
//
// # Forks
//
// MakeFork makes a run that goes on from a checkpoint of another one with other settings,
// such as other options of the game, or a larger network that begins as one which computes
// the same.
//
// # Interruptions
//
// Ablate keeps every game in a GameLog of package arena, Fit every finished fit in the
// report. Interrupted and called again, they continue.
//
// # Signature
//
// Signature is a digest of play, by which a change of play is noticed.
package study
