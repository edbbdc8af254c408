package train_test

import (
	"fmt"

	"tiro/train"
)

func ExampleRanges() {
	fmt.Println(train.Ranges([]int{1, 2, 3, 7, 9, 10}))
	// Output:
	// 1-3, 7, 9-10
}
