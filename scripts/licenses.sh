#!/bin/sh
# Prints the licences of Tiro, Go and all modules that are linked into tiro on any system:
#
#	scripts/licenses.sh >cli/licenses.txt
set -eu
export LC_ALL=C CGO_ENABLED=0

# section TITLE FOLDER prints the licences and notices in a folder.
section() {
	names=$(ls "$2" | grep -Ei '^(licen[cs]e|copying|notice|patents)(\..*)?$') || {
		echo "$1: no licence in $2" >&2
		exit 1
	}
	printf '==== %s\n' "$1"
	for name in $names; do
		# Strips leading and trailing white space.
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
