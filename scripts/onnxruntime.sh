#!/bin/sh
# Installs the ONNX Runtime that the tests of net/onnx compare with into
# .cache/onnxruntime (290 MB), once. Needs node and npm.
set -eu
version=1.30.0
cd "$(dirname "$0")/.."
folder=.cache/onnxruntime
if grep -q "\"version\": \"$version\"" "$folder/node_modules/onnxruntime-node/package.json" 2>/dev/null; then
	exit 0
fi
mkdir -p "$folder"
echo '*' >.cache/.gitignore
# Without its post-install script, which downloads libraries for GPUs; the
# package itself holds the one for CPUs.
npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund --loglevel=error "onnxruntime-node@$version"
