"""Plays Connect Four with a network of tiro, without a search.

    tiro export bundled:connect4 --onnx connect4.onnx
    pip install onnxruntime
    echo 4453 | python3 connect4.py connect4.onnx

Each line of standard input is the moves of a game so far, as columns from 1 to 7. For each, the
program prints a line of JSON with the best move, the probability of each legal move, and the
probability of each result (the first player wins, the second one wins, a draw).
"""

import json
import sys

import numpy as np
import onnxruntime

WIDTH, HEIGHT = 7, 6

# The lines of four cells.
LINES = [
    [(row + n * up, column + n * right) for n in range(4)]
    for up, right in [(0, 1), (1, 0), (1, 1), (1, -1)]
    for row in range(HEIGHT)
    for column in range(WIDTH)
    if row + 3 * up < HEIGHT and 0 <= column + 3 * right < WIDTH
]


def position(moves):
    """Returns the stones after moves, [row from the bottom][column], -1 if empty."""
    board = np.full((HEIGHT, WIDTH), -1)
    for ply, move in enumerate(moves):
        column = int(move) - 1
        if not 0 <= column < WIDTH or landing_row(board, column) == HEIGHT:
            raise ValueError(f"{moves}: move {ply + 1}, {move}, is not legal")
        board[landing_row(board, column), column] = ply % 2
    return board


def landing_row(board, column):
    return int(np.count_nonzero(board[:, column] >= 0))


def encode(board):
    """Returns the planes of connect4.onnx.json from the view of the player to move."""
    me = np.count_nonzero(board >= 0) % 2
    planes = np.zeros((12, HEIGHT, WIDTH), np.float32)
    planes[0] = board == me
    planes[1] = board == 1 - me
    planes[3] = 1
    planes[6, 0::2] = 1
    planes[7] = me == 0
    for column in range(WIDTH):
        if landing_row(board, column) < HEIGHT:
            planes[2, landing_row(board, column), column] = 1
    for line in LINES:
        empty = [cell for cell in line if board[cell] < 0]
        for side, player in enumerate([me, 1 - me]):
            stones = sum(board[cell] == player for cell in line)
            if stones + len(empty) == 4:
                for cell in empty:
                    planes[4 + side][cell] = max(planes[4 + side][cell], stones == 3)
                    planes[8 + side][cell] += [1 / 16, 1 / 4, 1, 0][stones]
    planes[10 + me], planes[11 - me] = follow_up(board, planes[4 + me])
    return planes


def follow_up(board, threats):
    """Returns for each player 1 if it wins by answering every stone in pairs of cells, 1/2 if it
    draws or wins, and 0 if neither is certain. The threats are cells that make four for the first
    player. Which cells a player gets is explained in env/connect4/position.go, at followUp."""

    def has_four(gets):
        return any(all(gets(*cell) for cell in line) for line in LINES)

    def free(row, column, parity):
        return board[row, column] < 0 and row % 2 == parity

    contested = [(landing_row(board, c), c) for c in range(WIDTH) if landing_row(board, c) % 2 == 1]
    if not has_four(lambda r, c: board[r, c] == 0 or free(r, c, 0) or (r, c) in contested):
        wins = has_four(lambda r, c: board[r, c] == 1 or free(r, c, 1) and (r, c) not in contested)
        return 0, 1 if wins else 0.5
    if np.count_nonzero(board >= 0) % 2 == 1:
        for _, column in contested:
            waiting = [row for row in range(0, HEIGHT, 2) if threats[row, column]]
            if waiting and not has_four(
                lambda r, c: board[r, c] == 1
                or (free(r, c, 1) and r < waiting[0] if c == column else free(r, c, 0) or (r, c) in contested)
            ):
                return 1, 0
    return 0, 0


def softmax(logits):
    e = np.exp(logits - np.max(logits))
    return e / e.sum()


def decode(board, policy, outcome):
    """Returns the best move and the probabilities of the legal moves and of the results."""
    columns = [c for c in range(WIDTH) if landing_row(board, c) < HEIGHT]
    actions = [landing_row(board, c) * WIDTH + c for c in columns]
    priors = {str(c + 1): float(p) for c, p in zip(columns, softmax(policy[actions]))}
    mover, other, draw = softmax(outcome).tolist()
    if np.count_nonzero(board >= 0) % 2 == 1:
        mover, other = other, mover
    return max(priors, key=priors.get), priors, [mover, other, draw]


def main():
    session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
    about = session.get_modelmeta().custom_metadata_map
    if (about["game"], about["game_version"]) != ("connect4", "3"):
        sys.exit(f"{sys.argv[1]} is for {about['game']}, version {about['game_version']}")
    games = sys.stdin.read().splitlines()
    for start in range(0, len(games), 64):
        batch = games[start : start + 64]
        boards = [position(moves) for moves in batch]
        x = np.stack([encode(board) for board in boards])
        policy, outcome = session.run(["policy", "outcome"], {"observation": x})
        for i, moves in enumerate(batch):
            best, priors, chances = decode(boards[i], policy[i], outcome[i])
            print(json.dumps({"moves": moves, "best": best, "priors": priors, "outcome": chances}))


main()
