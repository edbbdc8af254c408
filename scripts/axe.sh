#!/bin/sh
# Installs axe-core, by which the tests of web check what the pages are to those who
# use a keyboard or a screen reader, into .cache/axe (3 MB), once. Needs node and npm.
set -eu
version=4.10.2
cd "$(dirname "$0")/.."
folder=.cache/axe
if grep -q "\"version\": \"$version\"" "$folder/node_modules/axe-core/package.json" 2>/dev/null; then
	exit 0
fi
mkdir -p "$folder"
echo '*' >.cache/.gitignore
npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund --loglevel=error "axe-core@$version"
