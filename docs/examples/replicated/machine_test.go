// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

package main

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/hashicorp/raft"
)

// sink is a raft.SnapshotSink in memory.
type sink struct {
	bytes.Buffer
	closed bool
}

func (s *sink) Close() error  { s.closed = true; return nil }
func (s *sink) Cancel() error { return nil }
func (s *sink) ID() string    { return "snapshot" }

func newMachine(t *testing.T, folder string) *machine {
	t.Helper()
	m, err := openMachine(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.close)
	return m
}

// entry returns one entry with commands, each of which is a kind, a key, a value and an expected
// value.
func entry(index uint64, commands ...[4]string) *raft.Log {
	data := []byte{}
	for _, c := range commands {
		data = appendCommand(data, command{kind: c[0][0], key: []byte(c[1]), value: []byte(c[2]),
			expected: []byte(c[3])})
	}
	return &raft.Log{Index: index, Type: raft.LogCommand, Data: data}
}

func expectValue(t *testing.T, m *machine, key, expected string) {
	t.Helper()
	if value, err := m.Get([]byte(key)); err != nil || string(value) != expected {
		t.Fatalf("%s: expected %q, found %q, %v", key, expected, value, err)
	}
}

func TestMachineApplies(t *testing.T) {
	m := newMachine(t, t.TempDir())
	results := m.ApplyBatch([]*raft.Log{
		entry(5, [4]string{"p", "a", "1"}, [4]string{"p", "b", "2"}),
		entry(6, [4]string{"s", "a", "3", "1"}), // sees the entry before it in the batch
		entry(7, [4]string{"s", "a", "4", "1"}),
		entry(8, [4]string{"d", "b"}, [4]string{"s", "b", "5", ""}),
		{Index: 9, Type: raft.LogConfiguration},
		{Index: 10, Type: raft.LogCommand, Data: []byte("damaged")},
	})
	for i, expected := range []interface{}{0, 0, 1, 0, nil} {
		if results[i] != expected {
			t.Fatalf("result %d: expected %v, found %v", i, expected, results[i])
		}
	}
	if _, is := results[5].(error); !is {
		t.Fatalf("a damaged entry: %v", results[5])
	}
	expectValue(t, m, "a", "3")
	expectValue(t, m, "b", "5")
	m.Apply(entry(6, [4]string{"p", "a", "old"})) // again, after a restart
	expectValue(t, m, "a", "3")
	if m.applied.Load() != 10 {
		t.Fatalf("applied: %d", m.applied.Load())
	}
}

func snapshotOf(t *testing.T, m *machine, change func()) []byte {
	t.Helper()
	snapshot, err := m.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Release()
	change()
	s := &sink{}
	if err := snapshot.Persist(s); err != nil || !s.closed {
		t.Fatal(err)
	}
	return s.Bytes()
}

func TestMachineRestoresSnapshots(t *testing.T) {
	from := newMachine(t, t.TempDir())
	for index := uint64(1); index <= 3000; index++ {
		from.Apply(entry(index, [4]string{"p", fmt.Sprint(index), fmt.Sprintf("%01000d", index)}))
	}
	keys, hash, _ := from.Contents()
	snapshot := snapshotOf(t, from, func() { from.Apply(entry(3001, [4]string{"p", "late", "x"})) })

	folder := t.TempDir()
	to := newMachine(t, folder)
	to.Apply(entry(1, [4]string{"p", "other", "y"}))
	if err := to.Restore(io.NopCloser(bytes.NewReader(snapshot[:len(snapshot)/2]))); err == nil {
		t.Fatal("half of a snapshot was restored")
	}
	expectValue(t, to, "other", "y")
	if err := to.Restore(io.NopCloser(bytes.NewReader(snapshot))); err != nil {
		t.Fatal(err)
	}
	foundKeys, foundHash, err := to.Contents()
	if err != nil || foundKeys != keys || foundHash != hash || keys != 3000 {
		t.Fatalf("expected %d keys, found %d, %v", keys, foundKeys, err)
	}
	if to.applied.Load() != 3000 {
		t.Fatalf("applied: %d", to.applied.Load())
	}
	to.Apply(entry(3001, [4]string{"p", "late", "x"}))
	expectValue(t, to, "late", "x")
}
