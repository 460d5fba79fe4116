// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Uses of thread roles. Only compiled: clang's -verify fails if a warning named here is missing, or
// if there is another one.
#include "db/wal/wal_set.h"

namespace lull {

void LeadingWriter(WalSet* wals) LULL_REQUIRES(kLeadingWriter) {
  wals->Append("record");
  wals->Sync();
  wals->ListNumbers();
  wals->Prepare();  // expected-warning {{requires holding role 'kFlushThread'}}
}

void FlushThreadAlone(WalSet* wals) LULL_REQUIRES(kFlushThread) {
  wals->Prepare();
  wals->Release(wals->ListNumbers().in_use.back());
  wals->Append("record");  // expected-warning {{requires holding role 'kLeadingWriter'}}
  wals->Sync();            // expected-warning {{requires holding role 'kLeadingWriter'}}
  wals->Close();           // expected-warning {{requires holding role 'kLeadingWriter'}}
}

void AnyThread(WalSet* wals) {
  wals->memory_bytes();
  wals->Switch(1);    // expected-warning {{requires holding role 'kLeadingWriter'}}
  wals->TendPages();  // expected-warning {{requires holding role 'kFlushThread'}}
  {
    const RoleScope leads(kLeadingWriter);
    wals->Switch(1);
  }
  wals->Restart(1);  // expected-warning {{requires holding role 'kLeadingWriter'}}
}

bool Field(const WalFile& wal) {
  return wal.has_unsynced;  // expected-warning {{requires holding role 'kLeadingWriter'}}
}

}  // namespace lull
