#!/bin/sh
# Runs every fuzz target there is, each for FUZZTIME, and stops at the first
# finding.
#
#   FUZZTIME  how long each runs (10m)
#   FUZZ      a regular expression of what to run, such as selfplay or FuzzInfo
#   JOBS      how many run at once (1), on a core each
#
# A finding is left in its package's testdata/fuzz: commit it with the fix,
# and every go test runs it from then on.
set -eu
cd "$(dirname "$0")/.."
time=${FUZZTIME:-10m} pattern=${FUZZ:-.} jobs=${JOBS:-1}

# With a package and a target: run this one.
if [ $# -eq 2 ]; then
	log=$(mktemp)
	trap 'rm -f "$log"' EXIT
	# Long inputs would take minutes to shorten, which shows nothing new. A
	# worker that is busy when the time is up may make go test fail without a
	# finding (go.dev/issue/75804).
	if nice go test -timeout 0 "$1" -run '^$' -fuzz "^$2\$" -fuzztime "$time" -fuzzminimizetime 20x -parallel 1 >"$log" 2>&1 ||
		{ grep -q 'context deadline exceeded' "$log" && ! grep -q 'Failing input' "$log"; }; then
		printf 'ok    %-20s %-20s %s\n' "$1" "$2" "$(grep -o 'execs: [0-9]*' "$log" | tail -1)"
		exit 0
	fi
	cat "$log"
	printf 'FAIL  %-20s %s\n' "$1" "$2"
	exit 255 # xargs starts no other
fi

listed=$(go test -list '^Fuzz' ./...) || { echo "$listed" | grep -Ev '^(ok|Fuzz|[?])' >&2; exit 1; }
targets=$(echo "$listed" | awk '/^Fuzz/ { names[n++] = $1 } /^ok/ { for (i = 0; i < n; i++) print $2, names[i]; n = 0 }' | grep -E -- "$pattern") ||
	{ echo "no fuzz target matches $pattern" >&2; exit 1; }
echo "$(echo "$targets" | wc -l) targets, $time each, $jobs at once"
echo "$targets" | xargs -n 2 -P "$jobs" scripts/fuzz.sh || { echo "the input is in testdata/fuzz of the package" >&2; exit 1; }
