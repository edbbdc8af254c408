// Plays Connect Four with a network of tiro, without a search. connect4-node.mjs and
// connect4.html use it in node and in a browser.

const width = 7, height = 6;

// position returns the stones after moves such as '4453': for each cell, row by row from the
// bottom, the player whose stone is there, or -1.
export function position(moves) {
  const board = new Array(width * height).fill(-1);
  [...moves].forEach((move, ply) => {
    const cell = landing(board, Number(move) - 1);
    if (cell < 0) throw new Error(`${moves}: move ${ply + 1}, ${move}, is not legal`);
    board[cell] = ply % 2;
  });
  return board;
}

const turn = board => board.filter(stone => stone >= 0).length % 2;

// landing returns the cell where a stone in the column lands, or -1 if the column is full.
function landing(board, column) {
  for (let row = 0; row < height; row++) {
    if (board[row * width + column] === -1) return row * width + column;
  }
  return -1;
}

const on = (board, row, column) =>
  row >= 0 && row < height && column >= 0 && column < width ? board[row * width + column] : -1;

// makesFour reports whether a player's stone on an empty cell would make four in a row.
function makesFour(board, cell, player) {
  const row = Math.floor(cell / width), column = cell % width;
  return [[0, 1], [1, 0], [1, 1], [1, -1]].some(([up, right]) => {
    let count = 1;
    for (const sign of [-1, 1]) {
      for (let n = 1; on(board, row + sign * n * up, column + sign * n * right) === player; n++) count++;
    }
    return count >= 4;
  });
}

// encode writes the planes of connect4.onnx.json from the view of the player to move.
function encode(board, planes) {
  const me = turn(board), cells = width * height;
  board.forEach((stone, cell) => {
    const empty = stone === -1;
    [
      stone === me, stone === 1 - me, empty && landing(board, cell % width) === cell, true,
      empty && makesFour(board, cell, me), empty && makesFour(board, cell, 1 - me),
      Math.floor(cell / width) % 2 === 0, me === 0,
    ].forEach((set, plane) => { planes[plane * cells + cell] = set ? 1 : 0; });
  });
}

function softmax(logits) {
  const top = Math.max(...logits), e = logits.map(x => Math.exp(x - top)), sum = e.reduce((a, b) => a + b);
  return e.map(x => x / sum);
}

// decode returns the best move, the probability of each legal move, and the probability of each
// result (the first player wins, the second one wins, a draw).
function decode(board, policy, outcome) {
  const cells = [...Array(width).keys()].map(column => landing(board, column)).filter(cell => cell >= 0);
  const chances = softmax(cells.map(cell => policy[cell]));
  const priors = Object.fromEntries(cells.map((cell, i) => [cell % width + 1, chances[i]]));
  const [mover, other, draw] = softmax([...outcome]);
  return {
    best: Object.keys(priors).reduce((a, b) => (priors[b] > priors[a] ? b : a)), priors,
    outcome: turn(board) === 0 ? [mover, other, draw] : [other, mover, draw],
  };
}

// think returns the network's output for the positions after the given moves. ort is ONNX Runtime.
export async function think(ort, session, games) {
  const boards = games.map(position), inputs = 8 * width * height;
  const x = new Float32Array(games.length * inputs);
  boards.forEach((board, i) => encode(board, x.subarray(i * inputs, (i + 1) * inputs)));
  const { policy, outcome } = await session.run({
    observation: new ort.Tensor('float32', x, [games.length, 8, height, width]),
  });
  return boards.map((board, i) => ({
    moves: games[i],
    ...decode(board, policy.data.slice(i * 42, (i + 1) * 42), outcome.data.slice(i * 3, (i + 1) * 3)),
  }));
}
