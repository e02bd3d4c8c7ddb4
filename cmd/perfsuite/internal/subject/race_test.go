//go:build race

package subject

const raceEnabled = true
