// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/hashicorp/raft"
)

const (
	requestBytesMax = 4 << 20
	// How long a write or a change of members may wait until the leader begins with it.
	queueTimeout = time.Second
	// Names the leader in an answer, by its address for clients.
	leaderHeader = "Leader"
)

// server answers clients over HTTP. Statuses:
//
//	200, 404  done; GET: the key has no value
//	412       PUT with ?expect=: the key has another value
//	421, 429  not done: this node is not the leader (the header Leader names it), or has no time
//	503       the outcome is unknown: the leader changed meanwhile
type server struct {
	raft    *raft.Raft
	log     *logStore
	machine *machine
	readers chan chan error
}

func newServer(r *raft.Raft, log *logStore, m *machine) http.Handler {
	s := &server{r, log, m, make(chan chan error, 1024)}
	go s.confirmReads()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /kv/{key}", s.get)
	mux.HandleFunc("PUT /kv/{key}", s.put)
	mux.HandleFunc("DELETE /kv/{key}", s.delete)
	mux.HandleFunc("POST /batch", s.batch)
	mux.HandleFunc("POST /join", s.join)
	mux.HandleFunc("POST /remove", s.remove)
	mux.HandleFunc("POST /snapshot", s.snapshot)
	mux.HandleFunc("GET /status", s.status)
	mux.HandleFunc("GET /contents", s.contents)
	return mux
}

// fail answers a request that Raft refused.
func (s *server) fail(w http.ResponseWriter, err error) {
	status := http.StatusServiceUnavailable
	if errors.Is(err, raft.ErrNotLeader) || errors.Is(err, raft.ErrLeadershipTransferInProgress) {
		status = http.StatusMisdirectedRequest
	} else if errors.Is(err, raft.ErrEnqueueTimeout) {
		status = http.StatusTooManyRequests
	}
	if _, leader := s.raft.LeaderWithID(); leader != "" {
		w.Header().Set(leaderHeader, string(leader))
	}
	http.Error(w, err.Error(), status)
}

// answer answers a request that needs nothing but Raft's consent.
func (s *server) answer(w http.ResponseWriter, err error) {
	if err != nil {
		s.fail(w, err)
		return
	}
	io.WriteString(w, "ok\n")
}

// apply replicates commands and answers when they are applied here.
func (s *server) apply(w http.ResponseWriter, commands []byte) {
	if _, err := decodeCommands(commands); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	future := s.raft.Apply(commands, queueTimeout)
	if err := future.Error(); err != nil {
		s.fail(w, err)
		return
	}
	switch result := future.Response().(type) {
	case error:
		http.Error(w, result.Error(), http.StatusInternalServerError)
	case int:
		if result > 0 {
			http.Error(w, "the key has another value", http.StatusPreconditionFailed)
			return
		}
		s.answer(w, nil)
	default:
		s.fail(w, errors.New("the entry has no result"))
	}
}

// body returns false if it has answered the request.
func body(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, requestBytesMax))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
	return data, err == nil
}

func (s *server) put(w http.ResponseWriter, r *http.Request) {
	value, ok := body(w, r)
	if !ok {
		return
	}
	c := command{kind: kindPut, key: []byte(r.PathValue("key")), value: value}
	if query := r.URL.Query(); query.Has("expect") {
		c.kind, c.expected = kindSwap, []byte(query.Get("expect"))
	}
	s.apply(w, appendCommand(nil, c))
}

func (s *server) delete(w http.ResponseWriter, r *http.Request) {
	s.apply(w, appendCommand(nil, command{kind: kindDelete, key: []byte(r.PathValue("key"))}))
}

// batch applies encoded commands as one entry of the log.
func (s *server) batch(w http.ResponseWriter, r *http.Request) {
	if commands, ok := body(w, r); ok {
		s.apply(w, commands)
	}
}

func (s *server) get(w http.ResponseWriter, r *http.Request) {
	confirmed := make(chan error, 1)
	s.readers <- confirmed
	if err := <-confirmed; err != nil {
		s.fail(w, err)
		return
	}
	value, err := s.machine.Get([]byte(r.PathValue("key")))
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	case value == nil:
		http.Error(w, "no value", http.StatusNotFound)
	default:
		w.Write(value)
	}
}

// confirmReads makes reads linearizable: an entry that begins after the read, and is applied before
// it reads, shows that this node was the leader in between and has all earlier writes. One entry
// serves all reads that wait.
//
// Raft.VerifyLeader writes no entry, but it does not suffice: it accepts the response to a message
// that was sent before the read. A leader that was paused can find such a response when it
// continues, after its successor has taken writes.
func (s *server) confirmReads() {
	for first := range s.readers {
		waiting := []chan error{first}
		for more := true; more; {
			select {
			case next := <-s.readers:
				waiting = append(waiting, next)
			default:
				more = false
			}
		}
		err := s.raft.Barrier(queueTimeout).Error()
		for _, reader := range waiting {
			reader <- err
		}
	}
}

// join adds a node: ?id=ADDRESS_FOR_CLIENTS&raft=ADDRESS_FOR_NODES.
func (s *server) join(w http.ResponseWriter, r *http.Request) {
	id, address := r.URL.Query().Get("id"), r.URL.Query().Get("raft")
	if id == "" || address == "" {
		http.Error(w, "id or raft is missing: /join?id=HOST:PORT&raft=HOST:PORT", http.StatusBadRequest)
		return
	}
	added := s.raft.AddVoter(raft.ServerID(id), raft.ServerAddress(address), 0, queueTimeout)
	s.answer(w, added.Error())
}

// remove removes a node: ?id=ADDRESS_FOR_CLIENTS.
func (s *server) remove(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("id")
	if id == "" {
		http.Error(w, "id is missing: /remove?id=HOST:PORT", http.StatusBadRequest)
		return
	}
	s.answer(w, s.raft.RemoveServer(raft.ServerID(id), 0, queueTimeout).Error())
}

// snapshot makes this node write a snapshot now, and delete the entries before it.
func (s *server) snapshot(w http.ResponseWriter, _ *http.Request) {
	err := s.raft.Snapshot().Error()
	if errors.Is(err, raft.ErrNothingNewToSnapshot) {
		err = nil
	}
	s.answer(w, err)
}

// status is about this node only. Applied counts entries that clients' writes made.
func (s *server) status(w http.ResponseWriter, _ *http.Request) {
	_, leader := s.raft.LeaderWithID()
	first, _ := s.log.FirstIndex()
	last, _ := s.log.LastIndex()
	json.NewEncoder(w).Encode(map[string]any{
		"state":       s.raft.State().String(),
		"leader":      string(leader),
		"applied":     s.machine.applied.Load(),
		"first_entry": first,
		"last_entry":  last,
		"saved":       s.machine.saved.Load(),
		"restored":    s.machine.restored.Load(),
		"checkpoints": hasCheckpoints(),
	})
}

// contents hashes this node's copy, without asking the others.
func (s *server) contents(w http.ResponseWriter, _ *http.Request) {
	keys, hash, err := s.machine.Contents()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	json.NewEncoder(w).Encode(map[string]any{"keys": keys, "sha256": hash})
}
