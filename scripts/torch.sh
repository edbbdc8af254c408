#!/bin/sh
# Installs Debian's package of PyTorch, with which bench-peers compares, unless it is there. Needs
# permission to run apt-get.
set -eu
if /usr/bin/python3 -c 'import torch' 2>/dev/null; then
	exit 0
fi
apt-get install --yes --no-install-recommends python3-torch
/usr/bin/python3 -c 'import torch'
