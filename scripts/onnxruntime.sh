#!/bin/sh
# Installs ONNX Runtime for node and browsers (430 MB) in .cache/onnxruntime, unless it is there.
# Tests compare exported networks with it. Needs node and npm.
set -eu
version=1.30.0
cd "$(dirname "$0")/.."
folder=.cache/onnxruntime
installed=yes
for package in onnxruntime-node onnxruntime-web; do
	grep -q "\"version\": \"$version\"" "$folder/node_modules/$package/package.json" 2>/dev/null || installed=no
done
if [ "$installed" = yes ]; then
	exit 0
fi
mkdir -p "$folder"
echo '*' >.cache/.gitignore
# The post-install script is skipped, because it downloads libraries for GPUs. The package
# contains the library for CPUs.
npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund --loglevel=error "onnxruntime-node@$version" "onnxruntime-web@$version"
