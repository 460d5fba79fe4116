// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

package main

import (
	"encoding/binary"
	"errors"
)

// The kinds of commands.
const (
	kindPut    = 'p'
	kindDelete = 'd'
	kindSwap   = 's' // put, if the key has the expected value; nothing expected: if it has none
)

// A command changes one key. An entry of Raft's log contains one command or several.
type command struct {
	kind                 byte
	key, value, expected []byte
}

var errFormat = errors.New("the commands are damaged: expected kind, key, value, expected value")

// appendCommand encodes a command: its kind, then each field after its length as a varint.
func appendCommand(to []byte, c command) []byte {
	to = append(to, c.kind)
	for _, field := range [][]byte{c.key, c.value, c.expected} {
		to = binary.AppendUvarint(to, uint64(len(field)))
		to = append(to, field...)
	}
	return to
}

// decodeCommands returns commands that refer to the bytes of `from`.
func decodeCommands(from []byte) ([]command, error) {
	var commands []command
	for len(from) > 0 {
		c := command{kind: from[0]}
		from = from[1:]
		for _, field := range []*[]byte{&c.key, &c.value, &c.expected} {
			length, width := binary.Uvarint(from)
			if width <= 0 || uint64(len(from)-width) < length {
				return nil, errFormat
			}
			end := width + int(length)
			*field, from = from[width:end], from[end:]
		}
		if err := c.check(); err != nil {
			return nil, err
		}
		commands = append(commands, c)
	}
	return commands, nil
}

// check refuses what levigo cannot store in a batch, and unknown kinds.
func (c *command) check() error {
	switch {
	case len(c.key) == 0:
		return errors.New("the key is empty: name one, as in /kv/colour")
	case c.kind == kindDelete:
		return nil
	case c.kind != kindPut && c.kind != kindSwap:
		return errFormat
	case len(c.value) == 0:
		return errors.New("the value is empty: send at least one byte, or DELETE the key")
	}
	return nil
}
