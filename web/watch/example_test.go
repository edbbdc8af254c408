package watch_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"time"

	"tiro/disk"
	"tiro/env/games"
	"tiro/web/watch"
)

// A Watcher also lists runs that have not begun.
func ExampleWatcher() {
	w := watch.New(watch.Options{Disk: disk.OS{}, Find: games.New, Paths: []string{"nowhere/run"}, Every: time.Second, Now: time.Now})
	ask := func(path string, answer any) {
		out := httptest.NewRecorder()
		w.ServeHTTP(out, httptest.NewRequest("GET", path, nil))
		if err := json.Unmarshal(out.Body.Bytes(), answer); err != nil {
			fmt.Println(err)
		}
	}
	var runs []watch.Listed
	ask("/api/runs", &runs)
	var status watch.Status
	ask("/api/runs/"+runs[0].ID, &status)
	fmt.Printf("%s: %s\n", status.Name, status.Phase)
	// Output: nowhere/run: waiting
}
