package arena

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/disk/disktest"
)

// logged plays a match with its games in a file, of which nothing else is known.
func logged(t *testing.T, path string, m Match) (Report, error) {
	c, err := m.Conditions(Builder{"v1", "go"})
	require.NoError(t, err)
	l, err := OpenGameLog(disk.OS{}, path, &m, c)
	if err != nil {
		return Report{}, err
	}
	defer func() { require.NoError(t, l.Close()) }()
	m.Finished, m.Record, m.Retract = l.Games, l.Add, l.Retract
	return Play(t.Context(), m)
}

// TestGameLogResumes: wherever a file of games was cut off, by a process that was killed,
// the match ends as if it had not been.
func TestGameLogResumes(t *testing.T) {
	game := ticTacToe(t)
	m := Match{Game: game, Players: []PlayerFactory{Rollouts(game, 5), Random()}, Games: 8, Seed: 5, Workers: 2, Opening: 1}
	path := filepath.Join(t.TempDir(), "games.jsonl")
	want, err := logged(t, path, m)
	require.NoError(t, err)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, 9, bytes.Count(whole, []byte("\n")))
	for cut := 0; cut <= len(whole); cut += 37 {
		require.NoError(t, os.WriteFile(path, whole[:cut], 0o600))
		got, err := logged(t, path, m)
		require.NoError(t, err, "cut at %d", cut)
		require.Equal(t, want.String(), got.String())
		requireSameReport(t, want, got)
		_, games, err := ReadGames(readFile(t, path), game)
		require.NoError(t, err)
		require.Len(t, games, 8)
	}
	m.Games = 4
	fewer, err := logged(t, path, m)
	require.NoError(t, err)
	require.Len(t, fewer.Records, 4)
}

// TestGameLogOfAFullDisk: nothing is written behind the half line that a full disk leaves,
// by games that end at the same time, and the match can be resumed.
func TestGameLogOfAFullDisk(t *testing.T) {
	game := ticTacToe(t)
	m := Match{Game: game, Players: []PlayerFactory{Rollouts(game, 5), Random()}, Games: 16, Seed: 5, Workers: 1}
	c, err := m.Conditions(Builder{"v1", "go"})
	require.NoError(t, err)
	const path = "games.jsonl"
	memory, full := disktest.New(), false
	fsys := disktest.Over(memory, func(op disktest.Op) (v disktest.Verdict) {
		if op.Kind == disktest.Write && full {
			v, full = disktest.Verdict{Do: disktest.Half, Err: errors.New("the disk is full")}, false
		}
		return v
	})
	l, err := OpenGameLog(fsys, path, &m, c)
	require.NoError(t, err)
	m.Finished, m.Record, m.Retract = l.Games, l.Add, l.Retract
	report, err := Play(t.Context(), m)
	require.NoError(t, err)
	require.NoError(t, l.Retract(report.Records[:3]))
	full = true
	for _, r := range report.Records[3:] {
		require.ErrorContains(t, l.Add(r), "the disk is full")
	}
	require.NoError(t, l.Close())
	l, err = OpenGameLog(fsys, path, &m, c)
	require.NoError(t, err)
	require.Len(t, l.Games, 3)
	require.NoError(t, l.Add(report.Records[3]))
	require.NoError(t, l.Close())
}

func readFile(t *testing.T, path string) []byte {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return data
}

// TestGameLogIsChecked: a file of another match, or with games that cannot be, is refused
// and stays as it is.
func TestGameLogIsChecked(t *testing.T) {
	game := ticTacToe(t)
	m := Match{Game: game, Players: []PlayerFactory{Random(), Random()}, Games: 2, Seed: 5, Workers: 1}
	path := filepath.Join(t.TempDir(), "games.jsonl")
	_, err := logged(t, path, m)
	require.NoError(t, err)
	good := readFile(t, path)
	lines := bytes.SplitAfter(good, []byte("\n"))
	for _, test := range []struct {
		name string
		data string
		want string
	}{
		{"another file", "hello\n", "holds no games of a match; choose another name"},
		{"another file without an end", "hello", "holds no games of a match; choose another name"},
		{"another format", `{"format":9,"what":"tiro games"}` + "\n", "written by a newer tiro: format 9"},
		{"another seed", string(bytes.Replace(good, []byte(`"seed":5`), []byte(`"seed":6`), 1)), "another match: seed is 6; want 5"},
		{"another game", string(bytes.Replace(good, []byte(`"game":"mnk"`), []byte(`"game":"nim"`), 1)), `games of "nim"`},
		{"another player", string(bytes.Replace(good, []byte(`"name":"random"`), []byte(`"name":"greedy"`), 1)), "players is [{greedy } {random }]"},
		{"twice", string(good) + string(lines[1]), "line 4: game 0 for the second time"},
		{"no such seating", string(lines[0]) + string(bytes.Replace(lines[1], []byte(`"group":0`), []byte(`"group":3`), 1)), "line 2: game 0 of group 3"},
		{"illegal move", string(good) + string(bytes.Replace(lines[1], []byte(`"moves":["`), []byte(`"moves":["z`), 1)), "line 4: move 1: illegal action"},
		{"another result", string(good) + string(bytes.Replace(lines[1], []byte(`"result":[`), []byte(`"result":[0,0],"x":[`), 1)), "line 4: "},
		{"no object", string(good) + "[]\n", "line 4: "},
		{"negative", string(good) + `{"number":-1}` + "\n", "line 4: number -1"},
		{"no seats", string(good) + `{"number":1}` + "\n", "line 4: seating []"},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(path, []byte(test.data), 0o600))
			_, err := logged(t, path, m)
			require.ErrorContains(t, err, test.want)
			require.Equal(t, test.data, string(readFile(t, path)))
		})
	}
}

// Two processes cannot add to one file.
func TestGameLogIsLocked(t *testing.T) {
	game := ticTacToe(t)
	m := Match{Game: game, Players: []PlayerFactory{Random(), Random()}, Games: 2, Seed: 5, Workers: 1}
	path := filepath.Join(t.TempDir(), "games.jsonl")
	unlock, err := disk.LockFile(disk.OS{}, path)
	require.NoError(t, err)
	_, err = logged(t, path, m)
	require.ErrorIs(t, err, disk.ErrLocked)
	require.NoError(t, unlock())
	_, err = logged(t, path, m)
	require.NoError(t, err)
}
