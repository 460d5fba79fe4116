module raft_faults

go 1.22

require github.com/anishathalye/porcupine v1.0.2
