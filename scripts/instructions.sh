#!/bin/sh
# Counts the instructions of the benchmarks in scripts/instructions.txt and fails if a count has
# grown by more than a tenth. Unlike times, the counts do not depend on the machine's load. With
# an argument, the script rewrites the file instead.
set -eu
cd "$(dirname "$0")/.."
[ "$(go env GOARCH)" = amd64 ] || { echo "instructions are recorded for amd64 only"; exit 1; }

record=scripts/instructions.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# instructions TEST BENCHMARK N counts the instructions of the whole program with N iterations, in
# one thread, without preemption, garbage collection and RDTSCP, which valgrind does not know on
# every machine.
instructions() {
	if ! GODEBUG=asyncpreemptoff=1,cpu.rdtscp=off GOGC=off GOMAXPROCS=1 valgrind --tool=callgrind --callgrind-out-file=/dev/null \
		"$1" -test.run '^$' -test.cpu 1 -test.bench "^$(echo "$2" | sed 's,/,$/^,g')\$" -test.benchtime "$3x" >"$work/out" 2>&1 ||
		! grep -q ^Benchmark "$work/out"; then # no benchmark has this name
		head -n 20 "$work/out" >&2
		return 1
	fi
	sed -n 's/.*Collected : //p' "$work/out"
}

failed=0
while read -r package benchmark iterations before; do
	case $package in '#'*) echo "$package $benchmark $iterations $before" >>"$work/new" && continue ;; esac
	test=$work/$(echo "$package" | tr / _).test
	[ -e "$test" ] || go test -c -o "$test" "./$package"
	once=$(instructions "$test" "$benchmark" 1)
	more=$(instructions "$test" "$benchmark" $((iterations + 1)))
	now=$(((more - once) / iterations))
	echo "$package $benchmark $iterations $now" >>"$work/new"
	echo "$package $benchmark: $now instructions, $before before"
	[ "$((now * 10))" -le "$((before * 11))" ] || failed=1
done <"$record"
if [ $# -gt 0 ]; then
	cp "$work/new" "$record"
elif [ "$failed" = 1 ]; then
	echo "More than a tenth above $record. If this is intended, run sh scripts/instructions.sh update and give the reason in the commit."
	exit 1
fi
