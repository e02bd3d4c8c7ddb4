package memctx_test

import (
	"encoding/json"
	"flag"
	"io"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"testing"

	"github.com/cookmem-go/cookmem/memctx"
)

func TestParseSize(t *testing.T) {
	for _, c := range []struct {
		text string
		want memctx.Size
	}{
		{"0", 0}, {"0B", 0}, {"0TiB", 0}, {"1", 1}, {"4096", 4096}, {"1B", 1}, {"1b", 1}, {"007", 7},
		{"1KiB", 1 << 10}, {"64MiB", 64 << 20}, {"1GiB", 1 << 30}, {"64 MiB", 64 << 20}, {" 64MiB\t", 64 << 20},
		{"64mib", 64 << 20}, {"64MIB", 64 << 20}, {"1kB", 1000}, {"1KB", 1000}, {"3MB", 3_000_000}, {"2GB", 2_000_000_000},
		{"unlimited", memctx.NoLimit}, {"Unlimited", memctx.NoLimit},
		{strconv.Itoa(math.MaxInt), memctx.NoLimit},
		{strconv.Itoa(math.MaxInt>>10) + "KiB", math.MaxInt >> 10 << 10},
	} {
		got, err := memctx.ParseSize(c.text)
		if err != nil || got != c.want {
			t.Errorf("ParseSize(%q) = %d, %v, want %d", c.text, int(got), err, int(c.want))
		}
	}
}

func TestParseSizeRefuses(t *testing.T) {
	for _, text := range []string{
		"", " ", "MiB", "B", "-1", "-1MiB", "+1", "1.5GiB", "1e3", "0x10", "64Mi", "64M", "64 M iB", "1KiB1", "1_000",
		"no", "unlimitedB", "9223372036854775808", "18446744073709551616", "99999999999999999999999",
		"9007199254740992KiB", "8388608TiB", "16777216TiB", "18446744073709551615kB", "9223373TB",
	} {
		got, err := memctx.ParseSize(text)
		if err == nil || got != 0 {
			t.Errorf("ParseSize(%q) = %d, want an error", text, int(got))
		} else if !strings.Contains(err.Error(), strconv.Quote(text)) {
			t.Errorf("the error does not name %q: %v", text, err)
		}
		if isNumber := text != "" && strings.Trim(text, "0123456789") == ""; isNumber && !strings.Contains(err.Error(), "more than") {
			t.Errorf("the error does not tell that %q is too large: %v", text, err)
		}
	}
	if bits.UintSize == 32 {
		for _, text := range []string{"2GiB", "2147483648", "2097152KiB", "1TiB", "3GB"} {
			if got, err := memctx.ParseSize(text); err == nil {
				t.Errorf("ParseSize(%q) = %d on a 32-bit system", text, int(got))
			}
		}
	}
}

func TestSizeString(t *testing.T) {
	for size, want := range map[memctx.Size]string{
		0: "0B", 1: "1B", 1000: "1000B", 1023: "1023B", 1024: "1KiB", 1025: "1025B", 64 << 20: "64MiB",
		1<<20 + 1<<10: "1025KiB", 1 << 30: "1GiB", memctx.NoLimit: "unlimited", -1: "-1B", -1024: "-1024B",
	} {
		if got := size.String(); got != want {
			t.Errorf("Size(%d) = %q, want %q", int(size), got, want)
		}
	}
}

// TestSizeRoundTrip writes and reads sizes around every power of two in every
// form there is.
func TestSizeRoundTrip(t *testing.T) {
	sizes := []memctx.Size{0, memctx.NoLimit, memctx.NoLimit - 1}
	for shift := range bits.UintSize - 1 {
		sizes = append(sizes, 1<<shift, 1<<shift-1, (1<<shift-1)|1)
	}
	for _, size := range sizes {
		parsed, err := memctx.ParseSize(size.String())
		if err != nil || parsed != size {
			t.Errorf("%d: ParseSize(%q) = %d, %v", int(size), size, int(parsed), err)
		}
		text, err := json.Marshal(size)
		if err != nil || text[0] != '"' {
			t.Fatalf("%d: Marshal = %s, %v", int(size), text, err)
		}
		for _, form := range []string{string(text), strconv.Itoa(int(size))} {
			var got memctx.Size
			if err := json.Unmarshal([]byte(form), &got); err != nil || got != size {
				t.Errorf("%d: Unmarshal(%s) = %d, %v", int(size), form, int(got), err)
			}
		}
	}
}

func TestSizeFromJSON(t *testing.T) {
	for _, bad := range []string{`"64Mi"`, `1.5`, `-1`, `1e3`, `true`, `[]`, `{}`, `"`, `99999999999999999999`} {
		got := memctx.Size(7)
		if err := json.Unmarshal([]byte(bad), &got); err == nil || got != 7 {
			t.Errorf("Unmarshal(%s) = %d, want an error and no change", bad, int(got))
		}
	}
	got := memctx.Size(7)
	if err := json.Unmarshal([]byte(`null`), &got); err != nil || got != 7 {
		t.Errorf("Unmarshal(null) = %d, %v", int(got), err)
	}
}

func TestSizeAsFlag(t *testing.T) {
	size := memctx.Size(1 << 20)
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Var(&size, "limit", "")
	if err := flags.Parse([]string{"-limit", "2GB"}); bits.UintSize == 64 && (err != nil || size != 2e9) {
		t.Errorf("%v, %d", err, int(size))
	}
	if err := flags.Parse([]string{"-limit", "-5"}); err == nil {
		t.Error("a negative flag was accepted")
	}
}
