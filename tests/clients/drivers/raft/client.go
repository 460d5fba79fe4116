// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

const (
	requestTimeout = time.Second
	dialTimeout    = 300 * time.Millisecond
	keysPerRound   = 3
)

// answer is a node's. Status 0: no answer came, and the request may have arrived.
type answer struct {
	status int
	leader string // its address, if the node named it
	body   []byte
}

// notDone is the status of an answer if the node could not be reached at all.
const notDone = http.StatusMisdirectedRequest

var web = &http.Client{
	Timeout: requestTimeout,
	Transport: &http.Transport{
		DialContext:         (&net.Dialer{Timeout: dialTimeout}).DialContext,
		MaxIdleConnsPerHost: 64,
	},
}

func ask(client *http.Client, method, address string, body []byte) answer {
	request, err := http.NewRequest(method, address, bytes.NewReader(body))
	if err != nil {
		panic(err) // the driver made the URL
	}
	response, err := client.Do(request)
	if err != nil {
		var dial *net.OpError
		if errors.As(err, &dial) && dial.Op == "dial" {
			return answer{status: notDone}
		}
		return answer{}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return answer{}
	}
	return answer{response.StatusCode, response.Header.Get("Leader"), text}
}

// load is the clients that read and write while faults happen. Each round has keys of its own, so
// that histories stay short; a few reads go to keys of earlier rounds.
type load struct {
	begin   time.Time
	seed    int64
	history *history
	targets func() []string // the addresses that clients know
	round   atomic.Int64
	done    atomic.Int64 // operations with an answer
	stop    chan struct{}
	running sync.WaitGroup
	errors  chan error // answers that no client should get
}

func startLoad(seed int64, clients int, targets func() []string) *load {
	l := &load{begin: time.Now(), seed: seed, history: newHistory(), targets: targets,
		stop: make(chan struct{}), errors: make(chan error, 1)}
	for number := 0; number < clients; number++ {
		l.running.Add(1)
		go l.run(number)
	}
	return l
}

func (l *load) end() {
	close(l.stop)
	l.running.Wait()
}

func keyOf(round, number int64) string {
	return fmt.Sprintf("round%d-key%d", round, number)
}

type client struct {
	*load
	number int
	random *rand.Rand
	target string
	last   map[string]string // the value that it last saw
	writes int
}

func (l *load) client(number int) *client {
	return &client{load: l, number: number, last: map[string]string{},
		random: rand.New(rand.NewSource(l.seed + int64(number)))}
}

func (l *load) run(number int) {
	defer l.running.Done()
	c := l.client(number)
	for {
		select {
		case <-l.stop:
			return
		case <-time.After(time.Duration(c.random.Intn(6)) * time.Millisecond):
		}
		round := l.round.Load()
		in := c.next()
		if in.kind == get && c.random.Intn(20) == 0 && round > 0 {
			round = c.random.Int63n(round)
		}
		c.operate(keyOf(round, c.random.Int63n(keysPerRound)), in)
	}
}

func (c *client) next() input {
	switch choice := c.random.Intn(20); {
	case choice < 8:
		return input{kind: get}
	case choice < 10:
		return input{kind: erase}
	case choice < 15:
		return input{kind: swap}
	}
	return input{kind: put}
}

// operate does one operation and records it, unless it certainly did nothing.
func (c *client) operate(key string, in input) bool {
	if in.kind == put || in.kind == swap {
		c.writes++
		in.value = fmt.Sprintf("c%d-%d", c.number, c.writes)
	}
	if in.kind == swap {
		in.expected = c.last[key]
	}
	if c.target == "" {
		all := c.targets()
		c.target = all[c.random.Intn(len(all))]
	}
	call := time.Since(c.begin)
	answer := c.send(key, in)
	end := time.Since(c.begin)
	out := output{}
	switch answer.status {
	case http.StatusOK:
		out.done, out.value = true, string(answer.body)
	case http.StatusNotFound, http.StatusPreconditionFailed:
	case notDone, http.StatusTooManyRequests:
		c.target = answer.leader
		time.Sleep(time.Duration(c.random.Intn(20)) * time.Millisecond)
		return false
	case 0, http.StatusServiceUnavailable:
		out.unknown = true
		c.target = ""
	default:
		select {
		case c.errors <- fmt.Errorf("%s %s: status %d: %s", in.kind, key, answer.status, answer.body):
		default:
		}
		return false
	}
	c.history.add(c.number, key, in, out, call, end)
	if out.unknown {
		return false
	}
	c.done.Add(1)
	c.remember(key, in, out)
	return true
}

func (c *client) send(key string, in input) answer {
	address := "http://" + c.target + "/kv/" + key
	switch in.kind {
	case get:
		return ask(web, http.MethodGet, address, nil)
	case erase:
		return ask(web, http.MethodDelete, address, nil)
	case swap:
		address += "?expect=" + url.QueryEscape(in.expected)
	}
	return ask(web, http.MethodPut, address, []byte(in.value))
}

func (c *client) remember(key string, in input, out output) {
	switch {
	case in.kind == get:
		c.last[key] = out.value
	case in.kind == erase:
		delete(c.last, key)
	case out.done:
		c.last[key] = in.value
	}
}

// readAll reads each key once, after the clients have ended, so that the history has their last
// values.
func (l *load) readAll(seconds int) error {
	c := l.client(-1)
	deadline := time.Now().Add(time.Duration(seconds) * time.Second)
	for round := int64(0); round <= l.round.Load(); round++ {
		for number := int64(0); number < keysPerRound; number++ {
			for !c.operate(keyOf(round, number), input{kind: get}) {
				if time.Now().After(deadline) {
					return fmt.Errorf("%s cannot be read", keyOf(round, number))
				}
			}
		}
	}
	return nil
}
