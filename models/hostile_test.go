package models_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/disk/disktest"
	"tiro/format"
	"tiro/models"
	"tiro/net"
)

// checkpointFiles are the files of a checkpoint.
var checkpointFiles = []string{"info.json", "weights.safetensors", "optimizer.safetensors", "state.json"}

// inMemory returns a store in memory with checkpoint 3, and the contents of its files.
func inMemory(t testing.TB) (fsys disk.FS, store *models.Store, files map[string][]byte) {
	fsys = disktest.New()
	store = models.NewStore(fsys, "checkpoints", specOf(t, "mnk"))
	require.NoError(t, store.Save(checkpoint(specOf(t, "mnk"), 3)))
	files = map[string][]byte{}
	for _, name := range checkpointFiles {
		data, err := disk.ReadFile(fsys, filepath.Join(store.Dir(3), name), 1<<20)
		require.NoError(t, err)
		files[name] = data
	}
	return fsys, store, files
}

// put replaces a file of a checkpoint. With update set it adapts info.json, as an attacker would.
func put(t testing.TB, fsys disk.FS, dir, name string, data []byte, update bool) {
	write := func(name string, data []byte) {
		err := disk.WriteFile(fsys, filepath.Join(dir, name), func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
		require.NoError(t, err)
	}
	write(name, data)
	if !update || name == "info.json" {
		return
	}
	raw, err := disk.ReadFile(fsys, filepath.Join(dir, "info.json"), 1<<20)
	require.NoError(t, err)
	var info models.Info
	require.NoError(t, json.Unmarshal(raw, &info))
	sum := sha256.Sum256(data)
	info.Files[name] = models.File{Bytes: int64(len(data)), SHA256: hex.EncodeToString(sum[:])}
	raw, err = json.MarshalIndent(info, "", "  ")
	require.NoError(t, err)
	write("info.json", append(raw, 0x0a))
}

// TestForgedFiles: files with valid checksums in info.json are still checked.
func TestForgedFiles(t *testing.T) {
	tensors := func(mark format.Header) string {
		metadata := map[string]string{}
		mark.Put(metadata)
		var b strings.Builder
		require.NoError(t, net.WriteTensors(&b, []net.Tensor{{Name: "steps", Shape: []int{1}, Data: []float32{1}}}, metadata))
		return b.String()
	}
	tests := []struct{ name, file, data, want string }{
		{"newer weights", "weights.safetensors", tensors(format.Header{Format: 2, What: "tiro weights"}), "written by a newer tiro: format 2"},
		{"foreign weights", "weights.safetensors", tensors(format.Header{}), "wrong kind of file"},
		{"endless state", "state.json", strings.Repeat(" ", 2<<20), "state.json: 2097152 bytes"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fsys, store, _ := inMemory(t)
			put(t, fsys, store.Dir(3), test.file, []byte(test.data), true)
			_, err := store.Load(3)
			require.ErrorContains(t, err, test.want)
			_, _, err = models.Read(fsys, store.Dir(3), find)
			require.ErrorContains(t, err, test.want[strings.Index(test.want, ": ")+2:])
		})
	}
}

// FuzzCheckpoint replaces a file of a checkpoint. A checkpoint that is loaded in spite of it can
// be saved and loaded again unchanged.
func FuzzCheckpoint(f *testing.F) {
	_, _, files := inMemory(f)
	for i, name := range checkpointFiles {
		f.Add(uint8(i), files[name], true)
		f.Add(uint8(i), files[name][:len(files[name])/2], true)
	}
	f.Add(uint8(0), bytes.Replace(files["info.json"], []byte(`"generation": 3`), []byte(`"generation": -3`), 1), false)
	f.Add(uint8(0), []byte(`{"format":2,"what":"tiro checkpoint","files":{"weights.safetensors":{"bytes":1152921504606846976}}}`), false)
	f.Add(uint8(3), []byte(strings.Repeat("[", 1000)), true)
	f.Fuzz(func(t *testing.T, n uint8, data []byte, update bool) {
		fsys, store, _ := inMemory(t)
		put(t, fsys, store.Dir(3), checkpointFiles[int(n)%len(checkpointFiles)], data, update)
		_, _, _ = models.Read(fsys, store.Dir(3), find)
		c, err := store.Load(3)
		if err != nil {
			require.Zero(t, c)
			return
		}
		other := models.NewStore(fsys, "other", specOf(t, "mnk"))
		if !json.Valid(c.State) {
			return // its owner reports the fault
		}
		require.NoError(t, other.Save(c))
		again, err := other.Load(3)
		require.NoError(t, err)
		require.Equal(t, c.Weights, again.Weights)
		require.Equal(t, c.Optimizer, again.Optimizer)
		require.Equal(t, parsed(t, c.State), parsed(t, again.State))
	})
}

// parsed returns the value of a JSON text, with numbers as written.
func parsed(t *testing.T, text []byte) (v any) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&v))
	return v
}
