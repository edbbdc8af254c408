//go:build linux

// Command bench-peers measures the networks of this project against ONNX
// Runtime and PyTorch, side by side, and prints by how much ours is faster:
//
//	ref5 infer batch=64 threads=1: 1.07 x onnxruntime
//	ref9 train batch=256 threads=1: 0.95 x torch
//	ref9 train batch=256 threads=2: 1.90 x one thread
//
// Run it from the project's folder, through make bench-peers, on a quiet
// machine: peers that wait for each other by spinning suffer most from a busy
// one. Absolute speeds mean little, and drift where machines are shared. So every
// contender is a process of its own, pinned to the same CPUs (taskset) and told
// its number of threads (GOMAXPROCS, intraOpNumThreads, OMP_NUM_THREADS). They
// warm up and then take turns, a fraction of a second each, while the others
// wait; each turn gives a ratio to ours just before it, and the line shows the
// median.
//
// ONNX Runtime runs the model that net/onnx writes of our weights. PyTorch
// learns the same network written in its own terms, with the same loss and its
// own Adam. A contender that is not installed is left out, loudly; make
// bench-peers installs both where it can.
//
// The networks are ref5 (5x5 cells, 42 policy planes) and ref9 (9x9 cells, 71
// policy planes), both with 16 observation planes, 64 channels, 4 residual
// blocks, no pooling, 4 outcome channels, no hidden layer and two players.
package main
