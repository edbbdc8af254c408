#!/bin/sh
# Installs Debian's package of a Python module, unless one of these Pythons has the module:
#   sh scripts/python.sh MODULE PYTHON...
# Needs permission to run apt-get.
set -eu
module=$1
shift
for python; do
	if "$python" -c "import $module" 2>/dev/null; then
		exit 0
	fi
done
apt-get update -qq
apt-get install --yes --no-install-recommends "python3-$module"
/usr/bin/python3 -c "import $module"
