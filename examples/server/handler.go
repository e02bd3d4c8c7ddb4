package main

import (
	"errors"
	"io"
	"net/http"
	"unsafe"

	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

// withMemory gives each request a context from the pool of its tenant, and takes
// it back with all that is in it when next returns or panics.
func (s *server) withMemory(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := s.tenant(r.Header.Get("X-Tenant"))
		if t == nil {
			http.Error(w, "unknown tenant", http.StatusForbidden)
			return
		}
		t.requests.Add(1)
		mc, err := t.pool.Get()
		if err != nil { // the tenant has just been removed
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		defer t.pool.Put(mc)
		next.ServeHTTP(&counted{w, t}, r.WithContext(memctx.With(r.Context(), mc)))
	})
}

// counted counts the refusals of a tenant.
type counted struct {
	http.ResponseWriter
	tenant *tenant
}

// WriteHeader implements http.ResponseWriter.
func (c *counted) WriteHeader(status int) {
	switch status {
	case http.StatusRequestEntityTooLarge:
		c.tenant.tooLarge.Add(1)
	case http.StatusServiceUnavailable:
		c.tenant.exhausted.Add(1)
	}
	c.ResponseWriter.WriteHeader(status)
}

// sortLines answers with the sorted lines of the body.
func sortLines(w http.ResponseWriter, r *http.Request) {
	mc, ok := memctx.From(r.Context())
	if !ok {
		http.Error(w, "no memory context", http.StatusInternalServerError)
		return
	}
	text, err := readAll(mc, r.Body)
	if err != nil {
		refuse(w, err)
		return
	}
	lines, err := split(mc, text)
	if err != nil {
		refuse(w, err)
		return
	}
	lines.sort()
	_ = lines.write(w) // fails if the client has gone
}

// refuse answers a request that failed: with 413 if the request itself is too
// large, with 503 if it may succeed once others are done.
func refuse(w http.ResponseWriter, err error) {
	var budget *segment.LimitError
	switch {
	case errors.As(err, &budget) && !budget.Veto, errors.Is(err, memctx.ErrNoMemory):
		w.Header().Set("Retry-After", "1")
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	case errors.Is(err, memctx.ErrLimit):
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
	default:
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

// readAll returns the text of r in a block of mc.
func readAll(mc *memctx.Context, r io.Reader) ([]byte, error) {
	text, err := mc.Bytes(512)
	if err != nil {
		return nil, err
	}
	for n := 0; ; {
		if n == len(text) {
			p, err := mc.Realloc(unsafe.Pointer(unsafe.SliceData(text)), 2*n)
			if err != nil {
				return nil, err
			}
			text = memctx.AddrOf(p).Bytes(2 * n)
		}
		m, err := r.Read(text[n:])
		n += m
		if err == io.EOF {
			return text[:n], nil
		}
		if err != nil {
			return nil, err
		}
	}
}
