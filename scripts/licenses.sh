#!/bin/sh
# Writes the licences of Tiro, of Go and of every module that is linked into tiro, on any system that
# it is built for, to standard output:
#
#	scripts/licenses.sh >cli/licenses.txt
set -eu
export LC_ALL=C CGO_ENABLED=0

# section TITLE FOLDER writes the texts in a folder that have to be passed on.
section() {
	names=$(ls "$2" | grep -Ei '^(licen[cs]e|copying|notice|patents)(\..*)?$') || {
		echo "$1: no licence in $2" >&2
		exit 1
	}
	printf '==== %s\n' "$1"
	for name in $names; do
		# Without white space at the beginning and at the end.
		printf '\n%s\n\n' "$(tr -d '\r' <"$2/$name" | sed '/[^[:space:]]/,$!d' | sed '1s/^[[:space:]]*//')"
	done
}

modules=$(for system in linux darwin windows; do
	GOOS=$system go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' ./cmd/tiro
done)
section Tiro .
section 'Go, its standard library and runtime' "$(go env GOROOT)"
echo "$modules" | sort -u | while read -r path version folder; do
	if [ -n "$path" ]; then section "$path $version" "$folder"; fi
done
