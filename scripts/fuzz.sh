#!/bin/sh
# Runs all fuzz targets and stops at the first failure.
#
#   FUZZTIME  duration of each target (10m)
#   FUZZ      regular expression that selects targets, such as selfplay or FuzzInfo
#   JOBS      number of targets to run in parallel, one per core (1)
#
# The failing input is written to testdata/fuzz in its package. Commit it with the fix: go test
# then runs it every time.
set -eu
cd "$(dirname "$0")/.."
time=${FUZZTIME:-10m} pattern=${FUZZ:-.} jobs=${JOBS:-1}

# With a package and a target as arguments, run this target only.
if [ $# -eq 2 ]; then
	log=$(mktemp)
	trap 'rm -f "$log"' EXIT
	# Minimizing long inputs would take minutes. If a worker is busy when the time is up, go test
	# may fail without a failing input (go.dev/issue/75804).
	if nice go test -timeout 0 "$1" -run '^$' -fuzz "^$2\$" -fuzztime "$time" -fuzzminimizetime 20x -parallel 1 >"$log" 2>&1 ||
		{ grep -q 'context deadline exceeded' "$log" && ! grep -q 'Failing input' "$log"; }; then
		printf 'ok    %-20s %-20s %s\n' "$1" "$2" "$(grep -o 'execs: [0-9]*' "$log" | tail -1)"
		exit 0
	fi
	cat "$log"
	printf 'FAIL  %-20s %s\n' "$1" "$2"
	exit 255 # makes xargs stop
fi

listed=$(go test -list '^Fuzz' ./...) || { echo "$listed" | grep -Ev '^(ok|Fuzz|[?])' >&2; exit 1; }
targets=$(echo "$listed" | awk '/^Fuzz/ { names[n++] = $1 } /^ok/ { for (i = 0; i < n; i++) print $2, names[i]; n = 0 }' | grep -E -- "$pattern") ||
	{ echo "no fuzz target matches $pattern" >&2; exit 1; }
echo "$(echo "$targets" | wc -l) targets, $time each, $jobs at once"
echo "$targets" | xargs -n 2 -P "$jobs" scripts/fuzz.sh || { echo "the input is in testdata/fuzz of the package" >&2; exit 1; }
