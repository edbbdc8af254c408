"""Measures the networks of this project against ONNX Runtime and PyTorch, side by side, and
prints by how much ours is faster:

    ref5 infer batch=64 threads=1: 1.07 x onnxruntime
    ref9 train batch=256 threads=1: 0.95 x torch
    ref9 train batch=256 threads=2: 1.90 x one thread

Run it from the project's folder, with make bench-peers, on a quiet machine: peers that wait
for each other by spinning suffer most on a busy one. Absolute speeds say little, and drift on
shared machines. So every contender is a process of its own, pinned to the same CPUs (taskset)
and told its number of threads. The contenders warm up and then take turns of a fraction of a
second. Each turn gives a ratio to our turn just before it, and the line shows the median of
the ratios. A peer that is not installed is reported and left out; make bench-peers installs
both where it can.

A contender gets a job as one JSON argument and prints "ready" when it is warm. For each number
of seconds that it reads, a line each, it works for that long and prints the number of samples
and the seconds that they took.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile

HERE = os.path.dirname(os.path.relpath(__file__))
PEERS = {  # by mode: name, script that installs it, what fails without it, command
    "infer": ("onnxruntime", "scripts/onnxruntime.sh",
              ["node", "-e", "require('./.cache/onnxruntime/node_modules/onnxruntime-node')"],
              ["node", f"{HERE}/onnxruntime.mjs", ".cache/onnxruntime"]),
    "train": ("torch", "scripts/python.sh torch",
              ["/usr/bin/python3", "-c", "import torch"],
              ["/usr/bin/python3", f"{HERE}/torch_peer.py"]),
}


def jobs():
    """Yields what is measured, in the order of the lines."""
    for net in ("ref5", "ref9"):
        for mode, batches in (("infer", (8, 64, 256)), ("train", (256,))):
            for batch in batches:
                for threads in (1, 2):
                    yield {"net": net, "mode": mode, "batch": batch, "threads": threads}


class Contender:
    """A process that does a job on the first CPUs of a list."""

    def __init__(self, name, command, job, cpus):
        self.name, self.speeds, threads = name, [], job["threads"]
        environment = dict(os.environ, GOMAXPROCS=str(threads), OMP_NUM_THREADS=str(threads))
        self.process = subprocess.Popen(
            ["taskset", "-c", ",".join(cpus[:threads]), *command, json.dumps(job)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        if (answer := self.answer()) != "ready":
            raise SystemExit(f"{name} printed {answer!r} instead of ready")

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.name} ended with {self.process.wait()}")
        return line.strip()

    def turn(self, seconds):
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        samples, took = map(float, self.answer().split())
        self.speeds.append(samples / took)

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def measure(job, title, ours, peer, options):
    """Lets ours, the peer and, with several threads, ours with one thread take turns."""
    contenders = [Contender("ours", [ours, "contend"], job, options.cpus)]
    try:
        if peer:
            contenders.append(Contender(peer[0], peer[3], job, options.cpus))
        if job["threads"] > 1:
            contenders.append(Contender("one thread", [ours, "contend"], dict(job, threads=1), options.cpus))
        for _ in range(options.rounds):
            for contender in contenders:
                contender.turn(options.seconds)
    finally:
        for contender in contenders:
            contender.stop()
    for other in contenders[1:]:
        ratio = statistics.median(a / b for a, b in zip(contenders[0].speeds, other.speeds))
        print(f"{title}: {ratio:.2f} x {other.name}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--cpus", type=lambda text: text.split(","), default=["0", "1"],
                        help="CPUs to run on; a line with n threads takes the first n")
    parser.add_argument("--rounds", type=int, default=7, help="turns of each contender")
    parser.add_argument("--seconds", type=float, default=0.4, help="length of a turn")
    parser.add_argument("--only", default="", help="measure only lines that contain this, such as 'ref5 infer'")
    options = parser.parse_args()
    peers = {}
    for mode, peer in PEERS.items():
        if subprocess.run(peer[2], capture_output=True).returncode == 0:
            peers[mode] = peer
        else:
            print(f"\nNOT MEASURED: {peer[0]}; {peer[1]} installs it\n")
    with tempfile.TemporaryDirectory() as folder:
        ours = os.path.join(folder, "ours")
        subprocess.run(["go", "build", "-o", ours, f"./{HERE}"], check=True)
        for job in jobs():
            title = "{net} {mode} batch={batch} threads={threads}".format(**job)
            if options.only not in title or job["threads"] > len(options.cpus):
                continue
            job["model"] = os.path.join(folder, job["net"] + ".onnx")
            exported = subprocess.run([ours, "export", json.dumps(job)], check=True, capture_output=True, text=True)
            measure(json.loads(exported.stdout), title, ours, peers.get(job["mode"]), options)


if __name__ == "__main__":
    main()
