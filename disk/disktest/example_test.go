package disktest_test

import (
	"fmt"
	"io"
	"math/rand/v2"

	"tiro/disk"
	"tiro/disk/disktest"
)

// A file is written twice. The second time, the power fails during the rename.
func Example() {
	write := func(fsys disk.FS, text string) error {
		return disk.WriteFile(fsys, "a.txt", func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
	}
	fsys := disktest.New()
	fmt.Println(write(fsys, "first"))
	fsys.Hook = func(op disktest.Op) disktest.Verdict {
		return disktest.Verdict{Crash: op.Kind == disktest.Rename}
	}
	fmt.Println(write(fsys, "second"))
	rng := rand.New(rand.NewPCG(1, 2))
	for range 4 {
		data, err := disk.ReadFile(fsys.Crash(rng), "a.txt", 100)
		fmt.Printf("%s %v\n", data, err)
	}
	// Output:
	// <nil>
	// rename a.txt.unfinished: disktest: the machine has crashed
	// remove a.txt.unfinished: disktest: the machine has crashed
	// second <nil>
	// second <nil>
	// first <nil>
	// first <nil>
}
