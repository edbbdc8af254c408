#!/bin/sh
# Installs packages of npm in a folder of .cache, unless these versions are there:
#
#	sh scripts/npm.sh FOLDER PACKAGE@VERSION...
#
# Scripts of the packages do not run. Needs node and npm.
set -eu
cd "$(dirname "$0")/.."
folder=.cache/$1
shift
for package in "$@"; do
	if ! grep -q "\"version\": \"${package##*@}\"" "$folder/node_modules/${package%@*}/package.json" 2>/dev/null; then
		mkdir -p "$folder"
		echo '*' >.cache/.gitignore
		exec npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund --loglevel=error "$@"
	fi
done
