package diag

import (
	"context"
	"log/slog"
)

// Slog returns an observer that logs to l: errors and lost contexts at level Error, leaks
// at Warn, segments, Reset and Close at Info, and blocks at Debug. What l does not want costs no
// more than asking it. A nil l is [slog.Default] at the time of each event. The
// observer may be shared by any number of contexts.
func Slog(l *slog.Logger) Observer { return slogger{l} }

type slogger struct{ to *slog.Logger }

// Observe implements [Observer].
func (s slogger) Observe(e Event) {
	l, level := s.to, levelOf(e.Kind)
	if l == nil {
		l = slog.Default()
	}
	if l.Enabled(context.Background(), level) {
		l.LogAttrs(context.Background(), level, "memctx "+e.Kind.String(), attrs(e)...)
	}
}

func levelOf(k EventKind) slog.Level {
	switch k {
	case EventError, EventLost:
		return slog.LevelError
	case EventLeak:
		return slog.LevelWarn
	case EventAlloc, EventRealloc, EventFree:
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// attrs returns the fields of the event that are set.
func attrs(e Event) []slog.Attr {
	list := make([]slog.Attr, 1, 8)
	list[0] = slog.String("context", e.Context)
	if e.Op != "" {
		list = append(list, slog.String("op", e.Op))
	}
	for _, a := range []struct {
		key string
		n   uintptr
	}{{"addr", e.Addr}, {"old", e.Old}, {"n", uintptr(e.N)}, {"align", uintptr(e.Align)}, {"size", uintptr(e.Size)}} {
		if a.n != 0 {
			list = append(list, slog.Uint64(a.key, uint64(a.n)))
		}
	}
	if e.Err != nil {
		list = append(list, slog.Any("err", e.Err))
	}
	return list
}
