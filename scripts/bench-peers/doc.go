//go:build linux

// Command bench-peers measures the networks of this project against ONNX Runtime and
// PyTorch, side by side, and prints by how much ours is faster:
//
//	ref5 infer batch=64 threads=1: 1.07 x onnxruntime
//	ref9 train batch=256 threads=1: 0.95 x torch
//	ref9 train batch=256 threads=2: 1.90 x one thread
//
// Run it from the project's folder, with make bench-peers, on a quiet machine: peers
// that wait for each other by spinning suffer most on a busy one. Absolute speeds say
// little, and drift on shared machines. So every contender is a process of its own,
// pinned to the same CPUs (taskset) and told its number of threads (GOMAXPROCS,
// intraOpNumThreads, OMP_NUM_THREADS). The contenders warm up and then take turns of a
// fraction of a second. Each turn gives a ratio to our turn just before it, and the line
// shows the median of the ratios.
//
// ONNX Runtime runs the model that net/onnx exports of our weights. PyTorch trains the same
// network, written in its own terms, with the same loss and its own Adam. A peer that is
// not installed is reported and left out; make bench-peers installs both where it can.
//
// The networks are ref5 (5x5 cells, 42 policy planes) and ref9 (9x9 cells, 71 policy
// planes), both with 16 observation planes, 64 channels, 4 residual blocks, no pooling, 4
// outcome channels, no hidden layer and two players.
package main
