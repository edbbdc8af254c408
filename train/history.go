package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ReadMetrics returns what the run in the folder dir says of its generations,
// oldest first; none if it has none. A last line without an end was cut short
// and is left out.
func ReadMetrics(dir string) ([]Metrics, error) {
	path := filepath.Join(dir, metricsFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("train: read metrics: %w", err)
	}
	var all []Metrics
	for line := range bytes.Lines(data) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		var m Metrics
		if err := json.Unmarshal(line, &m); err != nil {
			return nil, fmt.Errorf("train: read metrics: %s:%d: %w", path, len(all)+1, err)
		}
		all = append(all, m)
	}
	return all, nil
}
