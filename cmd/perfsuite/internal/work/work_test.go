package work

import "testing"

func TestRand(t *testing.T) {
	r := Rand(Seed)
	if got, want := r.Next(), uint64(0xbdd732262feb6e95); got != want {
		t.Errorf("first number %#x, want %#x", got, want)
	}
}

func TestRandBetween(t *testing.T) {
	r := Rand(Seed)
	seen := map[int]bool{}
	for range 1000 {
		seen[r.Between(3, 6)] = true
	}
	if len(seen) != 4 || !seen[3] || !seen[6] {
		t.Errorf("numbers between 3 and 6: %v", seen)
	}
}

func TestParse(t *testing.T) {
	for _, test := range Tests() {
		if got, ok := Parse(test.String()); !ok || got != test {
			t.Errorf("Parse(%q) = %v, %v", test, got, ok)
		}
		if test.Text() == "" {
			t.Errorf("%v has no text", test)
		}
	}
	if got, ok := Parse("12"); !ok || got != Vectors {
		t.Errorf("Parse(12) = %v, %v", got, ok)
	}
	for _, name := range []string{"", "0", "13", "perf_0", "perf_13", "perf_01", "Perf_1", " 1"} {
		if got, ok := Parse(name); ok {
			t.Errorf("Parse(%q) = %v", name, got)
		}
	}
}

func TestStride(t *testing.T) {
	for _, c := range []struct{ n, want int }{{0, 1}, {1, 1}, {Sample, 1}, {2 * Sample, 2}, {1_000_000, 976}} {
		if got := Stride(c.n); got != c.want {
			t.Errorf("Stride(%d) = %d, want %d", c.n, got, c.want)
		}
	}
}

func TestMixMindsTheOrder(t *testing.T) {
	if Mix(Mix(0, 1), 2) == Mix(Mix(0, 2), 1) {
		t.Error("the same checksum for 1, 2 and 2, 1")
	}
}
