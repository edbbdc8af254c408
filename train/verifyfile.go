package train

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"tiro/disk"
	"tiro/net"
)

// zstdMagic begins every episode file (RFC 8878, section 3.1.1).
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// verifyFile looks at a file that a person named. One of a checkpoint stands
// for the whole of it.
func (v *verifier) verifyFile(ctx context.Context, info fs.FileInfo) error {
	name := filepath.Base(v.Path)
	dir := filepath.Dir(v.Path)
	if slices.Contains(partNames[:], name) && v.isFile(filepath.Join(dir, partNames[0])) {
		v.Path, v.report.Path, v.report.Kind = dir, dir, "checkpoint"
		return v.verifyCheckpoint(ctx)
	}
	if !info.Mode().IsRegular() {
		return errors.New("neither a file nor a folder")
	}
	v.Path, v.total = dir, info.Size()
	begin, err := v.begin(name)
	if err != nil {
		return err
	}
	switch {
	case bytes.Equal(begin, zstdMagic):
		v.report.Kind = "episodes"
		s, err := v.readGames(ctx, name, wantedGames{generation: anyGeneration}, false)
		v.tell(name, s.String(), err)
	case strings.HasSuffix(name, ".safetensors"):
		v.report.Kind = "weights"
		text, err := v.readWeights(name)
		v.advance(v.total)
		v.tell(name, text, err)
	default:
		return errors.New("want a run folder, a checkpoint, a weights file or an episode file")
	}
	return context.Cause(ctx)
}

// tell reports on the only file.
func (v *verifier) tell(name, text string, err error) {
	if err != nil {
		v.fault(&v.report, name, err)
		return
	}
	v.report.add(name, Whole, "%s", text)
}

// begin returns the first bytes of a file, fewer if it has no more.
func (v *verifier) begin(name string) (data []byte, err error) {
	file, err := v.Disk.Open(v.path(name))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	data = make([]byte, len(zstdMagic))
	n, err := io.ReadFull(file, data)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return data[:n], err
}

// maxWeightsFile bounds a weights file, in bytes.
const maxWeightsFile = 4 << 30

// readWeights reads a weights file that lies alone, which no checksum vouches
// for.
func (v *verifier) readWeights(name string) (text string, err error) {
	data, err := disk.ReadFile(v.Disk, v.path(name), maxWeightsFile)
	if err != nil {
		return "", err
	}
	info, err := net.ReadInfo(data)
	if err != nil {
		return "", err
	}
	game, err := v.Find(info.Game)
	if err != nil {
		return "", err
	}
	w, err := net.ReadWeights(data, game.Spec())
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("a network for %s, %d parameters; its numbers have no checksum", info.Game, w.Parameters()), nil
}
