package tiro_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the field tables of docs/FORMATS.md and testdata/prose.txt")

const formatsPage = "docs/FORMATS.md"

// TestFormats: the table of docs/FORMATS.md lists each kind of file with the format that
// the program writes.
func TestFormats(t *testing.T) {
	page, err := os.ReadFile(formatsPage)
	require.NoError(t, err)
	header := regexp.MustCompile(`format\.Header\{Format: (\d+), What: "([^"]+)"\}`)
	kinds := map[string]bool{}
	for _, name := range goFiles(t) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, h := range header.FindAllSubmatch(source, -1) {
			kinds[string(h[2])] = true
			row := fmt.Sprintf("(?m)^\\|.*`%s`.*\\| %s \\|$", regexp.QuoteMeta(string(h[2])), h[1])
			require.Regexp(t, row, string(page), "%s writes %s, format %s", name, h[2], h[1])
		}
	}
	require.LessOrEqual(t, len(kinds), 15, "few formats are easier to keep than many")
}

// TestFieldTables: the field tables of docs/FORMATS.md are the structs' JSON names and
// comments. With -update it writes them. A table is enclosed in <!--PACKAGE.TYPE--> and
// <!---->.
func TestFieldTables(t *testing.T) {
	page, err := os.ReadFile(formatsPage)
	require.NoError(t, err)
	table := regexp.MustCompile(`(?s)<!--(\S+)\.(\w+)-->\n.*?<!---->`)
	require.Regexp(t, table, string(page))
	want := table.ReplaceAllFunc(page, func(old []byte) []byte {
		m := table.FindSubmatch(old)
		dir, name := string(m[1]), string(m[2])
		rows := fieldRows(t, string(page), dir, name, structs(t, dir))
		return fmt.Appendf(nil, "<!--%[1]s.%[2]s-->\n|%[1]s.%[2]s|meaning|\n|---|---|\n%[3]s<!---->", dir, name, rows)
	})
	if *update {
		require.NoError(t, os.WriteFile(formatsPage, want, 0o644))
		return
	}
	require.Equal(t, string(want), string(page), "go test . -run FieldTables -update")
}

// structs returns the struct types of the package in dir.
func structs(t *testing.T, dir string) map[string]*ast.StructType {
	found := map[string]*ast.StructType{}
	names, err := filepath.Glob(dir + "/*.go")
	require.NoError(t, err)
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if s, ok := spec.Type.(*ast.StructType); ok {
					found[spec.Name.Name] = s
				}
			}
			return true
		})
	}
	return found
}

// fieldRows returns the rows of the struct name in dir, including the fields of embedded
// structs. The page must at least name each struct of the package that a field holds.
func fieldRows(t *testing.T, page, dir, name string, all map[string]*ast.StructType) string {
	require.Contains(t, all, name, dir)
	var rows strings.Builder
	for _, field := range all[name].Fields.List {
		kind := field.Type
		for held := true; held; {
			switch k := kind.(type) {
			case *ast.StarExpr:
				kind = k.X
			case *ast.ArrayType:
				kind = k.Elt
			case *ast.MapType:
				kind = k.Value
			default:
				held = false
			}
		}
		of, _ := kind.(*ast.Ident)
		if len(field.Names) == 0 {
			if of != nil { // else format.Header
				rows.WriteString(fieldRows(t, page, dir, of.Name, all))
			}
			continue
		}
		var tag string
		if field.Tag != nil {
			tag, _, _ = strings.Cut(reflect.StructTag(strings.Trim(field.Tag.Value, "`")).Get("json"), ",")
		}
		if tag == "" || tag == "-" {
			continue
		}
		if of != nil && all[of.Name] != nil && of.Name != "Interval" && of.Name != "Elo" {
			require.Contains(t, page, dir+"."+of.Name, "the type of %s.%s", name, tag)
		}
		meaning := strings.TrimSpace(field.Comment.Text())
		require.NotEmpty(t, meaning, "%s.%s.%s needs a comment at its end", dir, name, tag)
		fmt.Fprintf(&rows, "|`%s`|%s|\n", tag, strings.ReplaceAll(meaning, "|", `\|`))
	}
	return rows.String()
}
