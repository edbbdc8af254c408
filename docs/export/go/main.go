// Command connect4 plays Connect Four with a network of tiro, without a search:
//
//	tiro export bundled:connect4 --onnx connect4.onnx
//	go build -o connect4 .
//	echo 4453 | ONNXRUNTIME=libonnxruntime.so ./connect4 connect4.onnx
//
// ONNXRUNTIME is the path of ONNX Runtime's library, from its releases. Each line of standard
// input is the moves of a game so far; for each, the program prints a line of JSON.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"os"
	"slices"

	ort "github.com/yalue/onnxruntime_go"
)

const (
	width, height = 7, 6
	cells         = width * height
	planes        = 8
	results       = 3
	empty         = -1
)

// board has the player whose stone is on each cell, row by row from the bottom.
type board [cells]int

// position returns the board after moves such as 4453, and the player to move.
func position(moves string) (b board, turn int, err error) {
	for i := range b {
		b[i] = empty
	}
	for ply, move := range moves {
		cell := -1
		if move >= '1' && move < '1'+width {
			cell = b.landing(int(move - '1'))
		}
		if cell < 0 {
			return b, 0, fmt.Errorf("%s: move %d, %c, is not legal", moves, ply+1, move)
		}
		b[cell] = ply % 2
	}
	return b, len(moves) % 2, nil
}

// landing returns the cell where a stone in the column lands, or -1 if the column is full.
func (b *board) landing(column int) int {
	for cell := column; cell < cells; cell += width {
		if b[cell] == empty {
			return cell
		}
	}
	return -1
}

// makesFour reports whether a player's stone on an empty cell would make four in a row.
func (b *board) makesFour(cell, player int) bool {
	for _, line := range [][2]int{{0, 1}, {1, 0}, {1, 1}, {1, -1}} {
		count := 1
		for _, sign := range []int{-1, 1} {
			r, c := cell/width, cell%width
			for {
				r, c = r+sign*line[0], c+sign*line[1]
				if r < 0 || r >= height || c < 0 || c >= width || b[r*width+c] != player {
					break
				}
				count++
			}
		}
		if count >= 4 {
			return true
		}
	}
	return false
}

// encode writes the planes of connect4.onnx.json from the view of the player to move.
func (b *board) encode(me int, x []float32) {
	for cell, stone := range b {
		free := stone == empty
		for plane, set := range [planes]bool{
			stone == me, stone == 1-me, free && b.landing(cell%width) == cell, true,
			free && b.makesFour(cell, me), free && b.makesFour(cell, 1-me), cell/width%2 == 0, me == 0,
		} {
			x[plane*cells+cell] = 0
			if set {
				x[plane*cells+cell] = 1
			}
		}
	}
}

func softmax(logits []float32) []float64 {
	var e []float64
	top, sum := slices.Max(logits), 0.0
	for _, x := range logits {
		e = append(e, math.Exp(float64(x-top)))
		sum += e[len(e)-1]
	}
	for i := range e {
		e[i] /= sum
	}
	return e
}

// answer is the network's output for a position: the best move, the probability of each legal
// move, and the probability of each result (the first player wins, the second one wins, a draw).
type answer struct {
	Moves   string             `json:"moves"`
	Best    string             `json:"best"`
	Priors  map[string]float64 `json:"priors"`
	Outcome []float64          `json:"outcome"`
}

func (b *board) decode(turn int, policy, outcome []float32) answer {
	var names []string
	var logits []float32
	for column := range width {
		if cell := b.landing(column); cell >= 0 {
			names, logits = append(names, fmt.Sprint(column+1)), append(logits, policy[cell])
		}
	}
	a := answer{Priors: map[string]float64{}, Outcome: softmax(outcome)}
	for i, p := range softmax(logits) {
		if a.Priors[names[i]] = p; p > a.Priors[a.Best] {
			a.Best = names[i]
		}
	}
	if turn == 1 { // the player to move comes first in the outcome
		a.Outcome[0], a.Outcome[1] = a.Outcome[1], a.Outcome[0]
	}
	return a
}

// network is a model with its input and outputs for one position.
type network struct {
	session                    *ort.AdvancedSession
	observation, policy, value *ort.Tensor[float32]
}

func open(model string) (*network, error) {
	ort.SetSharedLibraryPath(os.Getenv("ONNXRUNTIME"))
	if err := ort.InitializeEnvironment(); err != nil {
		return nil, err
	}
	var n network
	var err error
	for _, tensor := range []struct {
		to    **ort.Tensor[float32]
		shape ort.Shape
	}{
		{&n.observation, ort.NewShape(1, planes, height, width)}, {&n.policy, ort.NewShape(1, cells)}, {&n.value, ort.NewShape(1, results)},
	} {
		if *tensor.to, err = ort.NewEmptyTensor[float32](tensor.shape); err != nil {
			return nil, err
		}
	}
	n.session, err = ort.NewAdvancedSession(model, []string{"observation"}, []string{"policy", "outcome"},
		[]ort.Value{n.observation}, []ort.Value{n.policy, n.value}, nil)
	return &n, err
}

func run() error {
	n, err := open(os.Args[1])
	if err != nil {
		return err
	}
	lines, out := bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)
	for lines.Scan() {
		b, turn, err := position(lines.Text())
		if err != nil {
			return err
		}
		b.encode(turn, n.observation.GetData())
		if err := n.session.Run(); err != nil {
			return err
		}
		a := b.decode(turn, n.policy.GetData(), n.value.GetData())
		a.Moves = lines.Text()
		if err := out.Encode(a); err != nil {
			return err
		}
	}
	return lines.Err()
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
