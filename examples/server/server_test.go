package main

import (
	"encoding/json"
	"errors"
	"expvar"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
)

// newTest returns a server with the given file of limits, and what it takes its
// memory from.
func newTest(t *testing.T, limits string) (*server, *segment.Counter) {
	t.Helper()
	file := limitsFile(t)
	write(t, file, limits)
	up := segment.Counting(segment.NewCache(segment.Heap(), 8<<20))
	s, err := newServer(config{limits: file, idle: 2, request: memctx.Options{Name: "request", Limit: 1 << 20, Retain: 64 << 10}}, up)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // a file without tenants closes all pools
		write(t, file, `{}`)
		if err := s.reload(); err != nil || s.fleet.All().Used() != 0 || up.Bytes() != 0 {
			t.Errorf("at the end: %v, %d used, %d bytes out", err, s.fleet.All().Used(), up.Bytes())
		}
	})
	return s, up
}

// limitsFile returns the name of an empty file that goes with the test. It lies in
// no directory of its own, because Wine before 9 does not remove trees.
func limitsFile(t *testing.T) string {
	t.Helper()
	f, err := os.CreateTemp("", "limits-*.json")
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.Remove(f.Name()); err != nil {
			t.Error(err)
		}
	})
	return f.Name()
}

var writes int

// write writes a file with a time of its own, whatever the resolution of the
// file system's clock is.
func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	writes++
	at := time.Unix(1_700_000_000+int64(writes)*10, 0)
	if err := os.Chtimes(file, at, at); err != nil {
		t.Fatal(err)
	}
}

// post sends a body and returns the status and the answer.
func post(s *server, tenant string, body io.Reader) (int, string) {
	r := httptest.NewRequest("POST", "/sort", body)
	r.Header.Set("X-Tenant", tenant)
	w := httptest.NewRecorder()
	s.withMemory(http.HandlerFunc(sortLines)).ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func want(t *testing.T, s *server, tenant, body string, status int) {
	t.Helper()
	if got, answer := post(s, tenant, strings.NewReader(body)); got != status {
		t.Errorf("%q with %d bytes: status %d, %s; want %d", tenant, len(body), got, strings.TrimSpace(answer), status)
	}
}

const roomy = `{"tenants": "64MiB", "acme": "16MiB"}`

func TestSort(t *testing.T) {
	s, _ := newTest(t, roomy)
	for body, sorted := range map[string]string{
		"": "", "\n": "\n", "b\na": "a\nb\n", "b\n\na\n": "\na\nb\n",
		strings.Repeat("x\n", 3000) + "a": "a\n" + strings.Repeat("x\n", 3000),
	} {
		if status, answer := post(s, "acme", strings.NewReader(body)); status != 200 || answer != sorted {
			t.Errorf("%.20q: status %d, %.20q", body, status, answer)
		}
	}
	want(t, s, "stranger", "a", http.StatusForbidden)
	want(t, s, "tenants", "a", http.StatusForbidden)
	if status, _ := post(s, "acme", brokenReader{}); status != http.StatusBadRequest {
		t.Errorf("a body that breaks off: status %d", status)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// hold lets a request of the tenant take n bytes, and returns what lets it end.
func hold(t *testing.T, s *server, tenant string, n int) (release func()) {
	t.Helper()
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		post(s, tenant, r)
		r.Close() // a refused body is not read to its end
	}()
	if _, err := w.Write(make([]byte, n)); err != nil {
		t.Fatalf("a request that was to be held was answered: %v", err)
	}
	return func() {
		w.Close()
		<-done
	}
}

func TestStatusOfRefusals(t *testing.T) {
	s, _ := newTest(t, `{"tenants": "64MiB", "acme": "16MiB", "globex": "16MiB"}`)
	body := strings.Repeat("some line\n", 15_000)
	all, acme := s.fleet.All(), s.tenant("acme").budget
	// The request's own limit.
	want(t, s, "acme", strings.Repeat(body, 20), http.StatusRequestEntityTooLarge)
	want(t, s, "acme", body, http.StatusOK)
	// The tenant's.
	release := hold(t, s, "acme", 140_000)
	acme.SetLimit(acme.Used() + 20_000)
	want(t, s, "acme", body, http.StatusServiceUnavailable)
	want(t, s, "globex", body, http.StatusOK)
	// That of all.
	second := hold(t, s, "globex", 70_000)
	all.SetLimit(all.Used() + 20_000)
	want(t, s, "globex", body, http.StatusServiceUnavailable)
	second()
	release()
	all.SetLimit(memctx.NoLimit)
	acme.SetLimit(memctx.NoLimit)
	want(t, s, "acme", body, http.StatusOK)
	// A veto is about the request.
	acme.SetLargest(20_000)
	want(t, s, "acme", body, http.StatusRequestEntityTooLarge)
}

func TestReload(t *testing.T) {
	s, _ := newTest(t, `{"acme": "4MiB"}`)
	file, body := s.config.limits, strings.Repeat("line\n", 5_000)
	want(t, s, "acme", body, http.StatusOK)
	want(t, s, "globex", body, http.StatusForbidden)
	reload := func(text string) error {
		write(t, file, text)
		return s.reload()
	}
	if err := reload(`{"acme": "20KiB", "globex": "4MiB"}`); err != nil {
		t.Fatal(err)
	}
	want(t, s, "acme", body, http.StatusServiceUnavailable)
	want(t, s, "globex", body, http.StatusOK)
	for _, bad := range []string{`{"acme": "many"}`, `{`, `{"acme": -1}`} {
		if err := reload(bad); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
	want(t, s, "globex", body, http.StatusOK) // as before
	release := hold(t, s, "globex", 100_000)
	if err := reload(`{"acme": "4MiB"}`); err != nil {
		t.Fatal(err)
	}
	want(t, s, "acme", body, http.StatusOK)
	want(t, s, "globex", body, http.StatusForbidden)
	release() // ends as it began
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := s.reload(); err == nil {
		t.Error("a file that is gone is no error")
	}
	want(t, s, "acme", body, http.StatusOK)
}

func TestVars(t *testing.T) {
	s, _ := newTest(t, `{"tenants": "8MiB", "acme": "4MiB"}`)
	want(t, s, "acme", strings.Repeat("line\n", 200_000), http.StatusRequestEntityTooLarge)
	want(t, s, "acme", "b\na", http.StatusOK)
	type budget struct{ Limit, Used, Peak int }
	var vars struct {
		All     budget
		Tenants map[string]struct {
			budget
			Idle, Requests int
			TooLarge       int `json:"too_large"`
			Exhausted      int
		}
	}
	if err := json.Unmarshal([]byte(expvar.Func(s.vars).String()), &vars); err != nil {
		t.Fatal(err)
	}
	acme := vars.Tenants["acme"]
	if vars.All.Limit != 8<<20 || acme.Limit != 4<<20 || acme.Requests != 2 || acme.TooLarge != 1 || acme.Exhausted != 0 ||
		acme.Idle != 1 || acme.Used == 0 || acme.Used > acme.Peak {
		t.Errorf("%+v", vars)
	}
}

// TestPanicOfAHandler must give the context back.
func TestPanicOfAHandler(t *testing.T) {
	s, _ := newTest(t, roomy)
	h := s.withMemory(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mc, _ := memctx.From(r.Context())
		if _, err := mc.Alloc(100_000); err != nil {
			t.Error(err)
		}
		panic("handler")
	}))
	func() {
		defer func() { _ = recover() }()
		r := httptest.NewRequest("POST", "/sort", nil)
		r.Header.Set("X-Tenant", "acme")
		h.ServeHTTP(httptest.NewRecorder(), r)
	}()
	if n := s.tenant("acme").pool.Idle(); n != 1 {
		t.Errorf("%d contexts came back", n)
	}
}

// TestUnderLoad sends requests of all kinds over the network while limits change.
func TestUnderLoad(t *testing.T) {
	s, up := newTest(t, `{"tenants": "2MiB", "acme": "1200KiB", "globex": "1200KiB"}`)
	web := httptest.NewServer(s.withMemory(http.HandlerFunc(sortLines)))
	defer web.Close()
	var mu sync.Mutex
	statuses := map[int]int{}
	var wg sync.WaitGroup
	for g := range 6 {
		wg.Go(func() {
			for i := range 40 {
				body := strings.Repeat(fmt.Sprintf("%d\n", g), 1+(i*i*500)%300_000)
				r, err := http.NewRequest("POST", web.URL, strings.NewReader(body))
				if err != nil {
					t.Error(err)
					return
				}
				r.Header.Set("X-Tenant", []string{"acme", "globex"}[g%2])
				answer, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Error(err)
					return
				}
				text, err := io.ReadAll(answer.Body)
				answer.Body.Close()
				if err != nil || answer.StatusCode == 200 && string(text) != body {
					t.Errorf("%v, %d bytes of %d", err, len(text), len(body))
				}
				mu.Lock()
				statuses[answer.StatusCode]++
				mu.Unlock()
				if n := up.Bytes(); n > 2<<20 {
					t.Errorf("%d bytes out", n)
				}
				if g == 0 && i%10 == 5 {
					write(t, s.config.limits, fmt.Sprintf(`{"tenants": "%dKiB", "acme": "1200KiB", "globex": "%dKiB"}`, 1500+i, 800+i))
					if err := s.reload(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	t.Log(statuses)
	for status := range statuses {
		if !slices.Contains([]int{200, 413, 503}, status) {
			t.Errorf("status %d", status)
		}
	}
	if statuses[200] == 0 || statuses[413] == 0 {
		t.Errorf("the test is too easy or too hard: %v", statuses)
	}
}
