// Package ctx runs the workloads on a context of package memctx, with any of
// its trees. The text of the workloads is a copy from package floor.
package ctx
