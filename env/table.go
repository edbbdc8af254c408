package env

import (
	"errors"
	"fmt"
	"strings"

	"tiro/internal/suggest"
)

// Entry is a game in a Table.
type Entry struct {
	Name    string   // as in game strings
	Title   string   // display name, and after a comma a short description
	Options []Option // in the order of canonical game strings
	Make    func(*Options) (Game, error)
	Aliases []Alias
}

// Alias is another name for a game with certain options. Users can type it; files contain
// the game string.
type Alias struct {
	Name  string
	Game  string // game string
	Title string // display name
}

// Table lists the games known to a program, in display order.
type Table []Entry

// Validate returns an error if an entry is incomplete or a name is used twice.
func (t Table) Validate() error {
	var faults []error
	seen := map[string]bool{}
	for _, name := range t.Known() {
		if seen[name] {
			faults = append(faults, fmt.Errorf("duplicate game name %q", name))
		}
		seen[name] = true
	}
	for _, e := range t {
		if e.Name == "" || e.Make == nil || strings.ContainsAny(e.Name, ":, \t\n/\\") {
			faults = append(faults, fmt.Errorf("game %q (%s): Make and a name without blanks, colons, commas and slashes are required", e.Name, e.Title))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return fmt.Errorf("games: %w", err)
	}
	return nil
}

// Names returns the names of all games.
func (t Table) Names() []string {
	var names []string
	for _, e := range t {
		names = append(names, e.Name)
	}
	return names
}

// Aliases returns the aliases of all games.
func (t Table) Aliases() []Alias {
	var all []Alias
	for _, e := range t {
		all = append(all, e.Aliases...)
	}
	return all
}

// Known returns all names that New accepts: the names of games, then the aliases.
func (t Table) Known() []string {
	names := t.Names()
	for _, a := range t.Aliases() {
		names = append(names, a.Name)
	}
	return names
}

// Title returns the display name of the game of a game string, such as "Gomoku" or "Pacru
// (players=3)".
func (t Table) Title(game string) string {
	for _, a := range t.Aliases() {
		if a.Game == game {
			return a.Title
		}
	}
	name, options, _ := strings.Cut(game, ":")
	title := name
	for _, e := range t {
		if e.Name == name {
			title, _, _ = strings.Cut(e.Title, ",")
		}
	}
	if options != "" {
		title += " (" + strings.ReplaceAll(options, ",", ", ") + ")"
	}
	return title
}

// New returns the game of a game string or of an alias, which takes no options. The error
// lists the known games and suggests the closest one, or lists all invalid options. New is
// a Lookup.
func (t Table) New(game string) (Game, error) {
	name, options, err := ParseName(game)
	if err != nil {
		return nil, fmt.Errorf("games: %w", err)
	}
	for _, a := range t.Aliases() {
		switch {
		case game == a.Name:
			return t.New(a.Game)
		case name == a.Name:
			return nil, fmt.Errorf("games: game string %q: %s is an alias for %s and takes no options; add them to %[3]s", game, name, a.Game)
		}
	}
	for _, e := range t {
		if e.Name == name {
			made, err := e.Make(options)
			if err != nil {
				return nil, fmt.Errorf("games: %w", err)
			}
			spec := made.Spec()
			if err := spec.Validate(); err != nil {
				return nil, fmt.Errorf("games: %s: Spec: %w", game, err)
			}
			if name := options.String(); spec.Name != name {
				return nil, fmt.Errorf("games: %s: Spec: Name is %q but must be %q, the result of Options.String", game, spec.Name, name)
			}
			return made, nil
		}
	}
	hint := ""
	if near, ok := suggest.Closest(name, t.Known()); ok {
		hint = fmt.Sprintf("; did you mean %s?", near)
	}
	return nil, fmt.Errorf("games: unknown game %q (%s)%s", name, strings.Join(t.Known(), ", "), hint)
}
