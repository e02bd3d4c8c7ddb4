package work

// Counts are the requests of one run, as the workload counted them.
type Counts struct {
	Allocs   int64 `json:"allocs"`   // new blocks, reallocations of nil included
	Reallocs int64 `json:"reallocs"` // reallocations of a present block
	Frees    int64 `json:"frees"`    // blocks given back one by one
	Bytes    int64 `json:"bytes"`    // sizes asked for by Allocs and Reallocs
}

// Alloc counts a request for a new block of n bytes.
func (c *Counts) Alloc(n int) {
	c.Allocs++
	c.Bytes += int64(n)
}

// Realloc counts a request to bring a present block to n bytes.
func (c *Counts) Realloc(n int) {
	c.Reallocs++
	c.Bytes += int64(n)
}

// Free counts a block that is given back.
func (c *Counts) Free() { c.Frees++ }

// AllocAll counts requests for new blocks of so many bytes altogether.
func (c *Counts) AllocAll(times, bytes int) {
	c.Allocs += int64(times)
	c.Bytes += int64(bytes)
}

// FreeAll counts blocks that are given back.
func (c *Counts) FreeAll(times int) { c.Frees += int64(times) }
