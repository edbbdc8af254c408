package fsck_test

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"tiro/disk"
	"tiro/disk/disktest"
	"tiro/env"
	"tiro/env/games"
	"tiro/fsck"
	"tiro/net"
)

// A weights file, before and after its end is cut off.
func ExampleVerify() {
	game, err := games.New("mnk")
	if err != nil {
		fmt.Println(err)
		return
	}
	var data bytes.Buffer
	weights := net.NewWeights(game.Spec(), net.Config{Channels: 4, OutcomeChannels: 1}, env.NewRand(1))
	if err := weights.Write(&data); err != nil {
		fmt.Println(err)
		return
	}
	files := disktest.New()
	for _, text := range [][]byte{data.Bytes(), data.Bytes()[:900]} {
		err := disk.WriteFile(files, "w.safetensors", func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		report, err := fsck.Verify(context.Background(), fsck.Options{Path: "w.safetensors", Find: games.New, Disk: files})
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, p := range report.Parts {
			fmt.Printf("%s: %s\n%s\n", p.Path, p.Status, p.Detail)
		}
	}
	// Output:
	// w.safetensors: ok
	// a network for mnk, 152 parameters; no checksum covers them
	// w.safetensors: damaged
	// net: read weights: net: read tensors: tensor "stem.weight": ends at byte 432 of 132; the file is truncated
}
