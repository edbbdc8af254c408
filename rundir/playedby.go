package rundir

import (
	"fmt"
	"strings"
)

// PlayedBy returns the generation of the network that played a generation, which m
// describes or is zero.
func (m *Metrics) PlayedBy(generation int) int { return generation - 1 - m.NetworkLag }

// CheckPlayer returns an error if the games of a generation name a network as their player
// that did not play them. m describes the generation; if it is nil, one of two networks
// may have played. player returns the fingerprint of a checkpoint's network, empty if it
// is not known.
func CheckPlayer(fingerprint string, generation int, m *Metrics, player func(checkpoint int) string) error {
	candidates := []int{generation - 1}
	if m != nil {
		candidates[0] = m.PlayedBy(generation)
	} else if generation > 1 {
		candidates = append(candidates, generation-2)
	}
	var others []string
	for _, g := range candidates {
		known := player(g)
		if known == "" || known == fingerprint {
			return nil
		}
		others = append(others, fmt.Sprintf("checkpoint %d (%q)", g, known))
	}
	return fmt.Errorf("the games were played by another network (%.16q) than %s", fingerprint, strings.Join(others, " or "))
}
