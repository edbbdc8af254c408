package study

import (
	"fmt"
	"strings"
	"unicode"

	"tiro/configs"
	"tiro/recipe"
)

// Variant is a configuration to be compared.
type Variant struct {
	Name    string        `json:"name"`
	Changes []string      `json:"changes"` // changes of the base, KEY=VALUE
	Config  recipe.Config `json:"-"`       // its seed is ignored
}

// baseName is the name of the base.
const baseName = "base"

// ParseVariants returns the base, which is c with changes of the form KEY=VALUE, and then
// its variants. A variant is described by a name and further changes, separated by white
// space: "wide net.channels=96".
func ParseVariants(c recipe.Config, changes, described []string) ([]Variant, error) {
	base, err := newVariant(c, baseName, changes)
	if err != nil {
		return nil, err
	}
	all := []Variant{base}
	for _, text := range described {
		words := splitWords(text)
		if len(words) < 2 {
			return nil, fmt.Errorf("variant %q: a name and changes are required, as in 'wide net.channels=96'", text)
		}
		v, err := newVariant(base.Config, words[0], words[1:])
		if err != nil {
			return nil, fmt.Errorf("variant %q: %w", words[0], err)
		}
		all = append(all, v)
	}
	return all, nil
}

// common are the reasons why all variants have the same value of a setting.
var common = map[string]string{
	"seed":      "every variant is trained with the seeds 1, 2, … (--seeds)",
	"cpu_hours": "every variant is trained for the same time",
}

// newVariant returns the variant of c with changes.
func newVariant(c recipe.Config, name string, changes []string) (Variant, error) {
	for _, assignment := range changes {
		key, _, _ := strings.Cut(assignment, "=")
		if why := common[key]; why != "" {
			return Variant{}, fmt.Errorf("%s cannot be set, because %s", assignment, why)
		}
	}
	err := configs.Set(&c, changes...)
	return Variant{Name: name, Changes: changes, Config: c}, err
}

// splitWords splits text at white space, but not inside the lists and maps of YAML.
func splitWords(text string) []string {
	depth := 0
	return strings.FieldsFunc(text, func(r rune) bool {
		switch r {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		return unicode.IsSpace(r) && depth <= 0
	})
}
