package memctx

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Size is a number of bytes that reads and writes as text such as "64MiB": in
// JSON, in flags and in the environment. Plain numbers are bytes. The units are
// B, KiB, MiB, GiB, TiB (powers of 1024) and kB, MB, GB, TB (powers of 1000);
// case and a space before the unit do not matter. "unlimited" is [NoLimit].
type Size int

// NoLimit as a limit means that there is none.
const NoLimit = math.MaxInt

var sizeUnits = []struct {
	suffix string
	bytes  uint64
}{
	{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
	{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1},
}

// String returns the size in the largest binary unit that divides it, so that
// the text reads back as the same size.
func (s Size) String() string {
	if s == NoLimit {
		return "unlimited"
	}
	for _, unit := range sizeUnits[:4] {
		if s != 0 && uint64(s)%unit.bytes == 0 && s > 0 {
			return strconv.FormatUint(uint64(s)/unit.bytes, 10) + unit.suffix
		}
	}
	return strconv.Itoa(int(s)) + "B"
}

// ParseSize reads a size as [Size] describes it. Negative numbers and sizes
// that an int cannot hold are errors.
func ParseSize(text string) (Size, error) {
	trimmed := strings.TrimSpace(text)
	if strings.EqualFold(trimmed, "unlimited") {
		return NoLimit, nil
	}
	unit := uint64(1)
	for _, u := range sizeUnits {
		if number, ok := cutSuffixFold(trimmed, u.suffix); ok {
			trimmed, unit = strings.TrimSpace(number), u.bytes
			break
		}
	}
	n, err := strconv.ParseUint(trimmed, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("size %q: want a whole number of bytes with an optional unit, as in 64MiB", text)
	}
	if err != nil || n > math.MaxInt/unit {
		return 0, fmt.Errorf("size %q: more than the largest size %d", text, math.MaxInt)
	}
	return Size(n * unit), nil
}

func cutSuffixFold(s, suffix string) (string, bool) {
	at := len(s) - len(suffix)
	if at < 0 || !strings.EqualFold(s[at:], suffix) {
		return s, false
	}
	return s[:at], true
}

// Set makes *Size a flag.Value.
func (s *Size) Set(text string) error {
	parsed, err := ParseSize(text)
	if err == nil {
		*s = parsed
	}
	return err
}

// MarshalText writes the size as String does.
func (s Size) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what [ParseSize] reads.
func (s *Size) UnmarshalText(text []byte) error { return s.Set(string(text)) }

// UnmarshalJSON reads a JSON string as [ParseSize] does, or a JSON number of
// bytes.
func (s *Size) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		var text string
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
		return s.Set(text)
	}
	if string(data) == "null" {
		return nil
	}
	return s.Set(string(data))
}
