#!/bin/sh
# Installs the NumPy that the Python programs of docs/export need, Debian's package, unless
# some python3 has it. Needs apt-get and the right to use it.
set -eu
for python in python3 /usr/bin/python3; do
	if "$python" -c 'import numpy' 2>/dev/null; then
		exit 0
	fi
done
apt-get install --yes --no-install-recommends python3-numpy
/usr/bin/python3 -c 'import numpy'
