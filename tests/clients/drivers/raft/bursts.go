// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

package main

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"net/http"
	"os"
	"sort"
	"strings"
	"sync"
	"time"
)

// bursts is a load of batches of puts: all clients write for a while, then none does.
type bursts struct {
	program, folder string
	clients, batch  int
	value, keys     int
	count           int
	on, off         time.Duration
}

// figures is what clients saw of one run on one library.
type figures struct {
	library   string
	perSecond float64 // puts, in the bursts
	p50, p99  time.Duration
	p999, max time.Duration
}

func (f figures) String() string {
	millis := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return fmt.Sprintf("| %s | %.0f | %.1f | %.1f | %.1f | %.1f |", f.library, f.perSecond,
		millis(f.p50), millis(f.p99), millis(f.p999), millis(f.max))
}

// appendPut encodes a put as the example's /batch expects it.
func appendPut(to []byte, key, value []byte) []byte {
	to = append(to, 'p')
	for _, field := range [][]byte{key, value, nil} {
		to = binary.AppendUvarint(to, uint64(len(field)))
		to = append(to, field...)
	}
	return to
}

func (b *bursts) makeBatch(random *rand.Rand, value []byte) []byte {
	body := make([]byte, 0, b.batch*(b.value+32))
	for i := 0; i < b.batch; i++ {
		random.Read(value)
		body = appendPut(body, fmt.Appendf(nil, "key%010d", random.Intn(b.keys)), value)
	}
	return body
}

// write sends batches to the leader until the deadline. It returns their latencies.
func (b *bursts) write(
	leader string, random *rand.Rand, deadline time.Time,
) ([]time.Duration, error) {
	latencies := []time.Duration{}
	value := make([]byte, b.value)
	for time.Now().Before(deadline) {
		body := b.makeBatch(random, value)
		begin := time.Now()
		answer := ask(patient, http.MethodPost, "http://"+leader+"/batch", body)
		if answer.status != http.StatusOK {
			return nil, fmt.Errorf("a write failed: status %d: %s", answer.status, answer.body)
		}
		latencies = append(latencies, time.Since(begin))
	}
	return latencies, nil
}

// burst runs all clients once.
func (b *bursts) burst(leader string, seed int64) ([]time.Duration, error) {
	var all []time.Duration
	var failure error
	var mutex sync.Mutex
	var running sync.WaitGroup
	deadline := time.Now().Add(b.on)
	for number := 0; number < b.clients; number++ {
		running.Add(1)
		go func(random *rand.Rand) {
			defer running.Done()
			latencies, err := b.write(leader, random, deadline)
			mutex.Lock()
			defer mutex.Unlock()
			all = append(all, latencies...)
			failure = errors.Join(failure, err)
		}(rand.New(rand.NewSource(seed + int64(number))))
	}
	running.Wait()
	return all, failure
}

// run measures one library, with nodes that begin with nothing.
func (b *bursts) run(name, path string, seed int64) (figures, error) {
	if err := errors.Join(os.RemoveAll(b.folder), os.MkdirAll(b.folder, 0o755)); err != nil {
		return figures{}, err
	}
	c := newCluster(b.program, b.folder, time.Second)
	defer os.RemoveAll(b.folder)
	defer c.killAll()
	for _, n := range c.nodes {
		n.environ = []string{"LD_LIBRARY_PATH=" + path}
	}
	if err := c.startAll(); err != nil {
		return figures{}, err
	}
	leader, _, err := c.leader()
	if err != nil {
		return figures{}, err
	}
	all, writing := []time.Duration{}, time.Duration(0)
	for number := 0; number < b.count; number++ {
		begin := time.Now()
		latencies, err := b.burst(leader.http, seed+int64(number*b.clients))
		if err != nil {
			return figures{}, err
		}
		all, writing = append(all, latencies...), writing+time.Since(begin)
		time.Sleep(b.off)
	}
	return summarize(name, all, float64(len(all)*b.batch)/writing.Seconds()), c.endAll()
}

func summarize(name string, all []time.Duration, perSecond float64) figures {
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
	at := func(part float64) time.Duration { return all[int(part*float64(len(all)-1))] }
	return figures{name, perSecond, at(0.5), at(0.99), at(0.999), at(1)}
}

// median returns the middle of each figure.
func median(runs []figures) figures {
	middle := func(of func(figures) float64) float64 {
		values := []float64{}
		for _, run := range runs {
			values = append(values, of(run))
		}
		sort.Float64s(values)
		return values[len(values)/2]
	}
	duration := func(of func(figures) time.Duration) time.Duration {
		return time.Duration(middle(func(f figures) float64 { return float64(of(f)) }))
	}
	return figures{"median of " + runs[0].library,
		middle(func(f figures) float64 { return f.perSecond }),
		duration(func(f figures) time.Duration { return f.p50 }),
		duration(func(f figures) time.Duration { return f.p99 }),
		duration(func(f figures) time.Duration { return f.p999 }),
		duration(func(f figures) time.Duration { return f.max })}
}

func runBursts(arguments []string) error {
	b := &bursts{}
	flags := flag.NewFlagSet("bursts", flag.ExitOnError)
	flags.StringVar(&b.program, "program", "", "of docs/examples/replicated/make")
	flags.StringVar(&b.folder, "folder", "", "for the nodes; is emptied first, and removed")
	libraries := flags.String("libraries", "stock=", "NAME=DIRECTORY,... of libleveldb.so.1d")
	repeats := flags.Int("repeats", 3, "runs on each library, in turn")
	flags.IntVar(&b.clients, "clients", 8, "each of which waits for its answer")
	flags.IntVar(&b.batch, "batch", 16, "puts in a request")
	flags.IntVar(&b.value, "value", 1024, "bytes in a value")
	flags.IntVar(&b.keys, "keys", 200000, "different keys")
	flags.IntVar(&b.count, "count", 6, "bursts in a run")
	flags.DurationVar(&b.on, "on", 3*time.Second, "length of a burst")
	flags.DurationVar(&b.off, "off", 3*time.Second, "time between bursts")
	seed := flags.Int64("seed", 1, "chooses keys and values")
	flags.Parse(arguments)
	fmt.Println("| library | puts/s in bursts | p50, ms | p99, ms | p99.9, ms | max, ms |")
	fmt.Println("|---|---|---|---|---|---|")
	results := map[string][]figures{}
	names := strings.Split(*libraries, ",")
	for repeat := 0; repeat < *repeats; repeat++ {
		for _, library := range names {
			name, path, _ := strings.Cut(library, "=")
			found, err := b.run(name, path, *seed+int64(repeat)<<20)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			fmt.Println(found)
			results[library] = append(results[library], found)
		}
	}
	for _, library := range names {
		fmt.Println(median(results[library]))
	}
	return nil
}
