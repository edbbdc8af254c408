package games_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
	"tiro/env/games"
)

// TestNamesAreCanonical: a game created from its canonical string has that string. The
// packages of the games test everything else (envtest.Run).
func TestNamesAreCanonical(t *testing.T) {
	for _, name := range append(games.All().Names(), "coerceo:win=competitive,price=1", "connect4:planes=stones", "mnk:m=15,n=15,k=5",
		"shacru:players=3", "azacru:players=4", "pacru:players=3,meeting=9", "go:size=13,komi=7.5") {
		game, err := games.New(name)
		require.NoError(t, err)
		require.Equal(t, name, game.Spec().Name)
	}
}

// TestOptionsAreTheGames checks the table's options: each game must reject a wrong value
// for each of them.
func TestOptionsAreTheGames(t *testing.T) {
	conditional := map[string]string{"exchangecounts": ",win=short"}
	for _, e := range games.All() {
		require.NotEmpty(t, e.Title)
		for _, o := range e.Options {
			t.Run(e.Name+":"+o.Name, func(t *testing.T) {
				require.NotEmpty(t, o.Help)
				with := conditional[o.Name]
				game, err := games.New(e.Name + ":" + o.Name + "=" + o.Initial() + with)
				require.NoError(t, err)
				require.NotContains(t, game.Spec().Name, o.Name+"=", "defaults are omitted")

				_, err = games.New(e.Name + ":" + o.Name + "=wrong" + with)
				require.ErrorContains(t, err, "option "+o.Name+"=wrong: must be")
				require.ErrorContains(t, err, o.Range())
				_, err = games.New(e.Name + ":wrong=1" + with)
				require.ErrorContains(t, err, o.Name)
			})
		}
	}
}

// TestRules checks the printed rules with every option at its extremes.
func TestRules(t *testing.T) {
	with := map[string]string{"k": ",m=19", "exchangecounts": ",win=short"}
	for _, e := range games.All() {
		names := []string{e.Name}
		for _, o := range e.Options {
			others := with[o.Name]
			if e.Name == "mnk" && o.Name != "k" {
				others = ",k=2"
			}
			names = append(names, envtest.Extremes(e, o, others)...)
		}
		for _, name := range names {
			t.Run(name, func(t *testing.T) {
				game, err := games.New(name)
				require.NoError(t, err)
				require.Implements(t, (*env.Explainer)(nil), game)
				require.NoError(t, envtest.CheckRules(game))
			})
		}
	}
}

// TestRulesDependOnOptions: the printed rules reflect the options.
func TestRulesDependOnOptions(t *testing.T) {
	for name, says := range map[string]string{
		"coerceo":           "give up two collected tiles",
		"coerceo:price=1":   "give up one collected tile ",
		"coerceo:win=short": "twelve of the opponent's pieces off the board",
		"coerceo:win=competitive,exchangecounts=false": "take by exchange do not count",
		"coerceo:win=competitive":                      "may claim a draw",
		"coerceo:repetition=2":                         "for the second time",
		"coerceo:nomove=loss":                          "on your turn, you lose",
		"mnk":                                          "TIC-TAC-TOE",
		"gomoku":                                       "GOMOKU",
		"mnk:m=7,n=6,k=4":                              "7 columns and 6 rows",
		"shacru:players=3":                             "Yellow, Red, Black",
		"azacru:noprogress=0":                          "also ends after 500 turns in total",
		"pacru":                                        "own 42 fields",
		"pacru:players=4":                              "own 24 fields",
		"pacru:meeting=9":                              "another player owns 9 fields",
	} {
		game, err := games.New(name)
		require.NoError(t, err)
		text := strings.Join(strings.Fields(game.(env.Explainer).Rules().Text), " ")
		require.Contains(t, text, says, name)
	}
}

func TestUnknownGames(t *testing.T) {
	known := "(" + strings.Join(games.All().Known(), ", ") + ")"
	for name, message := range map[string]string{
		"conect4:m=3": `games: unknown game "conect4" ` + known + `; did you mean connect4?`,
		"Coerceo":     `games: unknown game "Coerceo" ` + known + `; did you mean coerceo?`,
		"gomuku":      `games: unknown game "gomuku" ` + known + `; did you mean gomoku?`,
		"gomoku:k=6":  `games: game string "gomoku:k=6": gomoku is an alias for mnk:m=15,n=15,k=5 and takes no options; add them to mnk:m=15,n=15,k=5`,
		"chess":       `games: unknown game "chess" ` + known,
		"x":           `games: unknown game "x" ` + known,
		"":            `games: game string "" has no name (NAME or NAME:OPTION=VALUE,…)`,
		"mnk:m=3,m=4": `games: game string "mnk:m=3,m=4": option "m" is given twice`,
		"mnk:m=30":    `games: game mnk: option m=30: must be a whole number from 2 to 19`,
	} {
		_, err := games.New(name)
		require.EqualError(t, err, message)
	}
}

func TestAliases(t *testing.T) {
	for _, alias := range games.All().Aliases() {
		require.NotContains(t, games.All().Names(), alias.Name)
		game, err := games.New(alias.Name)
		require.NoError(t, err)
		require.Equal(t, alias.Game, game.Spec().Name, "files contain the canonical name")
	}
}

// BenchmarkRandomPlay plays random games. An iteration generates the legal actions, plays
// one of them and checks whether the game is over.
func BenchmarkRandomPlay(b *testing.B) {
	for _, name := range append(games.All().Names(), "mnk:m=15,n=15,k=5") {
		b.Run(name, func(b *testing.B) {
			game, err := games.New(name)
			require.NoError(b, err)
			rng := env.NewRand(1)
			legal := make([]env.Action, 0, game.Spec().Actions())
			start, s := game.New(), game.New()
			b.ReportAllocs()
			for b.Loop() {
				if _, over := s.Result(); over {
					s.CopyFrom(start)
				}
				legal = s.Legal(legal[:0])
				s.Play(legal[rng.IntN(len(legal))])
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "plies/s")
		})
	}
}

func ExampleNew() {
	game, err := games.New("mnk:k=4,m=7,n=6")
	if err != nil {
		fmt.Println(err)
		return
	}
	spec := game.Spec()
	fmt.Println(spec.Name, spec.Actions(), "actions")
	_, err = games.New("mnk:k=4,n=6,x=7")
	fmt.Println(err)
	// Output:
	// mnk:m=7,n=6,k=4 42 actions
	// games: game mnk: unknown option "x" (m, n, k)
}

func TestTitles(t *testing.T) {
	for game, title := range map[string]string{
		"coerceo": "Coerceo", "connect4": "Connect Four", "mnk": "Tic-tac-toe", "mnk:m=15,n=15,k=5": "Gomoku",
		"mnk:m=4,n=4": "k in a row (m=4, n=4)", "pacru:players=3": "Pacru (players=3)",
	} {
		require.Equal(t, title, games.All().Title(game))
	}
}
