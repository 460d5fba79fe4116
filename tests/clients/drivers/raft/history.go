// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

const (
	get    = "get"
	put    = "put"
	erase  = "delete"
	swap   = "swap" // put, if the key has the expected value
	perKey = 2 * time.Minute
)

// An input is what a client asks of one key. The empty value stands for no value.
type input struct {
	kind, value, expected string
}

// An output is the answer. Unknown: it did not arrive, and the request can take effect later.
type output struct {
	value   string // get
	done    bool   // swap
	unknown bool
}

// history is what all clients asked and saw, by key. Thread-safe.
type history struct {
	mutex sync.Mutex
	keys  map[string][]porcupine.Operation
	count int
	lost  int // with unknown outcome
}

func newHistory() *history {
	return &history{keys: map[string][]porcupine.Operation{}}
}

// add records an operation. A read without an answer says nothing.
func (h *history) add(client int, key string, in input, out output, call, end time.Duration) {
	if in.kind == get && out.unknown {
		return
	}
	operation := porcupine.Operation{
		ClientId: client, Input: in, Call: int64(call), Output: out, Return: int64(end)}
	if out.unknown {
		operation.Return = math.MaxInt64 // concurrent with all that follow
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.keys[key] = append(h.keys[key], operation)
	h.count++
	if out.unknown {
		h.lost++
	}
}

// register is the model: each key is one.
var register = porcupine.Model{
	Init: func() interface{} { return "" },
	Step: func(state, asked, answered interface{}) (bool, interface{}) {
		now, in, out := state.(string), asked.(input), answered.(output)
		switch in.kind {
		case get:
			return out.value == now, now
		case put:
			return true, in.value
		case erase:
			return true, ""
		}
		if in.expected == now {
			return out.done || out.unknown, in.value
		}
		return !out.done, now
	},
	DescribeOperation: func(asked, answered interface{}) string {
		in, out := asked.(input), answered.(output)
		return fmt.Sprintf("%s %s%s -> %s done=%t unknown=%t", in.kind, in.expected, in.value,
			out.value, out.done, out.unknown)
	},
}

// check returns an error that names the keys whose history is not linearizable, and writes a
// picture of each to the folder.
func (h *history) check(folder string) error {
	names := make([]string, 0, len(h.keys))
	for name := range h.keys {
		names = append(names, name)
	}
	sort.Strings(names)
	bad := []string{}
	for _, name := range names {
		result := porcupine.CheckOperationsTimeout(register, h.keys[name], perKey)
		if result != porcupine.Ok {
			bad = append(bad, fmt.Sprintf("%s (%s)", name, result))
			h.draw(name, filepath.Join(folder, filepath.Base(name)+".html"))
		}
	}
	if len(bad) > 0 {
		return fmt.Errorf("not linearizable: %v; pictures are in %s", bad, folder)
	}
	return nil
}

func (h *history) draw(name, path string) {
	_, info := porcupine.CheckOperationsVerbose(register, h.keys[name], perKey)
	file, err := os.Create(path)
	if err == nil {
		err = porcupine.Visualize(register, info, file)
		file.Close()
	}
	if err != nil {
		fmt.Println(path, err)
	}
}

// checkChecker shows that the checker refuses wrong histories, and accepts unknown outcomes.
func checkChecker() error {
	at := func(second int) time.Duration { return time.Duration(second) * time.Second }
	cases := []struct {
		name string
		seen string // by a read after both writes
		lost bool   // whether the second write has no answer
		is   bool
	}{
		{"the last value", "b", false, true},
		{"a stale value", "a", false, false},
		{"a lost write", "", false, false},
		{"an unknown write took effect", "b", true, true},
		{"an unknown write took no effect", "a", true, true},
	}
	for _, c := range cases {
		h := newHistory()
		h.add(0, "key", input{kind: put, value: "a"}, output{done: true}, at(0), at(1))
		h.add(1, "key", input{kind: swap, value: "b", expected: "a"},
			output{done: !c.lost, unknown: c.lost}, at(2), at(3))
		h.add(2, "key", input{kind: get}, output{value: c.seen}, at(4), at(5))
		if is := porcupine.CheckOperations(register, h.keys["key"]); is != c.is {
			return fmt.Errorf("%s: accepted is %t", c.name, is)
		}
	}
	return nil
}
