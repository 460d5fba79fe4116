// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

package main

import (
	"archive/tar"
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/hashicorp/raft"
	"github.com/jmhodges/levigo"
)

// The first byte of a snapshot says what follows. Any node can restore either.
const (
	holdsFiles   = 'F' // the files of a checkpoint, as a tar archive
	holdsEntries = 'E' // keys and values, each after its length as a varint
)

const batchBytesMax = 1 << 20

// Snapshot is part of raft.FSM. It takes the state; the snapshot is written later, while entries
// are applied. A checkpoint consists mostly of links to tables, which are then sent as files: the
// store neither reads entries nor writes them again. LevelDB has only its iterators.
func (m *machine) Snapshot() (raft.FSMSnapshot, error) {
	if hasCheckpoints() {
		if err := os.RemoveAll(m.path("checkpoint")); err != nil {
			return nil, err
		}
		return &fileSnapshot{m}, createCheckpoint(m.db, m.path("checkpoint"))
	}
	options := levigo.NewReadOptions()
	defer options.Close()
	options.SetFillCache(false)
	m.open.RLock() // until Release: the store must not close before its iterators
	return &entrySnapshot{m, m.db.NewIterator(options)}, nil
}

type fileSnapshot struct{ machine *machine }

func (s *fileSnapshot) Persist(sink raft.SnapshotSink) error {
	return s.machine.persist(sink, holdsFiles, func(out *bufio.Writer) error {
		archive := tar.NewWriter(out)
		if err := archive.AddFS(os.DirFS(s.machine.path("checkpoint"))); err != nil {
			return err
		}
		return archive.Close()
	})
}

func (s *fileSnapshot) Release() {
	os.RemoveAll(s.machine.path("checkpoint"))
}

type entrySnapshot struct {
	machine  *machine
	iterator *levigo.Iterator
}

func (s *entrySnapshot) Persist(sink raft.SnapshotSink) error {
	return s.machine.persist(sink, holdsEntries, func(out *bufio.Writer) error {
		for s.iterator.SeekToFirst(); s.iterator.Valid(); s.iterator.Next() {
			for _, part := range [][]byte{s.iterator.Key(), s.iterator.Value()} {
				out.Write(binary.AppendUvarint(nil, uint64(len(part))))
				if _, err := out.Write(part); err != nil {
					return err
				}
			}
		}
		return s.iterator.GetError()
	})
}

func (s *entrySnapshot) Release() {
	s.iterator.Close()
	s.machine.open.RUnlock()
}

// persist writes the kind of the snapshot and then what `write` writes.
func (m *machine) persist(
	sink raft.SnapshotSink, kind byte, write func(*bufio.Writer) error,
) error {
	out := bufio.NewWriterSize(sink, 1<<16)
	err := out.WriteByte(kind)
	if err == nil {
		err = write(out)
	}
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return errors.Join(err, sink.Cancel())
	}
	m.saved.Add(1)
	return sink.Close()
}

// Restore is part of raft.FSM. It makes a second store from the snapshot, which then replaces the
// first. After a crash in between there is no store, so Raft restores the snapshot again.
func (m *machine) Restore(snapshot io.ReadCloser) error {
	in := bufio.NewReaderSize(snapshot, 1<<16)
	kind, err := in.ReadByte()
	if err != nil {
		return err
	}
	next := m.path("next")
	if err := os.RemoveAll(next); err != nil {
		return err
	}
	switch kind {
	case holdsFiles:
		err = unpack(in, next)
	case holdsEntries:
		err = m.load(in, next)
	default:
		err = fmt.Errorf("a snapshot of unknown kind %q: run the same version on all nodes", kind)
	}
	if err != nil {
		os.RemoveAll(next)
		return err
	}
	return m.replaceBy(next)
}

func (m *machine) replaceBy(next string) error {
	m.open.Lock()
	defer m.open.Unlock()
	m.db.Close()
	for _, step := range [][2]string{{m.path("now"), m.path("old")}, {next, m.path("now")}} {
		if err := os.Rename(step[0], step[1]); err != nil {
			endAfter(m.folder, err) // the store is closed
		}
	}
	if err := errors.Join(syncPath(m.folder), m.openState()); err != nil {
		endAfter(m.folder, err)
	}
	m.restored.Add(1)
	return os.RemoveAll(m.path("old"))
}

// unpack writes the files of an archive to a new folder, and syncs them.
func unpack(in io.Reader, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for archive := tar.NewReader(in); ; {
		header, err := archive.Next()
		if err == io.EOF {
			return syncPath(folder)
		}
		if err != nil {
			return err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		if err := writeFile(filepath.Join(folder, filepath.Base(header.Name)), archive); err != nil {
			return err
		}
	}
}

func writeFile(path string, in io.Reader) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := io.Copy(file, in); err != nil {
		return err
	}
	return file.Sync()
}

func syncPath(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}

// load writes the entries of a snapshot to a new store.
func (m *machine) load(in *bufio.Reader, folder string) error {
	db, err := openStore(folder)
	if err != nil {
		return err
	}
	defer db.Close()
	last := levigo.NewWriteOptions()
	defer last.Close()
	last.SetSync(true)
	batch, size := levigo.NewWriteBatch(), 0
	defer batch.Close()
	for {
		key, err := readPart(in)
		if err == io.EOF {
			return db.Write(last, batch)
		}
		if err != nil {
			return err
		}
		value, err := readPart(in)
		if err != nil {
			return err
		}
		batch.Put(key, value)
		if size += len(key) + len(value); size > batchBytesMax {
			if err := db.Write(m.plain, batch); err != nil {
				return err
			}
			batch.Clear()
			size = 0
		}
	}
}

func readPart(in *bufio.Reader) ([]byte, error) {
	length, err := binary.ReadUvarint(in)
	if err != nil {
		return nil, err
	}
	part := make([]byte, length)
	_, err = io.ReadFull(in, part)
	return part, err
}
