// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/raft"
	"github.com/jmhodges/levigo"
)

var appliedKey = []byte("A")

// machine is the replicated state: a LevelDB store with the keys of clients, after a 'K', and the
// index of the last entry of Raft's log that changed it. Both change in one batch. Raft calls
// Apply, ApplyBatch, Snapshot and Restore from one goroutine.
//
// The writes do not sync. After a power loss the store is older, and Raft applies entries of its
// log again, or restores its newest snapshot if the store is older than that.
type machine struct {
	folder  string
	plain   *levigo.WriteOptions
	read    *levigo.ReadOptions
	applied atomic.Uint64

	open sync.RWMutex // held exclusively while Restore replaces db
	db   *levigo.DB

	saved, restored atomic.Int64 // snapshots
}

func openMachine(folder string) (*machine, error) {
	m := &machine{folder: folder, plain: levigo.NewWriteOptions(), read: levigo.NewReadOptions()}
	for _, left := range []string{"next", "old", "checkpoint"} { // by a crash
		if err := os.RemoveAll(m.path(left)); err != nil {
			return nil, err
		}
	}
	return m, m.openState()
}

func (m *machine) path(name string) string {
	return filepath.Join(m.folder, "state-"+name)
}

// openState opens the store, and creates it if it is missing.
func (m *machine) openState() error {
	db, err := openStore(m.path("now"))
	if err != nil {
		return err
	}
	value, err := db.Get(m.read, appliedKey)
	if err == nil && value != nil && len(value) != 8 {
		err = fmt.Errorf("%s: the applied index has %d bytes instead of 8", m.path("now"), len(value))
	}
	if err != nil {
		db.Close()
		return err
	}
	m.db = db
	m.applied.Store(0)
	if value != nil {
		m.applied.Store(binary.BigEndian.Uint64(value))
	}
	return nil
}

func (m *machine) close() {
	m.open.Lock()
	m.db.Close()
}

func stateKey(key []byte) []byte {
	return append([]byte{'K'}, key...)
}

// Get returns nil if the key has no value.
func (m *machine) Get(key []byte) ([]byte, error) {
	m.open.RLock()
	defer m.open.RUnlock()
	return m.db.Get(m.read, stateKey(key))
}

// change is a batch that is being made, and what it changes.
type change struct {
	machine *machine
	batch   *levigo.WriteBatch
	values  map[string][]byte // nil: deleted
}

// get returns the value that a key has after the batch.
func (c *change) get(key []byte) ([]byte, error) {
	if value, is := c.values[string(key)]; is {
		return value, nil
	}
	return c.machine.db.Get(c.machine.read, stateKey(key))
}

// run adds the commands of one entry. It returns how many of them were refused, because a key did
// not have the expected value, or an error, which is the same on all nodes.
func (c *change) run(data []byte) interface{} {
	commands, err := decodeCommands(data)
	if err != nil {
		return err
	}
	refused := 0
	for _, command := range commands {
		if command.kind == kindSwap {
			value, err := c.get(command.key)
			if err != nil {
				endAfter(c.machine.folder, err)
			}
			if !bytes.Equal(value, command.expected) {
				refused++
				continue
			}
		}
		if command.kind == kindDelete {
			c.batch.Delete(stateKey(command.key))
			c.values[string(command.key)] = nil
		} else {
			c.batch.Put(stateKey(command.key), command.value)
			c.values[string(command.key)] = command.value
		}
	}
	return refused
}

// Apply is part of raft.FSM.
func (m *machine) Apply(entry *raft.Log) interface{} {
	return m.ApplyBatch([]*raft.Log{entry})[0]
}

// ApplyBatch writes the changes of several entries as one batch. It skips entries that the store
// already contains: Raft passes those after the last snapshot again when the node starts.
func (m *machine) ApplyBatch(entries []*raft.Log) []interface{} {
	results := make([]interface{}, len(entries))
	c := change{m, levigo.NewWriteBatch(), map[string][]byte{}}
	defer c.batch.Close()
	applied := m.applied.Load()
	for i, entry := range entries {
		if entry.Index > applied && entry.Type == raft.LogCommand {
			results[i] = c.run(entry.Data)
		}
	}
	last := entries[len(entries)-1].Index
	if last <= applied {
		return results
	}
	c.batch.Put(appliedKey, binary.BigEndian.AppendUint64(nil, last))
	if err := m.db.Write(m.plain, c.batch); err != nil {
		endAfter(m.folder, err)
	}
	m.applied.Store(last)
	return results
}

// Contents returns the number of keys, and a hash of all keys and values.
func (m *machine) Contents() (int, string, error) {
	m.open.RLock()
	defer m.open.RUnlock()
	it := m.db.NewIterator(m.read)
	defer it.Close()
	count, hash := 0, sha256.New()
	for it.Seek([]byte{'K'}); it.Valid() && it.Key()[0] == 'K'; it.Next() {
		for _, part := range [][]byte{it.Key(), it.Value()} {
			hash.Write(binary.AppendUvarint(nil, uint64(len(part))))
			hash.Write(part)
		}
		count++
	}
	return count, hex.EncodeToString(hash.Sum(nil)), it.GetError()
}
