//go:build !race

package subject

const raceEnabled = false
