// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

// Writes and reads a store with goleveldb, an implementation of LevelDB's files in Go. store.cc, in
// this directory, describes the arguments.
package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/filter"
	"github.com/syndtr/goleveldb/leveldb/opt"
	"github.com/syndtr/goleveldb/leveldb/util"
)

type entry struct{ key, value []byte }

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "goleveldb:", err)
		os.Exit(1)
	}
}

func clone(lent []byte) []byte {
	return append([]byte{}, lent...)
}

func fromHex(text string) []byte {
	decoded, err := hex.DecodeString(text)
	check(err)
	return decoded
}

func apply(db *leveldb.DB, operations io.Reader) {
	lines := bufio.NewScanner(operations)
	lines.Buffer(nil, 1<<24)
	batch := new(leveldb.Batch)
	for lines.Scan() {
		words := strings.SplitN(lines.Text(), " ", 3)
		switch words[0] {
		case "put":
			batch.Put(fromHex(words[1]), fromHex(words[2]))
		case "delete":
			batch.Delete(fromHex(words[1]))
		case "commit", "sync":
			check(db.Write(batch, &opt.WriteOptions{Sync: words[0] == "sync"}))
			batch.Reset()
		case "compact":
			check(db.CompactRange(util.Range{}))
		default:
			check(fmt.Errorf("unknown operation: %s", lines.Text()))
		}
	}
	check(lines.Err())
}

func dump(db *leveldb.DB) {
	var entries []entry
	at := db.NewIterator(nil, nil)
	defer at.Release()
	for at.Next() {
		entries = append(entries, entry{clone(at.Key()), clone(at.Value())})
	}
	check(at.Error())
	left := len(entries)
	for valid := at.Last(); valid; valid = at.Prev() {
		left--
		if left < 0 || !bytes.Equal(at.Key(), entries[left].key) ||
			!bytes.Equal(at.Value(), entries[left].value) {
			check(fmt.Errorf("backwards there is another entry: %x", at.Key()))
		}
	}
	check(at.Error())
	if left != 0 {
		check(fmt.Errorf("backwards there are %d entries fewer", left))
	}
	out := bufio.NewWriter(os.Stdout)
	for _, one := range entries {
		value, err := db.Get(one.key, nil)
		check(err)
		if !bytes.Equal(value, one.value) {
			check(fmt.Errorf("by its key there is another value: %x", one.key))
		}
		fmt.Fprintf(out, "%x %x\n", one.key, value)
	}
	check(out.Flush())
}

func main() {
	what, folder, compression := os.Args[1], os.Args[2], os.Args[3]
	options := &opt.Options{
		Compression:    opt.NoCompression,
		ErrorIfMissing: what != "apply",
		Filter:         filter.NewBloomFilter(10),
		WriteBuffer:    256 << 10,
	}
	if compression == "snappy" {
		options.Compression = opt.SnappyCompression
	}
	db, err := leveldb.OpenFile(folder, options)
	check(err)
	switch what {
	case "apply":
		apply(db, os.Stdin)
		if os.Args[4] == "die" {
			os.Exit(0)
		}
	case "dump":
		dump(db)
	default:
		check(fmt.Errorf("unknown command: %s", what))
	}
	check(db.Close())
}
