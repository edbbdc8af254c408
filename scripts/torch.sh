#!/bin/sh
# Installs the PyTorch that bench-peers compares with, Debian's package, unless
# it is there. Needs apt-get and the right to use it.
set -eu
if /usr/bin/python3 -c 'import torch' 2>/dev/null; then
	exit 0
fi
apt-get install --yes --no-install-recommends python3-torch
/usr/bin/python3 -c 'import torch'
