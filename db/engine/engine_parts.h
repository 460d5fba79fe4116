// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The parts of a store that the others use. Store owns them, and they outlive their users.
#pragma once

namespace lull {

class AppliedDirective;
class Coordinator;
class DiskSpace;
class ObsoleteFiles;
class Reporting;
class StoreReader;
class StoreState;
struct PublishedFlags;
struct StoreContext;

struct EngineParts {
  StoreContext* context;
  Coordinator* coordinator;
  StoreState* state;
  StoreReader* reader;
  const PublishedFlags* flags;
  const AppliedDirective* applied;
  DiskSpace* disk;
  ObsoleteFiles* obsolete;
  Reporting* reporting;
};

}  // namespace lull
