// Package bundled provides trained models, ready to play, which are part of the program. There is
// a folder for each game with a model, named like the game's default run folder, with three
// files:
//
//	coerceo/
//	  weights.safetensors   the network; any safetensors reader opens it
//	  card.json             its training and its measured strength (package card)
//	  card.md               the card as a page
//
// # First use
//
//	model, err := bundled.Find("coerceo")
//	…
//	weights, err := model.Weights(game.Spec())
//
// A model is trained and rated for one game string. The card of "coerceo" does not cover
// "coerceo:price=1": the network can play that game too, but not as well. Nearest finds it.
//
// # A new model
//
//	tiro train coerceo
//	tiro rate runs/coerceo --card models/bundled/coerceo
//
// Then build the program again. Every folder of this package is bundled; there is no list to
// update.
//
// The first command of a card lists changes to the configuration that comes with the program. If
// the configuration in configs has changed, the test TestCommandsOfBundledModels of cli fails
// until the card is made again, or its command is updated with -update.
package bundled
