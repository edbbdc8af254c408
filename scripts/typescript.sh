#!/bin/sh
# Checks the types of web/src with TypeScript, and installs TypeScript (24 MB) in
# .cache/typescript if necessary. Needs node and npm.
set -eu
version=5.9.3
cd "$(dirname "$0")/.."
folder=.cache/typescript
if ! grep -q "\"version\": \"$version\"" "$folder/node_modules/typescript/package.json" 2>/dev/null; then
	mkdir -p "$folder"
	echo '*' >.cache/.gitignore
	npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund --loglevel=error "typescript@$version"
fi
node "$folder/node_modules/typescript/bin/tsc" -p web/src
