#!/bin/sh
# Installs axe-core (3 MB) in .cache/axe, unless it is there. The tests of web use it to check
# that the pages are accessible with a keyboard or a screen reader. Needs node and npm.
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
