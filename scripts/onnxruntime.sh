#!/bin/sh
# Installs the ONNX Runtime that exported networks are compared with into
# .cache/onnxruntime, for node and for browsers (430 MB), once. Needs node and npm.
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
# Without its post-install script, which downloads libraries for GPUs; the
# package itself holds the one for CPUs.
npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund --loglevel=error "onnxruntime-node@$version" "onnxruntime-web@$version"
