package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// file is a file in an archive.
type file struct {
	name string // slash-separated
	data []byte
	mode fs.FileMode
}

// pack returns an archive of files in a folder, ordered by name, and the archive's own name. It
// is a zip file for Windows and a tar.gz file for other systems.
func pack(system, folder string, files []file, changed time.Time) (name string, data []byte, err error) {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	for i := range files {
		files[i].name = folder + "/" + files[i].name
	}
	var b bytes.Buffer
	if system == "windows" {
		err = packZip(&b, files, changed)
		return folder + ".zip", b.Bytes(), err
	}
	err = packTar(&b, files, changed)
	return folder + ".tar.gz", b.Bytes(), err
}

func packZip(b *bytes.Buffer, files []file, changed time.Time) error {
	z := zip.NewWriter(b)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: changed}
		header.SetMode(f.mode)
		w, err := z.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := w.Write(f.data); err != nil {
			return err
		}
	}
	return z.Close()
}

func packTar(b *bytes.Buffer, files []file, changed time.Time) error {
	g, err := gzip.NewWriterLevel(b, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(g)
	for _, f := range files {
		header := &tar.Header{Name: f.name, Mode: int64(f.mode), Size: int64(len(f.data)), ModTime: changed, Format: tar.FormatPAX}
		if err := t.WriteHeader(header); err != nil {
			return err
		}
		if _, err := t.Write(f.data); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	return g.Close()
}
