// Package study compares configurations, makes cards of trained networks, and forks runs.
//
// # Cards
//
//	run, err := study.Open("runs/connect4", games.New)
//	…
//	c, err := run.RatedCard(ctx, &report, processor) // report is of package ladder
//	…
//	err = run.SaveCard(disk.OS{}, "connect4-card", c)
//
// Package ladder rates networks and other players. A card (package models/card) contains the
// ratings of a network and the cost of its training.
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
// Ablate trains every variant with several seeds, and plays matches between each training run
// of a variant and all training runs of the base. The interval of a variant includes the
// variation between training runs.
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
// networks on games held out. It takes minutes, but cannot measure how a change affects
// self-play.
//
// # Forks
//
// MakeFork creates a run that continues from a checkpoint of another run with other
// settings, such as other options of the game. A larger network at first computes the same
// as the smaller one.
//
// # Interruptions
//
// Ablate stores every game in a GameLog of package arena, and Fit stores every finished fit
// in the report. After an interruption, the same call continues.
//
// # Signature
//
// Signature returns a digest of play, which changes whenever play changes.
package study
