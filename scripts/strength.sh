#!/bin/sh
# Plays a model with 200 simulations a move against a free program:
#
#   scripts/strength.sh go [MODEL [GAMES]]               GNU Go 3.8, at its default level
#   scripts/strength.sh othello [MODEL [GAMES [LEVEL]]]  GRhino 0.16, levels 1 to 5 (3, its default)
#
# MODEL is the bundled one (the default) or another network, such as runs/go. A third of the games
# begins with 2 random moves, a third with 3 and a third with 4; each opening is played with both
# colours. The last line is the result of all games. A program that crashes, answers too late or
# plays an illegal move forfeits its game. Both programs come from Debian's packages; apt-get may
# need root.
#
#   TIRO    the program (bin/tiro)
#   SIMS    simulations a move (200)
set -eu
tiro=${TIRO:-bin/tiro} sims=${SIMS:-200} game=${1:-} model=${2:-bundled} games=${3:-102} level=${4:-3}
PATH=$PATH:/usr/games # where Debian has both
case $game in
go) program=gnugo package=gnugo command='gnugo --mode gtp --chinese-rules --capture-all-dead --positional-superko' ;;
othello) program=gtp-rhino package=grhino command="gtp-rhino --level=$level" ;;
*)
	sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
	exit 2
	;;
esac
command -v $program >/dev/null || {
	apt-get update -qq
	apt-get install --yes --no-install-recommends $package
}
case $model in
bundled) player=bundled,sims=$sims ;;
*) player=net:$model,sims=$sims ;;
esac
each=$(((games + 5) / 6 * 2)) reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT
for opening in 2 3 4; do
	"$tiro" match "$game" --a "$player" --b "gtp:$command,timeout=5m" --games $each --opening $opening --seed $opening --json "$reports/$opening.json"
done
# The first of each key is the model's.
awk -v name="$player" -v other="$command" '
	FNR == 1 { split("", seen) }
	{ gsub(/[",:]/, "") }
	$1 ~ /^(wins|draws|losses)$/ && !seen[$1]++ { sum[$1] += $2 }
	END {
		games = sum["wins"] + sum["draws"] + sum["losses"]
		printf "%s against %s: won %d, drew %d, lost %d: %.1f%%\n", name, other, sum["wins"], sum["draws"], sum["losses"], 100 * (sum["wins"] + sum["draws"] / 2) / games
	}' "$reports"/*.json
