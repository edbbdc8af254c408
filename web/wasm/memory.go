//go:build js && wasm

package wasm

import "io/fs"

// memory is a host.Store in memory. The page stores the games in the browser, and returns
// them when it is opened again.
type memory struct {
	page  *page
	games map[string][]byte
}

// Save implements host.Store.
func (m memory) Save(id string, data []byte) error {
	m.games[id] = data
	m.page.js.Call("save", id, string(data))
	return nil
}

// Load implements host.Store.
func (m memory) Load(id string) ([]byte, error) {
	if data, ok := m.games[id]; ok {
		return data, nil
	}
	if kept := m.page.js.Get("saved").Get(id); kept.Truthy() {
		return []byte(kept.String()), nil
	}
	return nil, fs.ErrNotExist
}
