// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	members     = 3
	healSeconds = 30
	stopSeconds = 20
)

// node is one process of the replicated store, and its place.
type node struct {
	number     int
	http, raft string
	folder     string
	prefix     []string // of its command line
	environ    []string
	log        string
	process    *exec.Cmd
	ended      chan struct{}
	mayEnd     bool
}

// status is what a node says about itself.
type status struct {
	State       string
	Leader      string
	Applied     uint64
	FirstEntry  uint64 `json:"first_entry"`
	LastEntry   uint64 `json:"last_entry"`
	Saved       int
	Restored    int
	Checkpoints bool
}

func (n *node) start(program string, arguments ...string) error {
	log, err := os.OpenFile(n.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	line := append(append([]string{}, n.prefix...), program,
		"-folder", n.folder, "-http", n.http, "-raft", n.raft)
	line = append(line, arguments...)
	n.process = exec.Command(line[0], line[1:]...)
	n.process.Env = append(os.Environ(), n.environ...)
	n.process.Stdout, n.process.Stderr = log, log
	if err := n.process.Start(); err != nil {
		return err
	}
	n.ended, n.mayEnd = make(chan struct{}), false
	go func(process *exec.Cmd, ended chan struct{}) {
		process.Wait()
		close(ended)
	}(n.process, n.ended)
	return nil
}

func (n *node) runs() bool {
	if n.process == nil {
		return false
	}
	select {
	case <-n.ended:
		return false
	default:
		return true
	}
}

func (n *node) signal(which syscall.Signal) {
	if n.runs() {
		n.process.Process.Signal(which)
	}
}

func (n *node) kill() {
	n.mayEnd = true
	if n.process != nil {
		n.signal(syscall.SIGKILL)
		<-n.ended
	}
}

// end asks the node to end.
func (n *node) end() error {
	n.signal(syscall.SIGTERM)
	select {
	case <-n.ended:
	case <-time.After(stopSeconds * time.Second):
		n.kill()
		return fmt.Errorf("node %d does not end; see %s", n.number, n.log)
	}
	if !n.process.ProcessState.Success() {
		return fmt.Errorf("node %d: %s; see %s", n.number, n.process.ProcessState, n.log)
	}
	return nil
}

// ask returns false if the node does not answer.
func (n *node) ask(path string, into any) bool {
	answer := ask(web, http.MethodGet, "http://"+n.http+path, nil)
	return answer.status == http.StatusOK && json.Unmarshal(answer.body, into) == nil
}

func (n *node) status() (status, bool) {
	found := status{}
	return found, n.ask("/status", &found)
}

// cluster is three nodes and a fourth, which joins sometimes.
type cluster struct {
	program string
	nodes   [members + 1]*node
	joined  int // how often the fourth node has joined
	timeout time.Duration
}

func newCluster(program, folder string, timeout time.Duration) *cluster {
	c := &cluster{program: program, timeout: timeout}
	for number := range c.nodes {
		c.nodes[number] = &node{number: number,
			folder: filepath.Join(folder, fmt.Sprint(number)),
			log:    filepath.Join(folder, fmt.Sprintf("node-%d.log", number)),
			http:   fmt.Sprintf("127.0.0.1:%d", 27501+2*number),
			raft:   fmt.Sprintf("127.0.0.1:%d", 27500+2*number)}
	}
	return c
}

func (c *cluster) members() []*node {
	return c.nodes[:members]
}

func (c *cluster) addresses() []string {
	addresses := []string{}
	for _, n := range c.members() {
		addresses = append(addresses, n.http)
	}
	return addresses
}

func (c *cluster) start(n *node, more ...string) error {
	role := []string{"-join", strings.Join(c.addresses(), ",")}
	if n.number < members {
		pairs := []string{}
		for _, peer := range c.members() {
			pairs = append(pairs, peer.http+"/"+peer.raft)
		}
		role = []string{"-peers", strings.Join(pairs, ",")}
	}
	return n.start(c.program, append(append(role, "-timeout", c.timeout.String()), more...)...)
}

// startAll starts the members that do not run. Returns an error if one of them ended by itself.
func (c *cluster) startAll(more ...string) error {
	var err error
	for _, n := range c.members() {
		if n.runs() {
			continue
		}
		if n.process != nil && !n.mayEnd {
			err = errors.Join(err, fmt.Errorf("node %d ended: %s; see %s", n.number,
				n.process.ProcessState, n.log))
		}
		err = errors.Join(err, c.start(n, more...))
	}
	return err
}

func (c *cluster) killAll() {
	for _, n := range c.nodes {
		n.signal(syscall.SIGKILL)
	}
	for _, n := range c.nodes {
		n.kill()
	}
}

func (c *cluster) endAll() error {
	var err error
	for _, n := range c.members() {
		err = errors.Join(err, n.end())
	}
	return err
}

// leader waits for a node that a majority follows.
func (c *cluster) leader() (*node, status, error) {
	var which *node
	var its status
	err := waitFor("a leader", healSeconds, func() bool {
		votes := map[string]int{}
		which = nil
		for _, n := range c.nodes {
			if !n.runs() {
				continue
			}
			if found, is := n.status(); is {
				votes[found.Leader]++
				if found.State == "Leader" && found.Leader == n.http {
					which, its = n, found
				}
			}
		}
		return which != nil && votes[which.http] > members/2
	})
	return which, its, err
}

// follower returns a member that is not the leader.
func (c *cluster) follower(choice int) (*node, error) {
	leader, _, err := c.leader()
	if err != nil {
		return nil, err
	}
	return c.nodes[(leader.number+1+choice%(members-1))%members], nil
}

// heal waits until all members run, follow one leader, and have all that it had applied.
func (c *cluster) heal() error {
	_, its, err := c.leader()
	if err != nil {
		return err
	}
	for _, n := range c.members() {
		err = errors.Join(err, n.waitForEntry(its.Applied))
	}
	return err
}

// waitForEntry waits until the node follows a leader and has applied an entry.
func (n *node) waitForEntry(index uint64) error {
	err := waitFor(fmt.Sprintf("node %d has entry %d", n.number, index), healSeconds, func() bool {
		found, is := n.status()
		return is && found.Leader != "" && found.Applied >= index
	})
	if err != nil {
		err = fmt.Errorf("%w; see %s", err, n.log)
	}
	return err
}

// askLeader sends a request until some node, the leader, has done it.
func (c *cluster) askLeader(path string, query url.Values) error {
	return waitFor("the leader does "+path, healSeconds, func() bool {
		for _, n := range c.nodes {
			if n.runs() && ask(web, http.MethodPost, "http://"+n.http+path+"?"+query.Encode(),
				nil).status == http.StatusOK {
				return true
			}
		}
		return false
	})
}

func waitFor(what string, seconds int, condition func() bool) error {
	deadline := time.Now().Add(time.Duration(seconds) * time.Second)
	for !condition() {
		if time.Now().After(deadline) {
			return fmt.Errorf("not within %d s: %s", seconds, what)
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil
}
