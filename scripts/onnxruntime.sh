#!/bin/sh
# Installs ONNX Runtime for node and browsers (430 MB) in .cache/onnxruntime, unless it is there.
# Tests compare exported networks with it. Needs node and npm.
#
# npm.sh skips the post-install script, which downloads libraries for GPUs. The package contains
# the library for CPUs.
exec sh "$(dirname "$0")/npm.sh" onnxruntime onnxruntime-node@1.30.0 onnxruntime-web@1.30.0
