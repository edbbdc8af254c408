// Package memory describes the buffers of a structure once: the function that
// makes them also tells, on a dry run, how much memory they take.
//
//	func newPlan(a *memory.Allocator, rows int) *Plan {
//		return &Plan{
//			input: memory.Make[float32](a, rows*inputs),
//			trunk: memory.Make[float32](a, rows*channels),
//		}
//	}
//
//	newPlan(new(memory.Allocator), rows)  // makes the plan
//
//	a := memory.Allocator{DryRun: true}
//	newPlan(&a, rows)                     // makes nothing large
//	a.Bytes()                             // what the plan would take
package memory

import "unsafe"

// Allocator makes buffers and adds up their sizes. The zero Allocator is
// ready to use. It belongs to one goroutine.
type Allocator struct {
	DryRun bool // buffers are counted but not made

	bytes int64
}

// Bytes returns the size of all buffers that were made or counted so far.
func (a *Allocator) Bytes() int64 { return a.bytes }

// Add counts bytes that are allocated elsewhere.
func (a *Allocator) Add(bytes int64) { a.bytes += bytes }

// Make returns a buffer of n elements, or nil on a dry run.
func Make[T any](a *Allocator, n int) []T {
	a.Add(heapSize(int64(n) * sizeOf[T]()))
	if a.DryRun {
		return nil
	}
	return make([]T, n)
}

// Grow returns an empty buffer that append is to let grow to at most n
// elements. It is counted at that size, with the quarter that append leaves
// free.
func Grow[T any](a *Allocator, n int) []T {
	a.Add(int64(n) * sizeOf[T]() * 5 / 4)
	return nil
}

// heapSize returns the most that Go's heap takes for a buffer: whole pages of 8 KiB
// above 32 KiB, and below a size class that wastes at most an eighth.
func heapSize(bytes int64) int64 {
	if bytes <= 32<<10 {
		return bytes + bytes/8
	}
	return (bytes + 8191) &^ 8191
}

func sizeOf[T any]() int64 { return int64(unsafe.Sizeof(*new(T))) }
