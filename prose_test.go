package tiro_test

import (
	"fmt"
	"go/scanner"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

// habits are phrases that make prose hard to read, each with its cure. The record has a
// column for each habit, in this order.
var habits = []struct {
	name, cure string
	phrases    []string
}{
	{"what", "name the thing: the result of Fit", []string{"what ", "What "}},
	{"so_many", "the parameter's name", []string{"so many", "so much"}},
	{"that_of", "repeat the noun, or 's", []string{"that of", "those of", "That of", "Those of"}},
	{"say_tell", "records, reports, lists, prints, shows", []string{"say", "says", "said", "tell", "tells", "told"}},
	{"want", `"--a is required", "must be at least 1"`, []string{"; want "}},
	{"goes_on", "continues", []string{"go on", "goes on", "going on", "went on"}},
	{"comes_to", "is, equals, reaches", []string{"come to", "comes to", "came to"}},
	{"anew", "again, recently, forever", []string{"anew", "of late", "for ever"}},
	{"nobody", "unknown; a user; the passive", []string{"nobody", "somebody", "Nobody", "Somebody"}},
}

const proseRecord = "testdata/prose.txt"

// TestProse counts the habits in Markdown, and in the comments and strings of Go files. No
// total may rise above its record, which -update lowers. A rise is listed for the files with
// more occurrences than on record.
func TestProse(t *testing.T) {
	old, err := os.ReadFile(proseRecord)
	require.NoError(t, err)
	recorded, before := map[string][]int{}, make([]int, len(habits)) // by file and habit; all files
	for line := range strings.Lines(string(old)) {
		fields, counts := strings.Fields(line), make([]int, len(habits))
		for i := range counts {
			counts[i], _ = strconv.Atoi(fields[i+1]) // 0 for the names in the first line
			before[i] += counts[i]
		}
		recorded[fields[0]] = counts
	}
	found := map[string][][]string{} // by file and habit: the lines
	for _, file := range proseFiles(t) {
		lists := make([][]string, len(habits))
		proseOf(t, file, func(text string, number int) {
			for i, h := range habits {
				for _, phrase := range h.phrases {
					for _, at := range occurrences(text, phrase) {
						line, _, _ := strings.Cut(text[strings.LastIndexByte(text[:at], '\n')+1:], "\n")
						lists[i] = append(lists[i], fmt.Sprintf("%s:%d: %s", file, number+strings.Count(text[:at], "\n"), strings.TrimSpace(line)))
					}
				}
			}
		})
		found[file] = lists
	}
	fell, record := false, "file"
	for i, h := range habits {
		now, risen := 0, ""
		for _, file := range slices.Sorted(maps.Keys(found)) {
			lines := found[file][i]
			now += len(lines)
			if c := recorded[file]; len(lines) > 0 && (c == nil || len(lines) > c[i]) {
				risen += "\n" + strings.Join(lines, "\n")
			}
		}
		if now > before[i] {
			t.Errorf("%q: %d times, on record %d; better: %s%s", h.phrases, now, before[i], h.cure, risen)
		}
		fell, record = fell || now < before[i], record+" "+h.name
	}
	if fell && !*update {
		t.Log("the prose is better than its record: go test . -run Prose -update")
	}
	if !fell || !*update || t.Failed() {
		return
	}
	for _, file := range slices.Sorted(maps.Keys(found)) {
		counts := ""
		for _, lines := range found[file] {
			counts += fmt.Sprintf(" %d", len(lines))
		}
		if strings.Trim(counts, " 0") != "" {
			record += "\n" + file + counts
		}
	}
	require.NoError(t, os.WriteFile(proseRecord, []byte(record+"\n"), 0o644))
}

// proseFiles returns the Go files of the module and its Markdown, without measurements.
func proseFiles(t *testing.T) []string {
	top, _ := filepath.Glob("*.md") // fails for bad patterns only
	docs, _ := filepath.Glob("docs/*.md")
	files := slices.Concat(goFiles(t), top, docs)
	return slices.DeleteFunc(files, func(name string) bool { return name == "prose_test.go" })
}

// proseOf visits the comments and strings of a Go file, or a page without its blocks of
// code, each with the number of its first line.
func proseOf(t *testing.T, name string, visit func(text string, line int)) {
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	if path.Ext(name) == ".md" {
		line := 1
		for i, part := range strings.Split(string(data), "\n```") {
			if i%2 == 0 {
				visit(part, line)
			}
			line += strings.Count(part, "\n") + 1
		}
		return
	}
	file := token.NewFileSet().AddFile(name, -1, len(data))
	var s scanner.Scanner
	s.Init(file, data, nil, scanner.ScanComments)
	for pos, kind, text := s.Scan(); kind != token.EOF; pos, kind, text = s.Scan() {
		if kind == token.COMMENT || kind == token.STRING {
			visit(text, file.Line(pos))
		}
	}
}

// occurrences returns where a text has a phrase, as whole words.
func occurrences(text, phrase string) (at []int) {
	letter := func(i int) bool {
		return i >= 0 && i < len(text) && (text[i] == '_' || unicode.IsLetter(rune(text[i])))
	}
	for i := 0; ; i++ {
		n := strings.Index(text[i:], phrase)
		if n < 0 {
			return at
		}
		if i += n; (phrase[0] == ';' || !letter(i-1)) && (strings.HasSuffix(phrase, " ") || !letter(i+len(phrase))) {
			at = append(at, i)
		}
	}
}
