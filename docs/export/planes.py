"""Evaluates positions of any game with a network of tiro; tiro encodes the positions.

    tiro export bundled:coerceo --onnx coerceo.onnx
    pip install onnxruntime
    echo '{"moves":["a1a-a1e"]}' | tiro moves coerceo --planes --model bundled | python3 planes.py coerceo.onnx

For each position, the program prints a line of JSON with the best action, the probability of
each legal action, and the probability of each result (a win of each seat, a draw).
"""

import json
import sys

import numpy as np
import onnxruntime


def softmax(logits):
    e = np.exp(logits - np.max(logits))
    return e / e.sum()


session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
for line in sys.stdin:
    seen = json.loads(line)
    if "error" in seen or not seen["actions"]:
        print(line, end="")
        continue
    x = np.array([seen["planes"]], np.float32)
    policy, outcome = session.run(["policy", "outcome"], {"observation": x})
    legal = [a["action"] for a in seen["actions"]]
    names = [a["move"] for a in seen["actions"]]
    priors = dict(zip(names, softmax(policy[0][legal]).tolist()))
    *wins, draw = softmax(outcome[0]).tolist()
    by_seat = [wins[(seat - seen["turn"]) % len(wins)] for seat in range(len(wins))]
    print(json.dumps({"best": max(priors, key=priors.get), "priors": priors, "outcome": by_seat + [draw]}))
