// Command tiro trains game-playing AI by self-play, from random weights, and
// matches, rates and exports the networks, and lets people play against them.
//
//	tiro train coerceo                      train; Ctrl-C stops, the same command resumes
//	tiro match coerceo --a net:runs/coerceo --b mcts:400 --games 100
//	tiro play coerceo                       against the bundled model
//	tiro play coerceo --model runs/coerceo
package main

import (
	"tiro/cli"
	"tiro/env/games"
)

func main() { cli.Main(games.All()...) }
