// Package bundled holds trained models, ready to play.
//
// They are part of the program: a folder for every game that has one, named
// like the game's default run folder, with three files.
//
//	coerceo/
//	  weights.safetensors   the network; any safetensors reader opens it
//	  card.json             what it learned from and how strong it is, as measured (package card)
//	  card.md               the same for people
//
// # First use
//
//	model, err := bundled.Find("coerceo")
//	…
//	weights, err := model.Weights(game.Spec())
//
// A model was trained and rated for one game string: the card of "coerceo" says
// nothing of "coerceo:price=1". Its network can play that too, if not as well, and
// Nearest finds it.
//
// # A new model
//
//	tiro train coerceo
//	tiro rate runs/coerceo --card models/bundled/coerceo
//
// and a new build of the program. Nothing lists the models: every folder
// here is bundled.
//
// The first command on a card says what to change of the configuration that comes
// with the program. When configs has changed, TestCommandsOfBundledModels of cli
// fails until the card is made anew, or the command alone, by -update.
package bundled
