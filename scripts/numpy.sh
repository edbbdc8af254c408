#!/bin/sh
# Installs Debian's package of NumPy, which the Python programs of docs/export need, unless a
# python3 has it. Needs permission to run apt-get.
set -eu
for python in python3 /usr/bin/python3; do
	if "$python" -c 'import numpy' 2>/dev/null; then
		exit 0
	fi
done
apt-get install --yes --no-install-recommends python3-numpy
/usr/bin/python3 -c 'import numpy'
