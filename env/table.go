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
	Title   string   // for people: its name, and after a comma a few words about it
	Options []Option // in the order of canonical game strings
	Make    func(*Options) (Game, error)
	Aliases []Alias
}

// Alias is another name of a game with certain options. It is for people to type: files
// have the game string that it stands for.
type Alias struct {
	Name  string
	Game  string // the game string that it stands for
	Title string // its name for people
}

// Table is the games that a program knows, in the order in which it lists them.
type Table []Entry

// Validate returns an error if an entry is incomplete or two have the same name.
func (t Table) Validate() error {
	var faults []error
	seen := map[string]bool{}
	for _, name := range t.Known() {
		if seen[name] {
			faults = append(faults, fmt.Errorf("two games are called %q", name))
		}
		seen[name] = true
	}
	for _, e := range t {
		if e.Name == "" || e.Make == nil || strings.ContainsAny(e.Name, ":, \t\n/\\") {
			faults = append(faults, fmt.Errorf("game %q (%s): a name without blanks and any of :,/\\, and Make are required", e.Name, e.Title))
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

// Aliases returns all aliases.
func (t Table) Aliases() []Alias {
	var all []Alias
	for _, e := range t {
		all = append(all, e.Aliases...)
	}
	return all
}

// Known returns all names that New knows: the names of the games, then the aliases.
func (t Table) Known() []string {
	names := t.Names()
	for _, a := range t.Aliases() {
		names = append(names, a.Name)
	}
	return names
}

// Title returns the name for people of the game of a game string, such as "Gomoku" or
// "Pacru (players=3)".
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

// New returns the game of a game string or of an alias, which has no options. The
// error names the known games and the closest one, or every option that is wrong. New
// is a Lookup.
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
			return nil, fmt.Errorf("games: game string %q: %s stands for %s and has no options; change those of %[3]s", game, name, a.Game)
		}
	}
	for _, e := range t {
		if e.Name == name {
			made, err := e.Make(options)
			if err != nil {
				return nil, fmt.Errorf("games: %w", err)
			}
			return made, nil
		}
	}
	hint := ""
	if near, ok := suggest.Closest(name, t.Known()); ok {
		hint = fmt.Sprintf("; did you mean %s?", near)
	}
	return nil, fmt.Errorf("games: unknown game %q; want %s%s", name, strings.Join(t.Known(), ", "), hint)
}
