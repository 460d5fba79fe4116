// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The writes of a process, in shared memory that outlives it. One process writes; another reads
// after the first has ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/support/model.h"

namespace lull::testing {

class Journal {
 public:
  Journal();
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  void Begin(const WriteOps& ops);
  void End(bool acked);
  void SetOutOfMemory() { header_->out_of_memory = 1; }

  bool out_of_memory() const { return header_->out_of_memory != 0; }
  void ReplayTo(CommitLog* log) const;

 private:
  struct Header {
    uint64_t used;
    uint64_t last;  // where the last write begins
    uint32_t out_of_memory;
  };

  void Add(const void* bytes, size_t count);
  void AddNumber(uint32_t number) { Add(&number, sizeof(number)); }

  char* memory_ = nullptr;
  Header* header_ = nullptr;
};

}  // namespace lull::testing
