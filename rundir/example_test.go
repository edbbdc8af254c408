package rundir_test

import (
	"fmt"

	"tiro/disk"
	"tiro/rundir"
)

// The files of a generation have fixed names.
func ExampleFolder_Generation() {
	g := rundir.At(disk.OS{}, "runs/coerceo").Generation(12)
	fmt.Println(g.Checkpoint())
	fmt.Println(g.Episodes())
	fmt.Println(g.PartialEpisodes())
	// Output:
	// runs/coerceo/checkpoints/000012
	// runs/coerceo/episodes/000012.jsonl.zst
	// runs/coerceo/episodes/000012.part
}

func ExampleRanges() {
	fmt.Println(rundir.Ranges([]int{1, 2, 3, 7, 9, 10}))
	// Output:
	// 1-3, 7, 9-10
}
