package tiro_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// exact matches the parts of package math with the same bits in every build: constants, and
// functions whose results are exact or correctly rounded.
var exact = regexp.MustCompile(`^(Pi|E|Ln2|Ln10|(Max|Min)(Int|Uint|Float)\d*|Abs|Ceil|Copysign|Float(32|64)(frombits|bits)|` +
	`Floor|Frexp|Inf|IsInf|IsNaN|Ldexp|Max|Min|Mod|Modf|NaN|Nextafter|Round|RoundToEven|Signbit|Sqrt|Trunc)$`)

// forPeople matches files that compute statistics for reports. No run depends on their last
// bits.
var forPeople = regexp.MustCompile(`^(study/|arena/rating/|arena/(sprt|pooled)\.go)`)

// TestPortableFunctions: code that affects a run uses no function whose last bits depend on the
// build; internal/portable has portable functions.
func TestPortableFunctions(t *testing.T) {
	for _, name := range goFiles(t) {
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "scripts/") || forPeople.MatchString(name) {
			continue
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, spec := range file.Imports {
			if spec.Path.Value == `"math"` && spec.Name != nil {
				t.Errorf("%s imports math by another name", name)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			of, _ := selector.X.(*ast.Ident)
			f := selector.Sel.Name
			if of != nil && of.Name == "math" && !exact.MatchString(f) || f == "NormFloat64" || f == "ExpFloat64" {
				t.Errorf("%v: %s has other bits in other builds; use internal/portable", files.Position(n.Pos()), f)
			}
			return true
		})
	}
}
