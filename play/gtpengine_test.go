package play

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
	"tiro/mcts"
	"tiro/player/clock"
)

// gtpEngineOf returns an engine that can switch between all games.
func gtpEngineOf(t testing.TB, name string) Engine {
	t.Helper()
	game, err := games.New(name)
	require.NoError(t, err)
	e := Engine{Game: game, Name: "Tiro test", Evaluator: mcts.Uniform{}, Search: mcts.Default(), Seed: 1, Now: time.Now}
	e.Search.Root, e.Search.RootNoise, e.Search.Simulations = mcts.RootImproved, false, 30
	e.WithGame = func(name string) (Engine, error) {
		if _, err := games.New(name); err != nil {
			return Engine{}, err
		}
		return gtpEngineOf(t, name), nil
	}
	e.ReadFile = os.ReadFile
	return e
}

// gtpAnswers returns the answers to the commands without their terminators.
func gtpAnswers(t testing.TB, e Engine, commands string) []string {
	t.Helper()
	var out strings.Builder
	require.NoError(t, e.RunGTP(t.Context(), strings.NewReader(commands), &out))
	return strings.Split(strings.TrimSuffix(out.String(), "\n\n"), "\n\n")
}

// TestGTPEngine: each line contains a command and the beginning of its answer.
func TestGTPEngine(t *testing.T) {
	file := t.TempDir() + "/a game.sgf"
	require.NoError(t, os.WriteFile(file, []byte("(;GM[1]SZ[5]KM[0.5];B[cc];W[bb](;B[])(;B[aa]))"), 0o600))
	for game, script := range map[string]string{
		"go:size=5": `
			7 protocol_version | =7 2
			name | = Tiro
			version | = test
			# nothing
			known_command play # or not | = true
			known_command flay | = false
			flay | ? unknown command
			play black c3 | =
			play WHITE D3 | =
			play b c3 | ? illegal move
			play b i9 | ? illegal move
			play x c4 | ? syntax error
			play b | ? syntax error
			play w c2 | =
			final_score | = W+8.0
			final_status_list dead | =
			final_status_list | ? syntax error
			undo | =
			undo | =
			undo | =
			undo | ? cannot undo
			genmove w | = 
			undo | =
			komi 5.5 | =
			komi x | ? syntax error
			komi -3 | ? unacceptable komi
			final_score | = W+5.5
			play b c3 | =
			komi 6 | =
			final_score | = B+19.0
			boardsize 7 | =
			final_score | = W+6.0
			boardsize 99 | ? unacceptable size
			fixed_handicap 3 | = C3 E5 C5
			fixed_handicap 2 | ? board not empty
			play w d4 | =
			final_score | = W+4.0
			undo | =
			undo | =
			undo | ? cannot undo
			final_score | = W+6.0
			fixed_handicap 7 | ? invalid number of stones
			place_free_handicap 7 | = C3 E5 C5 E3
			clear_board | =
			set_free_handicap A1 A1 | ? bad vertex list
			set_free_handicap A1 | ? bad vertex list
			set_free_handicap A1 B2 C3 | =
			play w pass | =
			play b pass | =
			final_score | = B+43.0
			play b d4 | =
			undo | =
			genmove b | = 
			time_settings 0 0 0 | =
			time_settings 10 1 | ? syntax error
			kgs-time_settings byoyomi 0 1 5 | =
			kgs-time_settings hourglass 3 | ? syntax error
			kata-time_settings fischer 10 0.5 | =
			kgs-time_settings none | =
			time_left b 1 0 | =
			time_left b x 0 | ? syntax error
			reg_genmove b | = 
			kgs-genmove_cleanup w | = 
			loadsgf FILE | = white
			final_score | = W+0.5
			loadsgf FILE 2 | = white
			final_score | = B+24.5
			loadsgf /nowhere | ? cannot load file
			final_score | = B+24.5
			undo | =
			undo | ? cannot undo
			loadsgf FILE 2 | = white
			lz-genmove_analyze w 10 | =
			kata-analyze maxmoves 1 avoid | ? syntax error
			clear_board | =
			play b c3 | =
			play w a5 | =
			play b c2 | =
			final_status_list alive | = C2 C3
			quit | =
			name | `,
		"othello:size=6": `
			komi 3 | =
			boardsize 6 | =
			play b d2 | ? illegal move
			play b c2 | =
			play b c5 | ? illegal move: it is the turn of White
			genmove w | = 
			final_score | = 0
			final_status_list alive | = B2
			known_command fixed_handicap | = false
			boardsize 4 | =
			play b b1 | =
			boardsize 5 | ? unacceptable size`,
	} {
		t.Run(game, func(t *testing.T) {
			var commands, want []string
			for line := range strings.SplitSeq(strings.TrimSpace(script), "\n") {
				command, answer, ok := strings.Cut(strings.TrimSpace(line), " | ")
				commands = append(commands, strings.ReplaceAll(command, "FILE", file))
				if ok {
					want = append(want, command+" | "+answer)
				}
			}
			if last := len(want) - 1; strings.HasSuffix(want[last], "| ") {
				want = want[:last] // no answer follows quit
			}
			got := gtpAnswers(t, gtpEngineOf(t, game), strings.Join(commands, "\n"))
			require.Len(t, got, len(want), "%q", got)
			for i := range want {
				_, answer, _ := strings.Cut(want[i], " | ")
				require.True(t, strings.HasPrefix(got[i], strings.TrimRight(answer, " ")), "%s: %q", want[i], got[i])
			}
		})
	}
	require.ErrorContains(t, gtpEngineOf(t, "connect4").RunGTP(t.Context(), strings.NewReader(""), io.Discard), "connect4")
}

// TestGTPAnalysis: analyses use the format of Leela Zero or KataGo and stop at the next line.
func TestGTPAnalysis(t *testing.T) {
	const lz = `^=3\ninfo move [A-G][1-7] visits \d+ winrate \d{1,5} prior \d{1,5} order 0 pv [A-G][1-7].*\n(info .*\n)*$`
	in, commands := io.Pipe()
	out, answers := io.Pipe()
	ended := make(chan error)
	go func() {
		err := gtpEngineOf(t, "go:size=7").RunGTP(t.Context(), in, answers)
		_ = answers.Close()
		ended <- err
	}()
	read := bufio.NewReader(out)
	send := func(format string, arguments ...any) {
		_, err := fmt.Fprintf(commands, format+"\n", arguments...)
		require.NoError(t, err)
	}
	until := func(end string) string {
		var text strings.Builder
		for {
			line, err := read.ReadString('\n')
			require.NoError(t, err)
			if strings.HasPrefix(line, end) {
				return text.String() + line
			}
			text.WriteString(line)
		}
	}
	send("3 lz-analyze b 1")
	require.Equal(t, "=3\n", until("="))
	first := until("info")
	send("name")
	require.Regexp(t, lz, "=3\n"+first+strings.TrimSuffix(until("\n"), "\n"))
	require.Equal(t, "= Tiro\n", until("="))
	require.Equal(t, "\n", until("\n"))
	send("kata-genmove_analyze b interval 1 maxmoves 2")
	text := until("play")
	require.Regexp(t, `^=\n(info move [A-G][1-7] visits \d+ winrate [01]\.\d{6} prior [01]\.\d{6} order 0 pv [A-G][1-7].*\n)+play ([A-G][1-7]|PASS)\n$`, text)
	require.NotContains(t, text, "order 2")
	require.Equal(t, "\n", until("\n"))
	send("kata-analyze")
	require.Equal(t, "=\n", until("="))
	require.NoError(t, commands.Close())
	rest, err := io.ReadAll(read)
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(string(rest), "\n\n"))
	require.NoError(t, <-ended)
}

// TestGTPClock: a game begins with the time of the control, and time_left limits a search
// without one.
func TestGTPClock(t *testing.T) {
	var c gtpClock
	require.Equal(t, limits{nodes: 7}, c.limits(0, 7))
	c.set(overtime(time.Minute, 30*time.Second, 3))
	c.spend(1, 61*time.Second)
	require.Equal(t, limits{timed: true, time: clock.Time{Left: 30 * time.Second, Moves: 3, Fixed: true}}, c.limits(1, 7))
	require.Equal(t, limits{timed: true, time: clock.Time{Left: time.Minute, Increment: 10 * time.Second}}, c.limits(0, 7))
	for _, none := range []clock.Control{overtime(30*time.Second, 5*time.Second, 0), overtime(0, 0, 0), overtime(0, 0, 3)} {
		c.set(none)
		require.Equal(t, limits{nodes: 7}, c.limits(0, 7))
	}
	c.limited[0] = true // as after time_left
	c.seats[0].Set(time.Minute, 0)
	require.Equal(t, limits{timed: true, time: clock.Time{Left: time.Minute}}, c.limits(0, 7))
	require.Equal(t, limits{nodes: 7}, c.limits(1, 7))
	c.begin()
	require.Equal(t, limits{nodes: 7}, c.limits(0, 7))
}

// TestGTPTranscript sends random games with passes, moves out of turn and illegal moves to GNU
// Go and the engine. Both must give the same answers.
func TestGTPTranscript(t *testing.T) {
	path, err := exec.LookPath("gnugo")
	if err != nil {
		path = "/usr/games/gnugo"
		if _, err := os.Stat(path); err != nil && os.Getenv("CI") == "" {
			t.Skip("NOT CHECKED: answers of GTP against GNU Go; apt-get install gnugo")
		}
	}
	var commands strings.Builder
	for _, size := range []int{5, 9, 13} {
		fmt.Fprintf(&commands, "boardsize %d\nclear_board\nkomi 7\n", size)
		if size > 5 {
			commands.WriteString("fixed_handicap 4\nfixed_handicap 2\nclear_board\nfixed_handicap 3\nclear_board\nfixed_handicap 1\nset_free_handicap A1 C3\nclear_board\n")
		}
		game, err := games.New(fmt.Sprintf("go:size=%d", size))
		require.NoError(t, err)
		s, rng := game.New(), env.NewRand(1, uint64(size))
		for len(s.Legal(nil)) > 0 {
			legal := s.Legal(nil)
			names, colour := env.Names(s), [2]string{"black", "w"}[s.Turn()]
			name := names[rng.IntN(len(names))]
			point := fmt.Sprintf("%c%d", "ABCDEFGHJKLMNOPQRSTUVWXYZ"[rng.IntN(size)], 1+rng.IntN(size))
			if name == "pass" && len(legal) > 1 {
				name = names[0]
			}
			fmt.Fprintf(&commands, "play %s %s\n", colour, strings.ToUpper(name))
			a, err := env.ParseAction(s, name)
			require.NoError(t, err)
			s.Play(a)
			if _, err := env.ParseAction(s, strings.ToLower(point)); err != nil && len(s.Legal(nil)) > 0 {
				fmt.Fprintf(&commands, "play %s %s\n", [2]string{"black", "w"}[s.Turn()], point) // an illegal move
			}
			if rng.IntN(10) == 0 {
				fmt.Fprintf(&commands, "undo\nplay %s %s\n", colour, name)
			}
		}
		commands.WriteString("protocol_version\nknown_command play\nknown_command nothing\nnothing\n5 play b pass\nplay\nundo\ntime_settings 1 2 3\ntime_left b 3 0\n")
	}
	commands.WriteString("quit\n")
	gnugo := exec.Command(path, "--mode", "gtp", "--positional-superko", "--chinese-rules")
	gnugo.Stdin = strings.NewReader(commands.String())
	theirs, err := gnugo.Output()
	require.NoError(t, err)
	ours := gtpAnswers(t, gtpEngineOf(t, "go:size=5"), commands.String())
	asked := strings.Split(strings.TrimSpace(commands.String()), "\n")
	answers := strings.Split(strings.TrimSpace(string(theirs)), "\n\n")
	require.Len(t, ours, len(asked))
	require.Len(t, answers, len(asked))
	for i, command := range asked {
		want, got := strings.TrimSpace(answers[i]), strings.TrimSpace(ours[i])
		if want[0] == '?' { // the texts of errors may differ
			want, got, _ = strings.Cut(want[:1]+" "+got, " ")
			got = got[:1]
		}
		require.ElementsMatch(t, strings.Fields(want), strings.Fields(got), "%d: %s", i, command)
	}
}

// FuzzGTPEngine: for any input, each answer is a valid GTP answer.
func FuzzGTPEngine(f *testing.F) {
	for _, text := range []string{
		"boardsize 7\nplay b d4\ngenmove w\nundo\nfinal_score\nshowboard\n",
		"set_free_handicap a1 b2 a1\nlz-analyze b 1\nkata-analyze interval 1 maxmoves 1\n\nkomi 1e300\ngenmove b",
		"play b pass\nplay w pass\nplay w pass\nplay w c3\ngenmove b\ngenmove b\nkgs-genmove_cleanup w\nundo\nundo\nundo",
		"time_settings 9999999999999 NaN 1\ntime_left w -1 -1\n12 fixed_handicap 9\nlist_commands\n1e9\nkgs-time_settings canadian 1 1 1\ngenmove w",
		"loadsgf testdata\nplay\nplay b\nplay b \x00\n#\n\t\nkomi\nboardsize 1 2",
	} {
		f.Add(false, text)
		f.Add(true, text)
	}
	f.Fuzz(func(t *testing.T, othello bool, input string) {
		e := gtpEngineOf(t, map[bool]string{false: "go:size=5", true: "othello:size=4"}[othello])
		e.Search.Simulations = 5
		e.ReadFile = func(string) ([]byte, error) { return []byte(input), nil }
		var out strings.Builder
		require.NoError(t, e.RunGTP(t.Context(), strings.NewReader(strings.ReplaceAll(short(input), "time", "tine")+"\nname\n"), &out))
		answers := strings.Split(out.String(), "\n\n")
		require.Empty(t, answers[len(answers)-1])
		for _, answer := range answers[:len(answers)-1] {
			require.Contains(t, "=?", answer[:1])
		}
	})
}
