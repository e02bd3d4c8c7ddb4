//go:build invariants

package invariants

// Enabled reports whether this build checks what is too dear for every build.
const Enabled = true
