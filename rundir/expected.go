package rundir

import (
	"fmt"
	"strings"

	"tiro/selfplay"
)

// Expected describes the games of a generation, to check its episode file.
type Expected struct {
	Generation int
	Seed       uint64                      // seed of the run
	Metrics    *Metrics                    // metrics of the generation; nil if unknown
	Player     func(checkpoint int) string // fingerprint of a checkpoint's network; empty if unknown
}

// CheckHeader returns an error unless h belongs to the generation and the run and names the
// network that played the games, or others. Without Metrics, that may be one of the two newest networks.
func (e *Expected) CheckHeader(h selfplay.Header) error {
	if h.Generation != e.Generation {
		return fmt.Errorf("the games belong to generation %d, not %d", h.Generation, e.Generation)
	}
	if h.Seed != e.Seed {
		return fmt.Errorf("the games have seed %d, but %s has %d; restore it if you changed it, or use tiro fork", h.Seed, ConfigFile, e.Seed)
	}
	if h.Net == selfplay.ByOthers {
		return nil
	}
	candidates := []int{e.Generation - 1}
	if e.Metrics != nil {
		candidates[0] -= e.Metrics.NetworkLag
	} else if e.Generation > 1 {
		candidates = append(candidates, e.Generation-2)
	}
	var others []string
	for _, g := range candidates {
		known := e.Player(g)
		if known == "" || known == h.Net {
			return nil
		}
		others = append(others, fmt.Sprintf("checkpoint %d (%q)", g, known))
	}
	return fmt.Errorf("the games were played by network %.16q, not by the network of %s", h.Net, strings.Join(others, " or "))
}

// CheckGames returns an error unless the games match the metrics.
func (e *Expected) CheckGames(episodes []selfplay.Episode) error {
	if e.Metrics == nil {
		return nil
	}
	sum, err := selfplay.Sum(episodes)
	if err == nil && sum != e.Metrics.GamesSum {
		err = fmt.Errorf("the games differ from %s: %d games with checksum %s, not %d with %s", MetricsFile, len(episodes), sum, e.Metrics.Games, e.Metrics.GamesSum)
	}
	return err
}
