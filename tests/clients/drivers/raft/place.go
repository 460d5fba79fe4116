// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

const (
	insideVariable = "RAFT_FAULTS_INSIDE"
	diskBytes      = 1 << 30
)

// enterPlace runs this program again in network and mount namespaces of its own, which end with it.
// It returns false if that is not permitted: then this process continues without them.
func enterPlace() (code int, entered bool) {
	if os.Getenv(insideVariable) != "" || os.Getuid() != 0 {
		return 0, false
	}
	inside := exec.Command("/proc/self/exe", os.Args[1:]...)
	inside.Stdout, inside.Stderr = os.Stdout, os.Stderr
	inside.Env = append(os.Environ(), insideVariable+"=1")
	inside.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	if err := inside.Start(); err != nil {
		fmt.Println("no namespaces here:", err)
		return 0, false
	}
	inside.Wait()
	return inside.ProcessState.ExitCode(), true
}

// place is what nodes stand in: networks that can be cut, and disks that can be filled.
type place struct {
	networks, disks bool
}

// preparePlace gives each node a network namespace with a link to clients and one to the other
// nodes, and a tmpfs of its own.
func preparePlace(c *cluster, folder string) (*place, error) {
	p := &place{}
	for _, n := range c.nodes {
		if err := os.MkdirAll(n.folder, 0o755); err != nil {
			return nil, err
		}
	}
	if os.Getenv(insideVariable) == "" {
		return p, nil
	}
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return nil, fmt.Errorf("mount --make-rprivate /: %w", err)
	}
	p.networks = complain("networks", makeNetworks(c))
	p.disks = complain("disks", makeDisks(c))
	return p, nil
}

// complain returns whether there was no error.
func complain(what string, err error) bool {
	if err != nil {
		fmt.Printf("no %s to break here: %v\n", what, err)
	}
	return err == nil
}

// makeNetworks connects the nodes with two bridges: 10.0.0.0/24 for clients, 10.0.1.0/24 for nodes.
func makeNetworks(c *cluster) error {
	const bridges = `
mkdir -p /run/netns
mount -t tmpfs names /run/netns
ip link set lo up
ip link add clients type bridge
ip link add nodes type bridge
ip addr add 10.0.0.254/24 dev clients
ip link set clients up
ip link set nodes up`
	const links = `
ip netns add nodeN
ip -n nodeN link set lo up
ip link add cN type veth peer name eth0 netns nodeN
ip link add nN type veth peer name eth1 netns nodeN
ip -n nodeN addr add 10.0.0.IP/24 dev eth0
ip -n nodeN addr add 10.0.1.IP/24 dev eth1
ip -n nodeN link set eth0 up
ip -n nodeN link set eth1 up
ip link set cN master clients up
ip link set nN master nodes up`
	if err := runLines(bridges); err != nil {
		return err
	}
	for _, n := range c.nodes {
		number := fmt.Sprint(n.number)
		lines := strings.NewReplacer("IP", fmt.Sprint(n.number+1), "N", number).Replace(links)
		if err := runLines(lines); err != nil {
			return err
		}
	}
	for _, n := range c.nodes {
		n.prefix = []string{"nsenter", "--net=/run/netns/node" + fmt.Sprint(n.number)}
		n.http = fmt.Sprintf("10.0.0.%d:8000", n.number+1)
		n.raft = fmt.Sprintf("10.0.1.%d:9000", n.number+1)
	}
	return nil
}

func makeDisks(c *cluster) error {
	for _, n := range c.nodes {
		err := syscall.Mount("disk", n.folder, "tmpfs", 0, fmt.Sprintf("size=%d", diskBytes))
		if err != nil {
			return err
		}
	}
	return nil
}

// runLines runs each line as a command.
func runLines(lines string) error {
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		words := strings.Fields(line)
		if said, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", line, err, said)
		}
	}
	return nil
}

// cut separates a node from the other nodes, and with `all` from clients too. Packets are lost
// without a notice, as with a broken switch.
func (p *place) cut(n *node, all bool) error {
	err := runLines(fmt.Sprintf("ip link set n%d nomaster", n.number))
	if err == nil && all {
		err = runLines(fmt.Sprintf("ip link set c%d nomaster", n.number))
	}
	return err
}

func (p *place) reconnect(n *node) error {
	return runLines(fmt.Sprintf("ip link set n%d master nodes\nip link set c%d master clients",
		n.number, n.number))
}

// fill leaves no space on a node's disk.
func (p *place) fill(n *node) error {
	for {
		found := syscall.Statfs_t{}
		if err := syscall.Statfs(n.folder, &found); err != nil {
			return err
		}
		used := (found.Blocks - found.Bfree) * uint64(found.Bsize)
		err := resize(n, used)
		if !errors.Is(err, syscall.EINVAL) {
			return err // EINVAL: the node has written meanwhile
		}
	}
}

func (p *place) free(n *node) error {
	return resize(n, diskBytes)
}

func resize(n *node, size uint64) error {
	err := syscall.Mount("disk", n.folder, "tmpfs", syscall.MS_REMOUNT, fmt.Sprintf("size=%d", size))
	if err != nil {
		return fmt.Errorf("%s: remount with size=%d: %w", n.folder, size, err)
	}
	return nil
}
