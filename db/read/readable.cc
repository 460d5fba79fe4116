// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/read/readable.h"

namespace lull {

leveldb::Status NotOurs(const char* function) {
  return leveldb::Status::InvalidArgument(
      function,
      "the DB is not one that leveldb::DB::Open, lull::Open or lull::OpenReadOnly of "
      "Lull returned");
}

}  // namespace lull
