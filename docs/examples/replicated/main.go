// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

// One node of a replicated key-value store. Its nodes agree with Raft on the order of all writes.
// Raft's log and the state are in two LevelDB stores: in the system's library, or in Lull with
// LD_LIBRARY_PATH. The node listens on HTTP for clients (server.go), and on TCP for other nodes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/hashicorp/raft"
)

type settings struct {
	folder, http, raft string
	peers              []raft.Server
	join               []string
	timeout            time.Duration
	snapshot, keep     uint64
}

// split returns the parts of a flag with several values.
func split(value string) []string {
	return strings.FieldsFunc(value, func(c rune) bool { return c == ',' })
}

func checkAddress(name, value string) error {
	if host, port, err := net.SplitHostPort(value); err != nil || host == "" || port == "" {
		return fmt.Errorf("-%s %q: expected HOST:PORT, such as 127.0.0.1:27001", name, value)
	}
	return nil
}

func readFlags() (*settings, error) {
	s := &settings{}
	flag.StringVar(&s.folder, "folder", "", "the node's data")
	flag.StringVar(&s.http, "http", "", "HOST:PORT for clients; also the node's name")
	flag.StringVar(&s.raft, "raft", "", "HOST:PORT for the other nodes")
	peers := flag.String("peers", "", "the nodes of a new store, this one too: HTTP/RAFT,...")
	join := flag.String("join", "", "HOST:PORT,... for clients of nodes to join, if the folder is new")
	flag.DurationVar(&s.timeout, "timeout", time.Second, "without a leader before an election")
	flag.Uint64Var(&s.snapshot, "snapshot-entries", 65536, "after how many entries a snapshot is due")
	flag.Uint64Var(&s.keep, "keep-entries", 16384, "how many of them the log keeps nevertheless")
	flag.Parse()

	if s.folder == "" {
		return nil, errors.New(`-folder "": name a directory, which can be new`)
	}
	err := errors.Join(checkAddress("http", s.http), checkAddress("raft", s.raft))
	for _, address := range split(*join) {
		s.join = append(s.join, address)
		err = errors.Join(err, checkAddress("join", address))
	}
	for _, pair := range split(*peers) {
		client, node, _ := strings.Cut(pair, "/")
		if checkAddress("", client) != nil || checkAddress("", node) != nil {
			err = errors.Join(err, fmt.Errorf("-peers %q: expected HTTP/RAFT, such as "+
				"127.0.0.1:27001/127.0.0.1:27000", pair))
		}
		s.peers = append(s.peers,
			raft.Server{ID: raft.ServerID(client), Address: raft.ServerAddress(node)})
	}
	if (*peers == "") == (*join == "") {
		err = errors.Join(err, errors.New("-peers and -join: give one of them"))
	}
	return s, err
}

// node is what a process has open.
type node struct {
	log     *logStore
	machine *machine
	raft    *raft.Raft
	isNew   bool
}

func (s *settings) config() *raft.Config {
	config := raft.DefaultConfig()
	config.LocalID = raft.ServerID(s.http)
	config.HeartbeatTimeout = s.timeout
	config.ElectionTimeout = s.timeout
	config.LeaderLeaseTimeout = s.timeout / 2
	config.SnapshotThreshold = s.snapshot
	config.SnapshotInterval = 10 * time.Second
	config.TrailingLogs = s.keep
	config.LogLevel = "WARN"
	return config
}

func openNode(s *settings) (*node, error) {
	if err := os.MkdirAll(s.folder, 0o755); err != nil {
		return nil, err
	}
	n := &node{}
	var err error
	if n.log, err = openLogStore(s.folder + "/log"); err != nil {
		return nil, err
	}
	if n.machine, err = openMachine(s.folder); err != nil {
		return nil, err
	}
	snapshots, err := raft.NewFileSnapshotStore(s.folder, 2, os.Stderr)
	if err != nil {
		return nil, err
	}
	transport, err := raft.NewTCPTransport(s.raft, nil, 3, s.timeout, os.Stderr)
	if err != nil {
		return nil, fmt.Errorf("-raft %s: %w; choose a free port", s.raft, err)
	}
	known, err := raft.HasExistingState(n.log, n.log, snapshots)
	if err != nil {
		return nil, err
	}
	n.isNew = !known
	config := s.config()
	list, err := snapshots.List()
	if err != nil {
		return nil, err
	}
	// The state on disk is usually newer than the newest snapshot.
	config.NoSnapshotRestoreOnStart = len(list) == 0 || list[0].Index <= n.machine.applied.Load()
	cache, err := raft.NewLogCache(512, n.log)
	if err != nil {
		return nil, err
	}
	n.raft, err = raft.NewRaft(config, n.machine, cache, n.log, snapshots, transport)
	if err == nil && n.isNew && len(s.peers) > 0 {
		err = n.raft.BootstrapCluster(raft.Configuration{Servers: s.peers}).Error()
	}
	return n, err
}

func (n *node) close() {
	if err := n.raft.Shutdown().Error(); err != nil {
		log.Print(err)
	}
	n.machine.close()
	n.log.close()
}

// askToJoin asks all nodes until one of them, the leader, has added this one.
func askToJoin(s *settings) {
	query := url.Values{"id": {s.http}, "raft": {s.raft}}.Encode()
	for {
		for _, address := range s.join {
			answer, err := http.Post("http://"+address+"/join?"+query, "", nil)
			if err != nil {
				log.Printf("-join %s: %v; trying again", address, err)
				continue
			}
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func run() error {
	s, err := readFlags()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", s.http)
	if err != nil {
		return fmt.Errorf("-http %s: %w; choose a free port", s.http, err)
	}
	n, err := openNode(s)
	if err != nil {
		return err
	}
	web := &http.Server{Handler: newServer(n.raft, n.log, n.machine)}
	go web.Serve(listener)
	if n.isNew && len(s.join) > 0 {
		go askToJoin(s)
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	<-stop
	ending, cancel := context.WithTimeout(context.Background(), s.timeout)
	defer cancel()
	web.Shutdown(ending)
	n.close()
	return nil
}

func main() {
	log.SetPrefix("replicated: ")
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
