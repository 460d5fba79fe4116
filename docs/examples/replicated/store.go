// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/raft"
	"github.com/jmhodges/levigo"
)

// Raft compares the text of this error.
var errNotFound = errors.New("not found")

// logStore keeps Raft's log, term and vote in one LevelDB store. It is both raft.LogStore and
// raft.StableStore. Keys: 'L' and the index, big-endian, for entries; 'S' and a name for the rest.
//
// Entries, the term and the vote are on stable storage before a call returns.
type logStore struct {
	db     *levigo.DB
	folder string
	sync   *levigo.WriteOptions
	lazy   *levigo.WriteOptions
	read   *levigo.ReadOptions

	changing    sync.Mutex // held while entries are written or deleted
	first, last atomic.Uint64
}

// openStore opens or creates a LevelDB store.
func openStore(folder string) (*levigo.DB, error) {
	options := levigo.NewOptions()
	defer options.Close()
	options.SetCreateIfMissing(true)
	return levigo.Open(folder, options)
}

func openLogStore(folder string) (*logStore, error) {
	db, err := openStore(folder)
	if err != nil {
		return nil, err
	}
	s := &logStore{db: db, folder: folder, sync: levigo.NewWriteOptions(),
		lazy: levigo.NewWriteOptions(), read: levigo.NewReadOptions()}
	s.sync.SetSync(true)
	err = s.findEnds()
	return s, err
}

func (s *logStore) close() {
	s.db.Close()
}

func logKey(index uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{'L'}, index)
}

func stableKey(name []byte) []byte {
	return append([]byte{'S'}, name...)
}

// indexAt returns the index of the iterator's entry, or 0 if it is at none.
func indexAt(it *levigo.Iterator) uint64 {
	if it.Valid() {
		if key := it.Key(); len(key) == 9 && key[0] == 'L' {
			return binary.BigEndian.Uint64(key[1:])
		}
	}
	return 0
}

// findEnds sets first and last from the store.
func (s *logStore) findEnds() error {
	it := s.db.NewIterator(s.read)
	defer it.Close()
	it.Seek(logKey(s.first.Load()))
	s.first.Store(indexAt(it))
	it.Seek([]byte{'L' + 1})
	if it.Valid() {
		it.Prev()
	} else {
		it.SeekToLast()
	}
	s.last.Store(indexAt(it))
	return it.GetError()
}

// write ends the process if it fails. A failed write can leave a part of itself in LevelDB's log,
// and more writes after it could then be lost. Only a restart finds out what the log contains.
func (s *logStore) write(batch *levigo.WriteBatch, options *levigo.WriteOptions) {
	if err := s.db.Write(options, batch); err != nil {
		endAfter(s.folder, err)
	}
}

func endAfter(folder string, err error) {
	log.Fatalf("%s: %v; make room if the disk is full, then start the node again", folder, err)
}

// FirstIndex is part of raft.LogStore, as are the next five functions.
func (s *logStore) FirstIndex() (uint64, error) {
	return s.first.Load(), nil
}

func (s *logStore) LastIndex() (uint64, error) {
	return s.last.Load(), nil
}

func (s *logStore) GetLog(index uint64, entry *raft.Log) error {
	value, err := s.db.Get(s.read, logKey(index))
	if err != nil {
		return err
	}
	if value == nil {
		return raft.ErrLogNotFound
	}
	if !decodeEntry(value, entry) {
		return fmt.Errorf("%s: entry %d is damaged; delete the node's folder and let it join again",
			s.folder, index)
	}
	entry.Index = index
	return nil
}

func (s *logStore) StoreLog(entry *raft.Log) error {
	return s.StoreLogs([]*raft.Log{entry})
}

// StoreLogs writes entries with one sync.
func (s *logStore) StoreLogs(entries []*raft.Log) error {
	if len(entries) == 0 {
		return nil
	}
	batch := levigo.NewWriteBatch()
	defer batch.Close()
	for _, entry := range entries {
		batch.Put(logKey(entry.Index), encodeEntry(entry))
	}
	s.changing.Lock()
	defer s.changing.Unlock()
	s.write(batch, s.sync)
	if lowest := entries[0].Index; s.first.Load() == 0 || lowest < s.first.Load() {
		s.first.Store(lowest)
	}
	s.last.Store(max(s.last.Load(), entries[len(entries)-1].Index))
	return nil
}

// DeleteRange removes entries from the start of the log, after a snapshot, or from its end, where
// they differ from the leader's. It does not sync: entries that come back after a power loss are
// the ones that were there, and the sync of a later entry includes the deletion.
func (s *logStore) DeleteRange(lowest, highest uint64) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	lowest, highest = max(lowest, s.first.Load()), min(highest, s.last.Load())
	if lowest == 0 || lowest > highest {
		return nil
	}
	batch := levigo.NewWriteBatch() // one batch: a crash leaves no gap
	defer batch.Close()
	for index := lowest; index <= highest; index++ {
		batch.Delete(logKey(index))
	}
	s.write(batch, s.lazy)
	if lowest == s.first.Load() {
		s.first.Store(highest + 1) // so that the search skips what has been deleted
	}
	return s.findEnds()
}

// encodeEntry encodes all of an entry but its index, which is in the key.
func encodeEntry(entry *raft.Log) []byte {
	appended := int64(0)
	if !entry.AppendedAt.IsZero() {
		appended = entry.AppendedAt.UnixNano()
	}
	value := make([]byte, 0, 32+len(entry.Extensions)+len(entry.Data))
	value = append(value, byte(entry.Type))
	value = binary.AppendUvarint(value, entry.Term)
	value = binary.AppendVarint(value, appended)
	value = binary.AppendUvarint(value, uint64(len(entry.Extensions)))
	value = append(value, entry.Extensions...)
	return append(value, entry.Data...)
}

// decodeEntry returns false if the value is damaged.
func decodeEntry(value []byte, entry *raft.Log) bool {
	if len(value) == 0 {
		return false
	}
	kind, rest := value[0], value[1:]
	term, termWidth := binary.Uvarint(rest)
	if termWidth <= 0 {
		return false
	}
	rest = rest[termWidth:]
	appended, timeWidth := binary.Varint(rest)
	if timeWidth <= 0 {
		return false
	}
	rest = rest[timeWidth:]
	length, lengthWidth := binary.Uvarint(rest)
	if lengthWidth <= 0 || uint64(len(rest)-lengthWidth) < length {
		return false
	}
	rest = rest[lengthWidth:]
	*entry = raft.Log{Type: raft.LogType(kind), Term: term, Data: rest[length:]}
	if length > 0 {
		entry.Extensions = rest[:length]
	}
	if appended != 0 {
		entry.AppendedAt = time.Unix(0, appended)
	}
	return true
}

// Set is part of raft.StableStore, as are the next three functions.
func (s *logStore) Set(name, value []byte) error {
	if err := s.db.Put(s.sync, stableKey(name), value); err != nil {
		endAfter(s.folder, err)
	}
	return nil
}

func (s *logStore) Get(name []byte) ([]byte, error) {
	value, err := s.db.Get(s.read, stableKey(name))
	if err == nil && value == nil {
		return nil, errNotFound
	}
	return value, err
}

func (s *logStore) SetUint64(name []byte, value uint64) error {
	return s.Set(name, binary.BigEndian.AppendUint64(nil, value))
}

func (s *logStore) GetUint64(name []byte) (uint64, error) {
	value, err := s.Get(name)
	if err != nil {
		return 0, err
	}
	if len(value) != 8 {
		return 0, fmt.Errorf("%s: %s is damaged: %d bytes instead of 8", s.folder, name, len(value))
	}
	return binary.BigEndian.Uint64(value), nil
}
