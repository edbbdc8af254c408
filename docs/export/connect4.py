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


def makes_four(board, row, column, player):
    """Reports whether a stone of player on an empty cell would make four in a row."""
    for down, right in [(0, 1), (1, 0), (1, 1), (1, -1)]:
        count = 1
        for sign in [-1, 1]:
            r, c = row + sign * down, column + sign * right
            while 0 <= r < HEIGHT and 0 <= c < WIDTH and board[r, c] == player:
                count, r, c = count + 1, r + sign * down, c + sign * right
        if count >= 4:
            return True
    return False


def encode(board):
    """Returns the planes of connect4.onnx.json from the view of the player to move."""
    me = np.count_nonzero(board >= 0) % 2
    planes = np.zeros((8, HEIGHT, WIDTH), np.float32)
    planes[0] = board == me
    planes[1] = board == 1 - me
    planes[3] = 1
    planes[6, 0::2] = 1
    planes[7] = me == 0
    for column in range(WIDTH):
        for row in range(landing_row(board, column), HEIGHT):
            planes[2, row, column] = row == landing_row(board, column)
            planes[4, row, column] = makes_four(board, row, column, me)
            planes[5, row, column] = makes_four(board, row, column, 1 - me)
    return planes


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
    if (about["game"], about["game_version"]) != ("connect4", "2"):
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
