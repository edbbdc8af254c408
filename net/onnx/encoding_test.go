package onnx_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
	"tiro/net"
	"tiro/net/onnx"
)

// encodingOf returns a game and its encoding.
func encodingOf(t *testing.T, name string) (env.Game, onnx.Encoding) {
	game, err := games.New(name)
	require.NoError(t, err)
	w := net.NewWeights(game.Spec(), net.Config{Channels: 1, OutcomeChannels: 1}, env.NewRand(1))
	return game, onnx.NewEncoding(game, w)
}

func TestEncoding(t *testing.T) {
	_, e := encodingOf(t, "coerceo")
	require.Equal(t, []string{"White", "Black"}, e.Seats)
	require.Equal(t, []any{"batch", 86, 5, 5}, e.Input.Shape)
	require.Len(t, e.Input.Planes, 86)
	require.Len(t, e.Policy.Planes, 22)
	require.Equal(t, []string{"the player to move wins", "the following player wins", "draw"}, e.Outcome.Classes)
	require.Equal(t, "c3", e.Cells[0][12])
	require.Equal(t, "c3", e.Cells[1][12])
	require.Equal(t, e.Cells[0][4+5*4-2], e.Cells[1][2], "Black's board is rotated")
	require.Equal(t, "xa3e", e.Policy.Names[1][20*25+4], "field 4 of the mover's frame is field 1, e, of White's")

	_, e = encodingOf(t, "connect4")
	require.Len(t, e.Policy.Names, 1, "the same for both seats")
	require.Equal(t, "4", e.Policy.Names[0][10])
	require.Equal(t, []int{6, 5, 4, 3, 2, 1, 0}, e.Symmetries[1].Cells[:7])
	require.Empty(t, e.Brief().Policy.Names)
	require.NotEmpty(t, e.Policy.Names)

	_, e = encodingOf(t, "pacru:players=4")
	require.Equal(t, []string{
		"the player to move wins", "the following player wins", "player 2 after the one to move wins", "player 3 after the one to move wins", "draw",
	}, e.Outcome.Classes)
	require.Len(t, e.Symmetries, 8)
}

// TestWriteEncoding: the written encoding is read back, and each list is on one line.
func TestWriteEncoding(t *testing.T) {
	for _, name := range []string{"connect4", "coerceo", "azacru"} {
		_, e := encodingOf(t, name)
		e.TrainedBy = "tiro train x --set 'a=[1,\n2]' \"[\n1\n]\""
		var text bytes.Buffer
		require.NoError(t, e.Write(&text))
		want, err := json.Marshal(e)
		require.NoError(t, err)
		require.JSONEq(t, string(want), text.String())
		// Each plane is a line.
		require.Less(t, bytes.Count(text.Bytes(), []byte("\n"))-len(e.Input.Planes), 350)
	}
}

// TestSymmetriesOfEncoding: the short form of symmetries agrees with the games'.
func TestSymmetriesOfEncoding(t *testing.T) {
	for _, name := range []string{"connect4", "mnk", "mnk:m=4,n=3,k=3", "coerceo", "shacru:players=3", "azacru", "pacru"} {
		game, e := encodingOf(t, name)
		spec := game.Spec()
		all := game.(env.Symmetric).Symmetries()
		require.Len(t, e.Symmetries, len(all), name)
		for n, s := range e.Symmetries {
			for i, from := range all[n].Input {
				require.EqualValues(t, from, s.Planes[i/spec.Cells()]*spec.Cells()+s.Cells[i%spec.Cells()])
			}
			for p := range s.PolicyPlanes {
				for c := range s.Cells {
					original := s.PolicyPlanes[p]*spec.Cells() + s.Cells[c]
					require.EqualValues(t, p*spec.Cells()+c, all[n].Action[original])
				}
			}
		}
	}
}

// TestEncodingInMetadata: the model's metadata describes its planes.
func TestEncodingInMetadata(t *testing.T) {
	game, e := encodingOf(t, "connect4")
	e.TrainedBy, e.Generation = "tiro train connect4", 7
	w := net.NewWeights(game.Spec(), net.Config{Channels: 1, OutcomeChannels: 1}, env.NewRand(1))
	var model bytes.Buffer
	require.NoError(t, onnx.Write(&model, w, onnx.Options{Encoding: &e}))
	for _, entry := range fields(t, model.Bytes(), 14) {
		if string(fields(t, entry, 1)[0]) != "encoding" {
			continue
		}
		var got onnx.Encoding
		require.NoError(t, json.Unmarshal(fields(t, entry, 2)[0], &got))
		require.Equal(t, e.Input.Planes, got.Input.Planes)
		require.Equal(t, e.Symmetries, got.Symmetries)
		require.Equal(t, "tiro train connect4", got.TrainedBy)
		require.Empty(t, got.Cells)
		return
	}
	t.Fatal("no entry with this name")
}
