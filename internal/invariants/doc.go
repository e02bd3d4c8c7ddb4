// Package invariants holds one build-tagged constant. Code that re-derives the
// heap's state after an operation asks for it:
//
//	if invariants.Enabled {
//		mc.mustCheck()
//	}
//
// Such checks cost a walk of the heap and are off in ordinary builds, where the
// compiler removes the branch. Build with -tags invariants to turn them on.
package invariants
