package arena

import (
	"fmt"
	"strconv"
	"strings"

	"tiro/configs"
	"tiro/mcts"
	"tiro/player"
)

// Participant is a player of a match in a file.
type Participant struct {
	Name    string   `json:"name"`
	Weights string   `json:"weights,omitempty"` // SHA-256 of its network, hexadecimal
	Search  []string `json:"search,omitempty"`  // all settings of a network's search, see ParseSearch; none with a budget of time
}

// Key identifies the player: two players with the same key play alike. The name of a
// network does not matter, if its weights and its search are known.
func (p Participant) Key() string {
	if len(p.Search) > 0 {
		return p.Weights + "\n" + strings.Join(p.Search, "\n")
	}
	return strings.TrimRight(p.Name+"\n"+p.Weights, "\n")
}

// Describe returns the entry of a player in a file.
func Describe(s player.Spec) (Participant, error) {
	who := Participant{Name: s.String(), Weights: s.Weights}
	if who.Weights == "" || s.Budget.Timed() {
		return who, nil
	}
	var err error
	who.Search, err = configs.Assignments(&mcts.Config{}, &s.Search)
	if s.Temperature > 0 {
		who.Search = append(who.Search, temperatureKey+strconv.FormatFloat(s.Temperature, 'g', -1, 64))
	}
	return who, err
}

// temperatureKey begins the setting of a temperature.
const temperatureKey = "temperature="

// ParseSearch returns the search and the temperature of Participant.Search.
func ParseSearch(settings []string) (c mcts.Config, temperature float64, err error) {
	const most = 100 // settings of a search, and bytes of each
	if len(settings) > most {
		return c, 0, fmt.Errorf("%d settings; want at most %d", len(settings), most)
	}
	for _, text := range settings {
		if len(text) > most || strings.ContainsAny(text, "\n\r") {
			return c, 0, fmt.Errorf("%.60q is no setting", text)
		}
		if value, ok := strings.CutPrefix(text, temperatureKey); ok {
			if temperature, err = strconv.ParseFloat(value, 64); err != nil {
				return c, 0, fmt.Errorf("%.60q is no temperature", text)
			}
			continue
		}
		if err := configs.Set(&c, text); err != nil {
			return c, 0, err
		}
	}
	return c, temperature, c.Validate()
}
