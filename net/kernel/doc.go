// Package kernel computes convolutions and what belongs to them, fast.
package kernel
