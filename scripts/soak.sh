#!/bin/sh
# Trains for some hours and reports how the memory of the process grew:
#
#	scripts/soak.sh HOURS GAME [FLAG…]
#
# With these settings the memory should not grow: the replay window soon has its full size, and
# the number of simulations is constant. Every 20 seconds the script appends resident KiB, file
# descriptors and threads to runs/soak/samples. The report compares the second sixth of the time
# with the last one. Needs Linux.
set -eu
hours=$1 game=$2
shift 2
rm -rf runs/soak && mkdir -p runs/soak
bin/tiro train "$game" --run runs/soak/run --plain --set games_per_generation=16 --set 'generation_schedule=[]' \
	--set replay.window=20000 --set replay.beta=0 --set 'selfplay.simulation_schedule=[]' "$@" >runs/soak/log 2>&1 &
pid=$!
trap 'kill -INT $pid 2>/dev/null || true; wait $pid || true' EXIT INT TERM
end=$(($(date +%s) + hours * 3600))
while [ "$(date +%s)" -lt "$end" ]; do
	sleep 20
	kill -0 $pid || { echo "the training ended early: see runs/soak/log"; exit 1; }
	awk -v files="$(ls /proc/$pid/fd | wc -l)" '/^VmRSS/ {rss = $2} /^Threads/ {print rss, files, $2}' /proc/$pid/status >>runs/soak/samples
done
awk '{rss[NR] = $1; files[NR] = $2}
	END {n = int(NR / 6)
		for (i = 1; i <= n; i++) {a += rss[n + i]; b += rss[NR - n + i]
			if (files[n + i] > before) before = files[n + i]
			if (files[NR - n + i] > after) after = files[NR - n + i]}
		printf "memory %.1f MiB, at the end %.1f MiB (%+.1f%%); files %d, at the end %d\n", a/n/1024, b/n/1024, 100*(b/a-1), before, after}' runs/soak/samples
