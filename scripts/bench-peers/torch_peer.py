"""A contender of bench-peers: training steps in PyTorch on the CPU.

python3 torch_peer.py JOB
"""

import json
import sys
import time

import torch
from torch import nn
from torch.nn import functional

job = json.loads(sys.argv[1])
torch.set_num_threads(job["threads"])
torch.manual_seed(1)


class Network(nn.Module):
    """The network of package net, without pooling and hidden layer."""

    def __init__(self, planes, side, policy, outcome, width, blocks, heads):
        super().__init__()

        def board(channels):
            return nn.Conv2d(channels, width, 3, padding=1)

        self.stem = board(planes)
        self.blocks = nn.ModuleList(nn.ModuleList((board(width), board(width))) for _ in range(blocks))
        self.policy = nn.Conv2d(width, policy, 1)
        self.heads = nn.Conv2d(width, heads, 1)
        self.outcome = nn.Linear(heads * side * side, outcome)

    def forward(self, x):
        h = self.stem(x).relu()
        for first, second in self.blocks:
            h = (h + second(first(h).relu())).relu()
        return self.policy(h).flatten(1), self.outcome(self.heads(h).relu().flatten(1))


def cross_entropy(logits, target):
    return -(target * functional.log_softmax(logits, 1)).sum(1).mean()


shape = [job[key] for key in ("planes", "side", "policy", "outcome", "width", "blocks", "heads")]
layout = {"memory_format": torch.channels_last}  # the faster one
network = Network(*shape).to(**layout)
optimizer = torch.optim.Adam(network.parameters(), 1e-3)
x = torch.randn(job["batch"], job["planes"], job["side"], job["side"]).to(**layout)
policies = functional.normalize(torch.rand(job["batch"], job["policy"] * job["side"] ** 2), 1)
outcomes = functional.normalize(torch.rand(job["batch"], job["outcome"]), 1)


def step():
    policy, outcome = network(x)
    loss = cross_entropy(policy, policies) + cross_entropy(outcome, outcomes)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()


for _ in range(2048 // job["batch"]):
    step()
print("ready", flush=True)
for line in sys.stdin:
    seconds, steps = float(line), 0
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        step()
        steps += 1
    print(steps * job["batch"], time.perf_counter() - start, flush=True)
