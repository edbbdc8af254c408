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

// lines are the lines of four cells.
const lines = [[0, 1], [1, 0], [1, 1], [1, -1]].flatMap(([up, right]) =>
  [...Array(width * height).keys()].map(cell => [0, 1, 2, 3].map(n => {
    const row = Math.floor(cell / width) + n * up, column = cell % width + n * right;
    return row < height && column >= 0 && column < width ? row * width + column : -1;
  })).filter(line => !line.includes(-1)));

// encode writes the planes of connect4.onnx.json from the view of the player to move.
function encode(board, planes) {
  const me = turn(board), cells = width * height;
  const plane = number => planes.subarray(number * cells, (number + 1) * cells);
  board.forEach((stone, cell) => {
    [
      stone === me, stone === 1 - me, landing(board, cell % width) === cell, true,
      false, false, Math.floor(cell / width) % 2 === 0, me === 0,
    ].forEach((set, number) => { plane(number)[cell] = set ? 1 : 0; });
  });
  for (const line of lines) {
    const empty = line.filter(cell => board[cell] === -1);
    for (const [side, player] of [me, 1 - me].entries()) {
      const stones = line.filter(cell => board[cell] === player).length;
      if (stones + empty.length < 4) continue;
      for (const cell of empty) {
        if (stones === 3) plane(4 + side)[cell] = 1;
        plane(8 + side)[cell] += [1 / 16, 1 / 4, 1, 0][stones];
      }
    }
  }
  followUp(board, plane(4 + me)).forEach((sure, player) => plane(player === me ? 10 : 11).fill(sure));
}

// followUp returns for each player 1 if it wins by answering every stone in pairs of cells, 1/2 if
// it draws or wins, and 0 if neither is certain. The threats are cells that make four for the first
// player. Which cells a player gets is explained in env/connect4/position.go, at followUp.
function followUp(board, threats) {
  const hasFour = gets => lines.some(line => line.every(gets));
  const row = cell => Math.floor(cell / width), free = (cell, parity) => board[cell] === -1 && row(cell) % 2 === parity;
  const contested = cell => free(cell, 1) && landing(board, cell % width) === cell;
  if (!hasFour(cell => board[cell] === 0 || free(cell, 0) || contested(cell))) {
    return [0, hasFour(cell => board[cell] === 1 || free(cell, 1) && !contested(cell)) ? 1 : 0.5];
  }
  for (let column = 0; column < width && turn(board) === 1; column++) {
    const waiting = [0, 2, 4].find(up => threats[up * width + column] === 1), next = landing(board, column);
    if (waiting === undefined || next < 0 || !contested(next)) continue;
    if (!hasFour(cell => board[cell] === 1
      || (cell % width === column ? free(cell, 1) && row(cell) < waiting : free(cell, 0) || contested(cell)))) {
      return [1, 0];
    }
  }
  return [0, 0];
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
  const boards = games.map(position), inputs = 12 * width * height;
  const x = new Float32Array(games.length * inputs);
  boards.forEach((board, i) => encode(board, x.subarray(i * inputs, (i + 1) * inputs)));
  const { policy, outcome } = await session.run({
    observation: new ort.Tensor('float32', x, [games.length, 12, height, width]),
  });
  return boards.map((board, i) => ({
    moves: games[i],
    ...decode(board, policy.data.slice(i * 42, (i + 1) * 42), outcome.data.slice(i * 3, (i + 1) * 3)),
  }));
}
