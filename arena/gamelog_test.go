package arena

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/disk/disktest"
	"tiro/player"
)

// logged plays a match with its games in a file, and resumes from the file alone.
func logged(t *testing.T, path string, m Match) (Report, error) {
	l, err := OpenGameLog(disk.OS{}, path, m.Game)
	if err != nil {
		return Report{}, err
	}
	defer func() { require.NoError(t, l.Close()) }()
	if err := l.Resume(&m, Builder{"v1", "go"}); err != nil {
		return Report{}, err
	}
	return Play(t.Context(), m)
}

// TestGameLogResumes: wherever a killed process left the file of games truncated, the resumed
// match ends as if undisturbed.
func TestGameLogResumes(t *testing.T) {
	game := ticTacToe(t)
	m := Match{Game: game, Players: []player.Factory{player.Must(game, "mcts:5"), player.Must(nil, "random")}, Games: 8, Seed: 5, Workers: 2, Opening: 1}
	path := filepath.Join(t.TempDir(), "games.jsonl")
	want, err := logged(t, path, m)
	require.NoError(t, err)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, 10, bytes.Count(whole, []byte("\n")))
	for cut := 0; cut <= len(whole); cut += 37 {
		require.NoError(t, os.WriteFile(path, whole[:cut], 0o600))
		got, err := logged(t, path, m)
		require.NoError(t, err, "cut at %d", cut)
		require.Equal(t, want.String(), got.String())
		requireSameReport(t, want, got)
		matches, err := ReadGames(readFile(t, path), game)
		require.NoError(t, err)
		require.Len(t, matches[0].Games, 8)
	}
	m.Games = 4
	fewer, err := logged(t, path, m)
	require.NoError(t, err)
	require.Len(t, fewer.Records, 4)
}

// TestGameLogOfAFullDisk: after a full disk has truncated a line, games that end at the same
// time write nothing more, and the match can be resumed.
func TestGameLogOfAFullDisk(t *testing.T) {
	game := ticTacToe(t)
	m := Match{Game: game, Players: []player.Factory{player.Must(game, "mcts:5"), player.Must(nil, "random")}, Games: 16, Seed: 5, Workers: 1}
	const path = "games.jsonl"
	memory, full := disktest.New(), false
	fsys := disktest.Over(memory, func(op disktest.Op) (v disktest.Verdict) {
		if op.Kind == disktest.Write && full {
			v, full = disktest.Verdict{Do: disktest.Half, Err: errors.New("the disk is full")}, false
		}
		return v
	})
	l, err := OpenGameLog(fsys, path, game)
	require.NoError(t, err)
	require.NoError(t, l.Resume(&m, Builder{"v1", "go"}))
	report, err := Play(t.Context(), m)
	require.NoError(t, err)
	require.NoError(t, l.Close())
	require.NoError(t, fsys.Remove(path))
	l, err = OpenGameLog(fsys, path, game)
	require.NoError(t, err)
	require.NoError(t, l.Resume(&m, Builder{"v1", "go"}))
	for _, r := range report.Records[:3] {
		require.NoError(t, m.Record(r))
	}
	full = true
	for _, r := range report.Records[3:] {
		require.ErrorContains(t, m.Record(r), "the disk is full")
	}
	require.NoError(t, l.Close())
	l, err = OpenGameLog(fsys, path, game)
	require.NoError(t, err)
	require.NoError(t, l.Resume(&m, Builder{"v1", "go"}))
	require.Len(t, m.Finished, 3)
	require.NoError(t, m.Record(report.Records[3]))
	require.NoError(t, l.Close())
}

func readFile(t *testing.T, path string) []byte {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return data
}

// TestGameLogIsChecked: a file that belongs to another match or contains impossible games is
// refused and not changed.
func TestGameLogIsChecked(t *testing.T) {
	game := ticTacToe(t)
	m := Match{Game: game, Players: []player.Factory{player.Must(nil, "random"), player.Must(nil, "random")}, Games: 2, Seed: 5, Workers: 1}
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
		{"another file", "hello\n", "line 1: "},
		{"another file without an end", "hello", "not a file of games"},
		{"another format", `{"format":9,"what":"tiro games"}` + "\n", "format 9"},
		{"another game", string(bytes.Replace(good, []byte(`"game":"mnk"`), []byte(`"game":"nim"`), 1)), `"nim"`},
		{"twice", string(good) + string(lines[2]), "line 5: duplicate game 0"},
		{"no such seating", string(lines[0]) + string(lines[1]) + string(bytes.Replace(lines[2], []byte(`"group":0`), []byte(`"group":3`), 1)), "group 3"},
		{"another match", string(good) + string(bytes.Replace(lines[2], []byte(`"match":0`), []byte(`"match":1`), 1)), "line 5: game of unknown match 1"},
		{"no players", string(good) + `{"matches":[{}]}` + "\n", "line 5: "},
		{"nothing", string(good) + `{"matches":[null]}` + "\n", "line 5: "},
		{"illegal move", string(good) + string(bytes.Replace(lines[2], []byte(`"number":0`), []byte(`"number":9,"moves":["z"],"x":0`), 1)), "line 5: "},
		{"another result", string(good) + string(bytes.Replace(lines[2], []byte(`"result":[`), []byte(`"result":[0,0],"x":[`), 1)), "line 5: "},
		{"no object", string(good) + "[]\n", "line 5: "},
		{"negative", string(good) + `{"number":-1}` + "\n", "number -1"},
		{"no efforts", regexp.MustCompile(`"effort":\[.*?\]`).ReplaceAllString(string(good), `"effort":[]`), "line 3: efforts of 0 players"},
		{"no seats", string(good) + `{"number":7}` + "\n", "line 5: seating []"},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(path, []byte(test.data), 0o600))
			_, err := logged(t, path, m)
			require.ErrorContains(t, err, test.want)
			require.Equal(t, test.data, string(readFile(t, path)))
		})
	}
}

// Two processes cannot append to the same file.
func TestGameLogIsLocked(t *testing.T) {
	game := ticTacToe(t)
	m := Match{Game: game, Players: []player.Factory{player.Must(nil, "random"), player.Must(nil, "random")}, Games: 2, Seed: 5, Workers: 1}
	path := filepath.Join(t.TempDir(), "games.jsonl")
	unlock, err := disk.LockFile(disk.OS{}, path)
	require.NoError(t, err)
	_, err = logged(t, path, m)
	require.ErrorIs(t, err, disk.ErrLocked)
	require.NoError(t, unlock())
	_, err = logged(t, path, m)
	require.NoError(t, err)
}

// TestGameLogOfManyMatches: matches with different players or seeds share a file, and each
// resumes from its own games.
func TestGameLogOfManyMatches(t *testing.T) {
	game := ticTacToe(t)
	path := filepath.Join(t.TempDir(), "games.jsonl")
	var want []Report
	for range 2 {
		for seed := range uint64(3) {
			m := Match{Game: game, Players: []player.Factory{player.Must(nil, "random"), player.Must(nil, "random")}, Games: 4, Seed: seed, Workers: 1}
			report, err := logged(t, path, m)
			require.NoError(t, err)
			want = append(want, report)
		}
		require.Equal(t, 1+3+12, bytes.Count(readFile(t, path), []byte("\n")))
	}
	for i := range 3 {
		requireSameReport(t, want[i], want[i+3])
	}
}
