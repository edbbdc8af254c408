package rundir

import (
	"fmt"
	"strings"

	"tiro/selfplay"
)

// Expected describes the games of a generation, which its episode file must hold.
type Expected struct {
	Generation int
	Seed       uint64                      // of the run
	Metrics    *Metrics                    // of the generation; nil if they are unknown
	Player     func(checkpoint int) string // fingerprint of a checkpoint's network; empty if unknown
}

// CheckHeader returns an error unless an episode file with this header is of the
// generation and of the run, and was played by its network. Without Metrics one of two
// networks may have played.
func (e *Expected) CheckHeader(h selfplay.Header) error {
	if h.Generation != e.Generation || h.Seed != e.Seed {
		return fmt.Errorf("the games are of generation %d of a run with seed %d, not of generation %d of a run with seed %d", h.Generation, h.Seed, e.Generation, e.Seed)
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
	return fmt.Errorf("the games were played by another network (%.16q) than %s", h.Net, strings.Join(others, " or "))
}

// CheckGames returns an error unless the games are those that the metrics describe.
func (e *Expected) CheckGames(episodes []selfplay.Episode) error {
	if e.Metrics == nil {
		return nil
	}
	sum, err := gamesSum(episodes)
	if err == nil && sum != e.Metrics.GamesSum {
		err = fmt.Errorf("they are not the games that %s describes: %d games with checksum %s; want %d with %s", MetricsFile, len(episodes), sum, e.Metrics.Games, e.Metrics.GamesSum)
	}
	return err
}

// gamesSum returns the checksum of games.
func gamesSum(episodes []selfplay.Episode) (string, error) {
	d := selfplay.NewDigest()
	for i := range episodes {
		if err := d.Add(&episodes[i]); err != nil {
			return "", err
		}
	}
	return d.Sum(), nil
}
