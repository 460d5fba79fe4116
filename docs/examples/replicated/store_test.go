// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

package main

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/hashicorp/raft"
)

func newLogStore(t *testing.T, folder string) *logStore {
	t.Helper()
	s, err := openLogStore(folder)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func entriesOf(first, last uint64) []*raft.Log {
	entries := []*raft.Log{}
	for index := first; index <= last; index++ {
		entries = append(entries, &raft.Log{Index: index, Term: index / 10, Type: raft.LogCommand,
			Data: fmt.Appendf(nil, "entry %d", index)})
	}
	return entries
}

// checkEnds checks the log's ends, before and after it is reopened. It returns the reopened log.
func checkEnds(t *testing.T, s *logStore, folder string, first, last uint64) *logStore {
	t.Helper()
	for i := 0; i < 2; i++ {
		if foundFirst, _ := s.FirstIndex(); foundFirst != first {
			t.Fatalf("first: expected %d, found %d", first, foundFirst)
		}
		if foundLast, _ := s.LastIndex(); foundLast != last {
			t.Fatalf("last: expected %d, found %d", last, foundLast)
		}
		if i == 0 {
			s.close()
			s = newLogStore(t, folder)
		}
	}
	return s
}

func TestLogKeepsItsEnds(t *testing.T) {
	folder := t.TempDir()
	s := newLogStore(t, folder)
	s.SetUint64([]byte("CurrentTerm"), 7) // its key is after those of entries
	s = checkEnds(t, s, folder, 0, 0)
	s.StoreLogs(entriesOf(1, 100))
	s = checkEnds(t, s, folder, 1, 100)
	s.DeleteRange(1, 40)
	s = checkEnds(t, s, folder, 41, 100)
	s.DeleteRange(90, 100)
	s = checkEnds(t, s, folder, 41, 89)
	s.StoreLogs(entriesOf(90, 95))
	s = checkEnds(t, s, folder, 41, 95)
	s.StoreLogs(entriesOf(200, 210)) // after a snapshot from the leader
	s = checkEnds(t, s, folder, 41, 210)
	s.DeleteRange(1, 300)
	s = checkEnds(t, s, folder, 0, 0)
	s.StoreLogs(entriesOf(301, 301))
	s = checkEnds(t, s, folder, 301, 301)
	if term, err := s.GetUint64([]byte("CurrentTerm")); term != 7 || err != nil {
		t.Fatalf("term %d, %v", term, err)
	}
	s.close()
}

func TestLogReturnsEntries(t *testing.T) {
	s := newLogStore(t, t.TempDir())
	defer s.close()
	for _, entry := range []*raft.Log{
		{Index: 1, Term: 3, Type: raft.LogBarrier},
		{Index: 2, Term: 1 << 40, Type: raft.LogCommand, Data: []byte("data")},
		{Index: 1 << 50, Term: 4, Type: raft.LogConfiguration, Data: []byte("x"),
			Extensions: []byte("extensions"), AppendedAt: time.Unix(5, 6)},
	} {
		if err := s.StoreLog(entry); err != nil {
			t.Fatal(err)
		}
		found := raft.Log{Extensions: []byte("left")}
		if err := s.GetLog(entry.Index, &found); err != nil {
			t.Fatal(err)
		}
		if len(found.Data) == 0 {
			found.Data = nil
		}
		if !reflect.DeepEqual(found, *entry) {
			t.Fatalf("expected %v, found %v", *entry, found)
		}
	}
	if err := s.GetLog(3, &raft.Log{}); !errors.Is(err, raft.ErrLogNotFound) {
		t.Fatalf("an absent entry: %v", err)
	}
	if _, err := s.Get([]byte("absent")); err == nil || err.Error() != "not found" {
		t.Fatalf("an absent value: %v", err)
	}
	for length := range encodeEntry(&raft.Log{Term: 1 << 40, Extensions: []byte("e")}) {
		decodeEntry(make([]byte, length), &raft.Log{}) // must not panic
	}
}
