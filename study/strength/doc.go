// Package strength draws how strong runs became: the ratings of their checkpoints, as
// package ladder reports them, against what the training had cost by then.
//
//	err := strength.Draw(file, "svg", &report)
package strength
