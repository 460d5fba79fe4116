// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

package main

import (
	"errors"
	"fmt"
	"math/rand"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	entriesKept = 32 // that a log keeps after a snapshot
	bigBytes    = 256 << 10
)

// A fault does harm for a while and undoes it. What has ended is started again after it.
type fault struct {
	name  string
	needs func(*place) bool
	run   func(*trial) error
}

func nothing(*place) bool    { return true }
func networks(p *place) bool { return p.networks }
func disks(p *place) bool    { return p.disks }

var faults = []fault{
	{"the leader is killed", nothing, func(t *trial) error { return t.kill(t.leader()) }},
	{"a follower is killed", nothing, func(t *trial) error { return t.kill(t.follower()) }},
	{"all nodes are killed", nothing, (*trial).killAll},
	{"the leader is paused", nothing, (*trial).pause},
	{"the leader loses the other nodes", networks,
		func(t *trial) error { return t.cut(t.leader()) }},
	{"a follower loses the other nodes", networks,
		func(t *trial) error { return t.cut(t.follower()) }},
	{"the leader's disk is full", disks, func(t *trial) error { return t.fill(t.leader()) }},
	{"a follower's disk is full", disks, func(t *trial) error { return t.fill(t.follower()) }},
	{"a follower misses entries that a snapshot replaced", nothing, (*trial).outdate},
	{"a fourth node joins from a snapshot, and is removed", nothing, (*trial).join},
}

// trial is a cluster under load, and what breaks it.
type trial struct {
	cluster *cluster
	place   *place
	load    *load
	random  *rand.Rand
	full    int // nodes that ended because their disk was full
}

func (t *trial) leader() (*node, error) {
	n, _, err := t.cluster.leader()
	return n, err
}

func (t *trial) follower() (*node, error) {
	return t.cluster.follower(t.random.Intn(members))
}

// wait lets the clients work: long enough for an election.
func (t *trial) wait() {
	time.Sleep(t.cluster.timeout*2 + time.Duration(t.random.Int63n(int64(t.cluster.timeout))))
}

func (t *trial) kill(n *node, err error) error {
	if err == nil {
		n.kill()
		t.wait()
	}
	return err
}

func (t *trial) killAll() error {
	t.cluster.killAll()
	return nil
}

// pause stops the leader while another one is elected. It continues with the belief that it leads.
func (t *trial) pause() error {
	n, err := t.leader()
	if err == nil {
		n.signal(syscall.SIGSTOP)
		t.wait()
		n.signal(syscall.SIGCONT)
	}
	return err
}

// cut separates a node from the others. In half of the rounds clients still reach it.
func (t *trial) cut(n *node, err error) error {
	if err == nil {
		err = t.place.cut(n, t.random.Intn(2) == 0)
	}
	if err == nil {
		t.wait()
		err = t.place.reconnect(n)
	}
	return err
}

// fill takes the space of a disk while large values are written. A node that cannot write ends.
func (t *trial) fill(n *node, err error) error {
	if err == nil {
		err = t.place.fill(n)
	}
	if err != nil {
		return err
	}
	value := []byte(strings.Repeat("full", bigBytes/4))
	for deadline := time.Now().Add(t.cluster.timeout * 4); time.Now().Before(deadline); {
		for _, m := range t.cluster.members() {
			ask(web, http.MethodPut, "http://"+m.http+"/kv/large", value)
		}
		time.Sleep(5 * time.Millisecond)
	}
	err = t.place.free(n)
	time.Sleep(100 * time.Millisecond) // for a node that is about to end
	if n.mayEnd = !n.runs(); n.mayEnd {
		t.full++
	}
	return err
}

// outdate stops a follower until the others have deleted what it needs next.
func (t *trial) outdate() error {
	n, err := t.follower()
	if err != nil {
		return err
	}
	before, is := n.status()
	if !is {
		return fmt.Errorf("node %d does not answer", n.number)
	}
	n.kill()
	if err := t.truncate(before.LastEntry); err != nil {
		return err
	}
	if err := t.cluster.start(n, t.settings()...); err != nil {
		return err
	}
	return t.waitForSnapshot(n)
}

// truncate makes the leader snapshot and delete its entries beyond `past`.
func (t *trial) truncate(past uint64) error {
	if err := waitFor("more entries", healSeconds, func() bool {
		_, its, err := t.cluster.leader()
		return err == nil && its.LastEntry > past+2*entriesKept
	}); err != nil {
		return err
	}
	return waitFor("the leader deletes entries", healSeconds, func() bool {
		n, its, err := t.cluster.leader()
		if err == nil && its.FirstEntry <= past+1 {
			ask(patient, http.MethodPost, "http://"+n.http+"/snapshot", nil)
		}
		return err == nil && its.FirstEntry > past+1
	})
}

// patient is for requests that take longer than those of clients.
var patient = &http.Client{Timeout: healSeconds * time.Second}

func (t *trial) waitForSnapshot(n *node) error {
	return waitFor(fmt.Sprintf("node %d restores a snapshot", n.number), healSeconds, func() bool {
		found, is := n.status()
		return is && found.Restored > 0
	})
}

// join adds a fourth node, with a new name and nothing on its disk, and removes it again.
func (t *trial) join() error {
	n := t.cluster.nodes[members]
	left, err := filepath.Glob(filepath.Join(n.folder, "*"))
	if err != nil {
		return err
	}
	for _, path := range left {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	t.cluster.joined++
	host, _, _ := net.SplitHostPort(n.http)
	n.http = fmt.Sprintf("%s:%d", host, 28000+t.cluster.joined)
	if err := t.truncate(0); err != nil {
		return err
	}
	if err := t.cluster.start(n, t.settings()...); err != nil {
		return err
	}
	_, its, err := t.cluster.leader()
	if err != nil {
		return err
	}
	err = errors.Join(t.waitForSnapshot(n), n.waitForEntry(its.Applied))
	err = errors.Join(err, t.cluster.askLeader("/remove", url.Values{"id": {n.http}}))
	n.kill()
	return err
}

func (t *trial) settings() []string {
	return []string{"-keep-entries", fmt.Sprint(entriesKept), "-snapshot-entries", "2000"}
}

// runRound breaks something once, and waits until all is well and clients get answers again.
func (t *trial) runRound(number int, f *fault) error {
	t.load.round.Store(int64(number))
	time.Sleep(100 * time.Millisecond) // for this round's keys
	begin := time.Now()
	err := f.run(t)
	broken := time.Since(begin)
	done := t.load.done.Load()
	err = errors.Join(err, t.cluster.startAll(t.settings()...))
	if err == nil {
		err = t.cluster.heal()
	}
	if err == nil {
		err = waitFor("clients get answers", healSeconds, func() bool {
			return t.load.done.Load() > done+20
		})
	}
	fmt.Printf("round %d: %s, %.1f s; %.1f s to heal\n", number, f.name, broken.Seconds(),
		(time.Since(begin) - broken).Seconds())
	return err
}
