package memctx_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cookmem-go/cookmem/memctx"
	"github.com/cookmem-go/cookmem/segment"
	"github.com/cookmem-go/cookmem/tree"
)

// everything are options that all differ from the default.
var everything = memctx.Options{
	Name: "tenant", Limit: 64 << 20, Retain: 1000, Tree: tree.AVL, ExactSize: true, Guard: true,
}

// settings are all options of everything as text and as JSON.
const (
	settings = "name=tenant,limit=64MiB,retain=1000B,tree=avl,exactsize=true,guard=true"
	document = `{"name":"tenant","limit":"64MiB","retain":"1000B","tree":"avl","exactsize":true,"guard":true}`
)

func TestOptionsSet(t *testing.T) {
	for text, want := range map[string]memctx.Options{
		"":                                       {},
		" , ,":                                   {},
		settings:                                 everything,
		"guard":                                  {Guard: true},
		"guard=1, exactsize = true":              {Guard: true, ExactSize: true},
		"LIMIT=1KiB,Tree=trie":                   {Limit: 1024, Tree: tree.Trie},
		"guard,guard=false":                      {},
		"limit=unlimited":                        {Limit: memctx.NoLimit},
		"name=a=b":                               {Name: "a=b"},
		"tree=rb,limit=10,limit=20":              {Limit: 20},
		" name=spaced , limit = 64 MiB ":         {Name: "spaced", Limit: 64 << 20},
		`name="a,b=c",guard`:                     {Name: "a,b=c", Guard: true},
		`guard, name = " \"x\" " ,`:              {Name: ` "x" `, Guard: true},
		`name=5" pipe,guard`:                     {Name: `5" pipe`, Guard: true},
		`limit="1KiB"`:                           {Limit: 1024},
		`name=""`:                                {},
		(&memctx.Options{Name: "\xff"}).String(): {Name: "\xff"},
	} {
		var got memctx.Options
		if err := got.Set(text); err != nil || got != want {
			t.Errorf("Set(%q) = %+v, %v, want %+v", text, got, err, want)
		}
	}
}

func TestOptionsSetRefuses(t *testing.T) {
	for text, culprit := range map[string]string{
		"limits=1":               `"limits"`,
		"guard,provider=os":      `"provider"`,
		"limit=64Mi":             "limit",
		"limit":                  "limit",
		"guard,name":             "name",
		"limit=-1":               "limit",
		"retain=x":               "retain",
		"tree=btree":             "tree",
		"guard=perhaps":          "guard",
		"exactsize=":             "exactsize",
		"=5":                     `""`,
		"limit=1KiB,limit=never": "limit",
		`name="a,guard`:          "name",
		`guard,name="a"b`:        "name",
		`limit="1KiB,2KiB"`:      "limit",
	} {
		got := everything
		err := got.Set(text)
		if err == nil || !strings.Contains(err.Error(), culprit) {
			t.Errorf("Set(%q) = %v, want an error that names %s", text, err, culprit)
		}
		if got != everything {
			t.Errorf("Set(%q) failed and changed the options to %+v", text, got)
		}
	}
}

func TestOptionsString(t *testing.T) {
	if got := everything.String(); got != settings {
		t.Errorf("String = %q, want %q", got, settings)
	}
	var none *memctx.Options
	if got := none.String() + new(memctx.Options).String(); got != "" {
		t.Errorf("the default is %q", got)
	}
	withProvider := memctx.Options{Provider: segment.Heap(), Guard: true}
	if got := withProvider.String(); got != "guard=true" {
		t.Errorf("String = %q", got)
	}
}

func TestOptionsRoundTrip(t *testing.T) {
	names := []string{"a b", "", "a,b", "a=b", "a,guard=true", `"`, `"a"`, "\\", " a", "a ", ",", "=", "\n", "\x00", "\u00a0", "größe"}
	for i, name := range names {
		limit := []memctx.Size{0, 1, 1 << 20, memctx.NoLimit}[i%4]
		for _, kind := range tree.Kinds() {
			for flags := range 4 {
				o := memctx.Options{Name: name, Limit: limit, Retain: limit / 3, Tree: kind, ExactSize: flags&1 != 0, Guard: flags&2 != 0}
				var fromText, fromJSON memctx.Options
				if err := fromText.Set(o.String()); err != nil || fromText != o {
					t.Errorf("Set(%q) = %+v, %v", o.String(), fromText, err)
				}
				text, err := json.Marshal(o)
				if err != nil {
					t.Fatal(err)
				}
				if err := json.Unmarshal(text, &fromJSON); err != nil || fromJSON != o {
					t.Errorf("Unmarshal(%s) = %+v, %v", text, fromJSON, err)
				}
			}
		}
	}
}

func TestOptionsJSON(t *testing.T) {
	var got memctx.Options
	if err := json.Unmarshal([]byte(document), &got); err != nil || got != everything {
		t.Errorf("%+v, %v", got, err)
	}
	if text, err := json.Marshal(everything); err != nil || string(text) != document {
		t.Errorf("Marshal = %s, %v", text, err)
	}
	// What a document leaves out stays as it is, inside other documents too.
	service := struct{ Tenant memctx.Options }{everything}
	if err := json.Unmarshal([]byte(`{"Tenant":{"limit":4096,"guard":false}}`), &service); err != nil {
		t.Fatal(err)
	}
	want := everything
	want.Limit, want.Guard = 4096, false
	if service.Tenant != want {
		t.Errorf("%+v, want %+v", service.Tenant, want)
	}
}

func TestOptionsJSONRefuses(t *testing.T) {
	for text, culprit := range map[string]string{
		`{"limits":1}`:                `"limits"`,
		`{"Provider":null}`:           `"Provider"`,
		`{"guard":true,"limit":-1}`:   "limit",
		`{"limit":"64Mi"}`:            "limit",
		`{"tree":"b"}`:                "tree",
		`{"guard":"yes"}`:             "guard",
		`{"name":7}`:                  "name",
		`[]`:                          "memctx options",
		`{"guard":false,"retian":10}`: `"retian"`,
		`{"limit":1,"LIMIT":2}`:       `"LIMIT" and "limit"`,
	} {
		got := everything
		err := json.Unmarshal([]byte(text), &got)
		if err == nil || !strings.Contains(err.Error(), culprit) {
			t.Errorf("Unmarshal(%s) = %v, want an error that names %s", text, err, culprit)
		}
		if got != everything {
			t.Errorf("Unmarshal(%s) failed and changed the options to %+v", text, got)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for culprit, o := range map[string]memctx.Options{
		"limit": {Limit: -1}, "retain": {Retain: -4096}, "tree": {Tree: 3}, "Kind(-1)": {Tree: -1},
	} {
		mc, err := memctx.New(&o)
		if mc != nil || err == nil || !strings.Contains(err.Error(), culprit) {
			t.Errorf("New(%+v) = %v, want an error that names %s", o, err, culprit)
		}
	}
}
