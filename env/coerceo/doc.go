// Package coerceo is the game Coerceo.
package coerceo
