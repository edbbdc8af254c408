package coerceo

// A set of tiles is a mask of 30 bits, six per row. One column is a gap, so that a step to a
// neighbour is a rotation of the mask by a constant and never wraps around an edge onto the
// board: a tile that leaves the board lands on an unused bit.
//
//	 y   bits, x = -2 … 2               tiles
//	 2   24 25 26  .  .                 a3 b4 c5
//	 1   18 19 20 21  .                 a2 b3 c4 d4
//	 0   12 13 14 15 16                 a1 b2 c3 d3 e3
//	-1    . 7  8  9  10                    b1 c2 d2 e2
//	-2    .  .  2  3  4                       c1 d1 e1
//
// The bits are in the tiles' index order of the rules (1.2).
const (
	side      = 5           // rows and columns of the network's grid
	stride    = side + 1    // bits per row of a mask
	gridCells = side * side // cells of the network's grid
	maskBits  = 32
	tileCount = 19
)

// direction is an axial step. directions lists the six of 1.1, clockwise from the top.
type direction struct{ x, y int }

var directions = [6]direction{{0, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, 0}, {-1, 1}}

// step holds the rotation of a mask for one step in each direction.
var step = func() (s [6]int) {
	for k, d := range directions {
		s[k] = d.y*stride + d.x
	}
	return s
}()

// geometry holds the properties of single tiles that follow from 1.1 and 1.2.
type geometry struct {
	board uint32              // all 19 tiles
	bit   [tileCount]uint8    // the tile's bit by index
	name  [maskBits]string    // the tile's name by bit, "" off the board
	ring  [maskBits]uint32    // the neighbours by bit
	cell  [2][maskBits]uint8  // grid cell by colour of the mover and bit, in the mover's frame
	of    [2][gridCells]uint8 // bit by colour of the mover and grid cell; gap bits represent no tile
}

var geo = newGeometry()

func newGeometry() *geometry {
	g := &geometry{}
	index := 0
	for y := -2; y <= 2; y++ {
		for x := -2; x <= 2; x++ {
			b, cell := bitAt(x, y), (y+2)*side+x+2
			g.cell[White][b], g.of[White][cell] = uint8(cell), b
			g.cell[Black][b], g.of[Black][gridCells-1-cell] = uint8(gridCells-1-cell), b
			if !onBoard(x, y) {
				continue
			}
			g.board |= 1 << b
			g.bit[index] = b
			g.name[b] = string([]byte{"abcde"[x+2], byte('0' + y + 3 + min(x, 0))})
			for _, d := range directions {
				if onBoard(x+d.x, y+d.y) {
					g.ring[b] |= 1 << bitAt(x+d.x, y+d.y)
				}
			}
			index++
		}
	}
	return g
}

func onBoard(x, y int) bool {
	return max(x, -x) <= 2 && max(y, -y) <= 2 && max(x+y, -x-y) <= 2
}

func bitAt(x, y int) uint8 { return uint8((y+2)*stride + x + 2) }

// fieldName returns the name of field f on the tile of bit b (1.3).
func fieldName(f, b uint8) string { return geo.name[b] + "fedcba"[f:f+1] }

// loose is the set of neighbour patterns in which an empty tile is removable (4.1, R9). Bit
// n is set if the neighbours in pattern n (see around) form one unbroken run of at most
// three, or if there are none.
var loose = func() (set uint64) {
	place := [6]int{5, 3, 1, 0, 2, 4} // of direction k in a pattern
	for n := range 64 {
		count, runs := 0, 0
		for k := range 6 {
			here, before := n>>place[k]&1, n>>place[(k+5)%6]&1
			count += here
			runs += here &^ before
		}
		if count <= 3 && runs <= 1 {
			set |= 1 << n
		}
	}
	return set
}()

// around returns the pattern of the neighbours of bit b in the mask tiles: S, SE, SW, NE,
// NW, N from the lowest bit up, in the order of the mask.
func around(tiles uint32, b uint8) uint32 {
	x := uint32(uint64(tiles) << stride >> b)
	return x&3 | x>>3&4 | x>>4&8 | x>>7&48
}
