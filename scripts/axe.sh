#!/bin/sh
# Installs axe-core (3 MB) in .cache/axe, unless it is there. The tests of web use it to check
# that the pages are accessible with a keyboard or a screen reader. Needs node and npm.
exec sh "$(dirname "$0")/npm.sh" axe axe-core@4.10.2
