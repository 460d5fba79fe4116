// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

// raft_faults breaks the replicated store of docs/examples/replicated in rounds, while clients read
// and write, and checks their history for linearizability with Porcupine:
//
//	raft_faults faults -program PROGRAM -folder FOLDER [-rounds N] [-seed S]
//
// As root, the nodes run in network namespaces and on tmpfs, so that networks are cut and disks are
// full. It also measures latencies under bursts of writes:
//
//	raft_faults bursts -program PROGRAM -folder FOLDER -libraries stock=,lull=DIRECTORY
package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"time"
)

const electionTimeout = 250 * time.Millisecond

var failed = false

// test prints a result as tests/clients/run expects it.
func test(name string, err error) bool {
	if err != nil {
		failed = true
		fmt.Printf("%v\ntest %s ... FAILED\n", err, name)
		return false
	}
	fmt.Printf("test %s ... ok\n", name)
	return true
}

// order returns the faults of all rounds: each possible one once, in random order, then again.
func order(rounds int, p *place, random *rand.Rand) []*fault {
	possible := []*fault{}
	for i := range faults {
		if faults[i].needs(p) {
			possible = append(possible, &faults[i])
		} else {
			fmt.Printf("%s: not possible here\n", faults[i].name)
		}
	}
	chosen := []*fault{}
	for len(chosen) < rounds {
		for _, i := range random.Perm(len(possible)) {
			chosen = append(chosen, possible[i])
		}
	}
	return chosen[:rounds]
}

// runRounds reports each kind of fault as one test.
func (t *trial) runRounds(rounds int) {
	chosen := order(rounds, t.place, t.random)
	results := map[*fault]error{}
	for number, f := range chosen {
		results[f] = errors.Join(results[f], t.runRound(number, f))
		if results[f] != nil {
			fmt.Printf("round %d: %v\n", number, results[f])
			if t.cluster.heal() != nil {
				break // the later rounds would fail for the same reason
			}
		}
	}
	for i := range faults {
		if result, is := results[&faults[i]]; is {
			test(faults[i].name, result)
		}
	}
}

// compare waits until all members have the same keys and values: the last entries can be writes
// whose clients have given up.
func (t *trial) compare() error {
	type contents struct {
		Keys   int
		Sha256 string
	}
	var found [members]contents
	err := waitFor("all nodes have the same contents", healSeconds, func() bool {
		for i, n := range t.cluster.members() {
			if found[i] = (contents{}); !n.ask("/contents", &found[i]) {
				return false
			}
		}
		return found[0] == found[1] && found[0] == found[2]
	})
	fmt.Printf("keys and hashes: %v\n", found)
	return err
}

// usesCheckpoints checks that snapshots are checkpoints where the library has them.
func (t *trial) usesCheckpoints(expected bool) error {
	_, its, err := t.cluster.leader()
	if err == nil && its.Checkpoints != expected {
		err = fmt.Errorf("checkpoints: expected %t, found %t", expected, its.Checkpoints)
	}
	return err
}

func runFaults(arguments []string) error {
	flags := flag.NewFlagSet("faults", flag.ExitOnError)
	program := flags.String("program", "", "of docs/examples/replicated/make")
	folder := flags.String("folder", "", "is emptied first, and keeps the nodes' logs")
	rounds := flags.Int("rounds", 20, "how often something is broken")
	seed := flags.Int64("seed", 1, "chooses faults and operations")
	clients := flags.Int("clients", 5, "that read and write meanwhile")
	checkpoints := flags.Bool("checkpoints", false, "expect that snapshots are checkpoints")
	flags.Parse(arguments)
	if code, entered := enterPlace(); entered {
		os.Exit(code)
	}
	if err := errors.Join(os.RemoveAll(*folder), os.MkdirAll(*folder, 0o755)); err != nil {
		return err
	}
	c := newCluster(*program, *folder, electionTimeout)
	defer c.killAll()
	p, err := preparePlace(c, *folder)
	if err != nil {
		return err
	}
	fmt.Printf("seed %d, %d rounds\n", *seed, *rounds)
	t := &trial{cluster: c, place: p, random: rand.New(rand.NewSource(*seed))}
	if !test("three nodes elect a leader", errors.Join(c.startAll(t.settings()...), c.heal())) {
		return nil
	}
	test("snapshots are checkpoints where the library has them", t.usesCheckpoints(*checkpoints))
	t.load = startLoad(*seed, *clients, c.addresses)
	t.runRounds(*rounds)
	t.load.end()
	test("all keys can be read", t.load.readAll(len(faults)+*rounds))
	return t.judge(*folder)
}

// judge checks what the rounds left.
func (t *trial) judge(folder string) error {
	select {
	case err := <-t.load.errors:
		test("clients get no other answers", err)
	default:
		test("clients get no other answers", nil)
	}
	test("all nodes have the same contents", t.compare())
	test("all nodes end when asked", t.cluster.endAll())
	test("the checker refuses wrong histories", checkChecker())
	h := t.load.history
	fmt.Printf("%d operations, %d of them with unknown outcome, on %d keys\n",
		h.count, h.lost, len(h.keys))
	fmt.Printf("full disks ended %d nodes\n", t.full)
	test("the history is linearizable", h.check(filepath.Clean(folder)))
	return nil
}

func main() {
	commands := map[string]func([]string) error{"faults": runFaults, "bursts": runBursts}
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: raft_faults faults|bursts -help")
		os.Exit(2)
	}
	if err := commands[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "raft_faults:", err)
		failed = true
	}
	if failed {
		os.Exit(1)
	}
}
