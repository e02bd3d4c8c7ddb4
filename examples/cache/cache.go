package main

import (
	"errors"
	"unsafe"

	"github.com/cookmem-go/cookmem/memctx"
)

// Cache keeps values by key and evicts the least recently used one when its
// context can hold no more. It is for one goroutine at a time.
type Cache struct {
	mc        *memctx.Context
	index     map[uint64]memctx.Addr
	newest    memctx.Addr // of the list in the order of use
	oldest    memctx.Addr
	evictions int
}

// entry is the head of a block; the value follows it. There is no Go pointer in
// it, hence the addresses.
type entry struct {
	older, newer memctx.Addr
	key          uint64
	n            int
}

const headSize = int(unsafe.Sizeof(entry{}))

// NewCache returns an empty cache whose blocks are in mc.
func NewCache(mc *memctx.Context) *Cache {
	return &Cache{mc: mc, index: map[uint64]memctx.Addr{}}
}

// Len returns the number of entries.
func (c *Cache) Len() int { return len(c.index) }

// Put keeps a copy of value under the key, and evicts until there is room for it.
// It fails only if there is none with everything else evicted.
func (c *Cache) Put(key uint64, value []byte) error {
	c.Delete(key)
	p, err := c.mc.Alloc(headSize + len(value))
	for err != nil && errors.Is(err, memctx.ErrLimit) && c.oldest != 0 {
		c.Delete(at(c.oldest).key)
		c.evictions++
		p, err = c.mc.Alloc(headSize + len(value))
	}
	if err != nil {
		return err
	}
	a := memctx.AddrOf(p)
	*at(a) = entry{key: key, n: len(value)}
	copy(valueOf(a), value)
	c.link(a)
	c.index[key] = a
	return nil
}

// Get returns the value under the key, and whether there is one. It must not be
// changed, and is valid until the next Put or Delete.
func (c *Cache) Get(key uint64) ([]byte, bool) {
	a, ok := c.index[key]
	if !ok {
		return nil, false
	}
	c.unlink(a)
	c.link(a)
	return valueOf(a), true
}

// Delete forgets the key.
func (c *Cache) Delete(key uint64) {
	a, ok := c.index[key]
	if !ok {
		return
	}
	delete(c.index, key)
	c.unlink(a)
	c.mc.Free(a.Pointer())
}

// at returns the head of the entry at a, for use in the same few lines.
func at(a memctx.Addr) *entry { return (*entry)(a.Pointer()) }

func valueOf(a memctx.Addr) []byte { return (a + memctx.Addr(headSize)).Bytes(at(a).n) }

// link makes the entry the newest.
func (c *Cache) link(a memctx.Addr) {
	at(a).older, at(a).newer = c.newest, 0
	if c.newest != 0 {
		at(c.newest).newer = a
	} else {
		c.oldest = a
	}
	c.newest = a
}

func (c *Cache) unlink(a memctx.Addr) {
	e := at(a)
	if e.older != 0 {
		at(e.older).newer = e.newer
	} else {
		c.oldest = e.newer
	}
	if e.newer != 0 {
		at(e.newer).older = e.older
	} else {
		c.newest = e.older
	}
}
