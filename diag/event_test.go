package diag

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestEventKinds(t *testing.T) {
	seen := map[string]bool{}
	for k := EventAcquire; k <= EventLost; k++ {
		text := k.String()
		if text == "" || seen[text] || strings.Contains(text, "Kind(") {
			t.Errorf("kind %d is %q", int(k), text)
		}
		seen[text] = true
	}
	for _, k := range []EventKind{0, -1, EventLost + 1} {
		if want := fmt.Sprintf("diag.EventKind(%d)", int(k)); k.String() != want {
			t.Errorf("kind %d is %q", int(k), k)
		}
	}
}

// TestSlogLevels requires each kind at its level and nothing below the logger's.
func TestSlogLevels(t *testing.T) {
	for level, want := range map[slog.Level]string{
		slog.LevelDebug: "acquire release alloc realloc free reset close error leak lost",
		slog.LevelInfo:  "acquire release reset close error leak lost",
		slog.LevelWarn:  "error leak lost",
		slog.LevelError: "error lost",
	} {
		var log bytes.Buffer
		o := Slog(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: level})))
		for k := EventAcquire; k <= EventLost; k++ {
			o.Observe(Event{Kind: k, Context: "c", Err: errors.New("reason")})
		}
		var got []string
		for line := range strings.Lines(log.String()) {
			_, rest, _ := strings.Cut(line, `"memctx `)
			kind, _, _ := strings.Cut(rest, `"`)
			got = append(got, kind)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("at level %v: %q, want %q", level, got, want)
		}
	}
}

// TestSlogWithoutLogger uses the default logger of the moment.
func TestSlogWithoutLogger(t *testing.T) {
	var log bytes.Buffer
	o := Slog(nil)
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)
	o.Observe(Event{Kind: EventAcquire, Context: "c", Addr: 255, Size: 4096})
	if !strings.HasSuffix(log.String(), "msg=\"memctx acquire\" context=c addr=255 size=4096\n") {
		t.Errorf("the log is %q", log.String())
	}
}
