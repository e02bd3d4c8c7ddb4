package memctx

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/cookmem-go/cookmem/diag"
	"github.com/cookmem-go/cookmem/segment"
	"github.com/cookmem-go/cookmem/tree"
)

// defaultRetain is what a Retain of zero means.
const defaultRetain = 1 << 20

// Options say what a context is to be. The zero value, like a nil *Options, is
// the default: no limit, a red-black tree, memory from [segment.Default].
//
// All fields but the provider and the observer load from JSON, where unknown keys are an error,
// and from text with [Options.Set].
type Options struct {
	// Name appears in errors and faults.
	Name string `json:"name,omitempty"`

	// Limit is the largest footprint in bytes, counted in what the provider
	// really handed over. 0 is no limit; a negative limit is invalid.
	Limit Size `json:"limit,omitempty"`

	// Retain is the number of bytes of empty segments that the context keeps
	// for its next use, on Free and on Reset, instead of giving them back to
	// the provider. Free keeps 3/4 of what is in use if that is more. It counts
	// too what a large block has left behind it by shrinking. 0 is 1 MiB; a
	// negative number is invalid.
	Retain Size `json:"retain,omitempty"`

	// Tree is the kind of tree that keeps large free chunks.
	Tree tree.Kind `json:"tree,omitempty"`

	// ExactSize makes UsableSize and Blocks tell the requested size of every
	// block, for two words more a block and slower calls.
	ExactSize bool `json:"exactsize,omitempty"`

	// Guard surrounds every block with guard bytes that Free, Realloc, Check
	// and Close compare; it implies ExactSize.
	Guard bool `json:"guard,omitempty"`

	// Checked looks for misuse as far as it can: it keeps a map of the live blocks,
	// so that no pointer, however wild, is read before it is known; fills blocks
	// when they are handed out and when they are freed; lets freed blocks wait and
	// finds writes to them; keeps the pages of released segments inaccessible for a
	// while, where the provider can, or lets a context that is the provider hold them
	// back; holds FreeSized to the exact size and
	// alignment; and reports a context that is collected without having been
	// closed. It implies ExactSize, and costs some memory and several times the
	// time.
	Checked bool `json:"checked,omitempty"`

	// Stacks records where each block was allocated and freed, for Leaks and for
	// what faults tell. It implies Checked, and costs a microsecond or two a call.
	Stacks bool `json:"stacks,omitempty"`

	// Observer is told of every call that changes something. nil is nobody,
	// which costs nothing.
	Observer diag.Observer `json:"-"`

	// Provider is where segments come from; nil is [segment.Default].
	Provider segment.Provider `json:"-"`
}

// isChecked reports whether the options ask for what Checked does.
func (o *Options) isChecked() bool { return o.Checked || o.Stacks }

// UnmarshalJSON reads the options from an object and refuses unknown keys by
// name, and one key in two spellings. Case does not matter. Fields that are absent
// stay as they are.
func (o *Options) UnmarshalJSON(data []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return fmt.Errorf("memctx options: %w", err)
	}
	changed := *o
	spelled := map[any]string{} // by address of the field
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		field, err := changed.field(key)
		if err != nil {
			return err
		}
		target := field.Addr().Interface()
		if other, twice := spelled[target]; twice {
			return fmt.Errorf("memctx options: %q and %q are the same key", other, key)
		}
		spelled[target] = key
		if err := json.Unmarshal(fields[key], target); err != nil {
			return fmt.Errorf("memctx options: %s: %w", key, err)
		}
	}
	*o = changed
	return nil
}

// Set reads comma-separated settings such as "limit=64MiB,tree=avl,guard" into
// the options; a key without a value is true, if it can be. Keys are those of the JSON form. A
// value may be a quoted Go string: name="a,b". An unknown key or a bad value is
// an error that names it, and then nothing is changed. With String, Set makes
// *Options a flag.Value.
func (o *Options) Set(text string) error {
	changed := *o
	for rest := text; rest != ""; {
		var s setting
		var err error
		if s, rest, err = cutSetting(rest); err != nil {
			return err
		}
		if s == (setting{}) {
			continue
		}
		field, err := changed.field(s.key)
		if err != nil {
			return err
		}
		if err := setField(field, s.value, s.hasValue); err != nil {
			return fmt.Errorf("memctx options: %s: %w", s.key, err)
		}
	}
	*o = changed
	return nil
}

// setting is one of the settings that Set reads.
type setting struct {
	key, value string
	hasValue   bool
}

// cutSetting takes the first setting off a text. It is empty if there is nothing
// before the comma.
func cutSetting(text string) (s setting, rest string, err error) {
	end := strings.IndexAny(text, ",=")
	if end < 0 || text[end] == ',' {
		s.key, rest, _ = strings.Cut(text, ",")
		s.key = strings.TrimSpace(s.key)
		return s, rest, nil
	}
	s.key, s.hasValue = strings.TrimSpace(text[:end]), true
	rest = strings.TrimSpace(text[end+1:])
	if !strings.HasPrefix(rest, `"`) {
		s.value, rest, _ = strings.Cut(rest, ",")
		s.value = strings.TrimSpace(s.value)
		return s, rest, nil
	}
	quoted, err := strconv.QuotedPrefix(rest)
	behind := strings.TrimSpace(rest[len(quoted):])
	if err != nil || behind != "" && behind[0] != ',' {
		return s, rest, fmt.Errorf("memctx options: %s: %s is not one quoted value", s.key, rest)
	}
	s.value, err = strconv.Unquote(quoted)
	return s, strings.TrimPrefix(behind, ","), err
}

// String returns the settings that differ from the default, in the form that
// [Options.Set] reads. A name that Set could not read otherwise is quoted.
func (o *Options) String() string {
	if o == nil {
		return ""
	}
	var settings []string
	v := reflect.ValueOf(o).Elem()
	for i := range v.NumField() {
		if key := keyOf(v.Type().Field(i)); key != "" && !v.Field(i).IsZero() {
			settings = append(settings, key+"="+quoteIfNeeded(fmt.Sprint(v.Field(i).Interface())))
		}
	}
	return strings.Join(settings, ",")
}

// quoteIfNeeded returns a value as Set reads it: quoted where it has characters
// that mean something there, spaces at its ends, or bytes that are not text.
func quoteIfNeeded(value string) string {
	quoted := strconv.Quote(value)
	if strings.ContainsAny(value, ",=") || strings.TrimSpace(value) != value || len(quoted) != len(value)+2 {
		return quoted
	}
	return value
}

// field returns the field that a key of the text and JSON forms names.
func (o *Options) field(key string) (reflect.Value, error) {
	v := reflect.ValueOf(o).Elem()
	var keys []string
	for i := range v.NumField() {
		k := keyOf(v.Type().Field(i))
		if k == "" {
			continue
		}
		if strings.EqualFold(k, key) {
			return v.Field(i), nil
		}
		keys = append(keys, k)
	}
	return reflect.Value{}, fmt.Errorf("memctx options: unknown key %q; the keys are %s", key, strings.Join(keys, ", "))
}

func keyOf(field reflect.StructField) string {
	key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	if key == "-" {
		return ""
	}
	return key
}

func setField(field reflect.Value, value string, hasValue bool) error {
	switch target := field.Addr().Interface().(type) {
	case *string:
		if !hasValue {
			return errors.New("it needs a value")
		}
		*target = value
	case *bool:
		if !hasValue {
			*target = true
			return nil
		}
		parsed, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", value)
		}
		*target = parsed
	case interface{ UnmarshalText([]byte) error }:
		return target.UnmarshalText([]byte(value))
	}
	return nil
}

// validate returns the error of invalid options.
func (o *Options) validate() error {
	switch {
	case o.Limit < 0:
		return fmt.Errorf("memctx options: limit %d is negative; 0 is no limit", int(o.Limit))
	case o.Retain < 0:
		return fmt.Errorf("memctx options: retain %d is negative", int(o.Retain))
	case !slices.Contains(tree.Kinds(), o.Tree):
		return fmt.Errorf("memctx options: unknown tree %v; the kinds are %v", o.Tree, tree.Kinds())
	}
	return nil
}
