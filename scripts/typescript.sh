#!/bin/sh
# Checks the types of web/src with TypeScript, and installs TypeScript (24 MB) in
# .cache/typescript if necessary. Needs node and npm.
set -eu
cd "$(dirname "$0")/.."
sh scripts/npm.sh typescript typescript@5.9.3
node .cache/typescript/node_modules/typescript/bin/tsc -p web/src
