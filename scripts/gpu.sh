#!/bin/sh
# Measures a graphics card in a few minutes, for docs/PERFORMANCE.md:
#   sh scripts/gpu.sh bin/tiro [opencl:1]
# It builds nothing. It prints the speeds of the reference networks as rows of a table, then
# self-play of Coerceo and a generation, each on the processor and on the card. GAMES is the
# number of games of self-play (2048).
set -eu
tiro=${1:?usage: gpu.sh TIRO [BACKEND]} card=${2:-opencl} games=${GAMES:-2048}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

"$tiro" bench coerceo --backend "$card" --seconds 1 --games "$games" >"$out/card" 2>"$out/log" || { cat "$out/log"; exit 1; }
head -n 1 "$out/card"
awk '
	function human(n) { return n >= 1e6 ? sprintf("%.2fM", n / 1e6) : sprintf("%.0fk", n / 1e3) }
	$4 ~ /^(ref|big)/ { key = $1 " " $4; row[key] = row[key] (row[key] == "" ? "" : " / ") human($2) }
	END {
		print "| | ref5 | ref9 | big9 |"
		print "|---|--:|--:|--:|"
		print "| evals/s, batch 256 / 2,048 / 8,192 | " row["network ref5,"] " | " row["network ref9,"] " | " row["network big9,"] " |"
		print "| samples/s of training, batch 256 / 2,048 | " row["training ref5,"] " | " row["training ref9,"] " | " row["training big9,"] " |"
	}' "$out/card"

# The processor plays with the shipped settings and with the same number of games as the card.
grep ^self-play "$out/card"
for n in $((games / 16)) "$games"; do
	"$tiro" bench coerceo --seconds 0.01 --games "$n" 2>"$out/log" | grep ^self-play || { cat "$out/log"; exit 1; }
done

for backend in "" "$card"; do
	"$tiro" train coerceo --run "$out/run" --generations 1 --plain --set games_per_generation=$((games / 4)) --set memory=0 --set disk=0 \
		${backend:+--backend "$backend"} >/dev/null 2>"$out/log" || { tail "$out/log"; exit 1; }
	echo "a generation of $((games / 4)) games, ${backend:-processor}:"
	tr ',{' '\n\n' <"$out/run/metrics.jsonl" | grep -E '^"(seconds|selfplay_seconds|learn_seconds|evaluations_per_second)"'
	rm -rf "$out/run"
done
