// Package modernc runs the workloads on the allocator modernc.org/memory, a
// heap of size classes for Go outside the collector. The text of the workloads
// is a copy from package floor. The allocator needs a system that maps memory;
// elsewhere this package is empty.
package modernc
