package bundled_test

import (
	"fmt"

	"tiro/env/games"
	"tiro/models/bundled"
)

// The model for Coerceo is ready to be compiled.
func ExampleFind() {
	game, err := games.New("coerceo")
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := bundled.Find(game.Spec().Name)
	if err != nil {
		fmt.Println(err)
		return
	}
	weights, err := model.Weights(game.Spec())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(weights.Spec.Name, weights.Parameters() == model.Card.Parameters)
	// Output: coerceo true
}
