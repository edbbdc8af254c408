//go:build !amd64

package kernel

func native() []*implementation { return nil }
