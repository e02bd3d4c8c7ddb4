//go:build !unix

package segtest

import "github.com/cookmem-go/cookmem/segment"

// Reserving returns segment.OS, which reserves on Windows. Elsewhere nothing
// can be reserved.
func Reserving() segment.Provider { return segment.OS() }
