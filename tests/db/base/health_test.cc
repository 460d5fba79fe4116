// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/base/health.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace lull {
namespace {

constexpr uint64_t kNow = 100;
constexpr uint64_t kLater = 200;  // time of the retry of failed work

leveldb::Status Error(const std::string& what) { return leveldb::Status::IOError(what); }

// The events, by the words used for them below. An error is named after its event.
void Report(const std::string& event, StoreHealth* health) {
  const std::map<std::string, std::function<void()>> events = {
      {"opened", [=] { health->Opened(); }},
      {"closing", [=] { health->Closing(); }},
      {"wal", [=] { health->WalFailed(Error("wal")); }},
      {"wal-restarted", [=] { health->WalRestarted(); }},
      {"manifest-full", [=] { health->ManifestFailed(Error("manifest-full"), true); }},
      {"manifest-lost", [=] { health->ManifestFailed(Error("manifest-lost"), false); }},
      {"manifest-restored", [=] { health->ManifestRestored(); }},
      {"fatal", [=] { health->WritesFailed(Error("fatal")); }},
      {"flush", [=] { health->FlushFailed(Error("flush"), kLater); }},
      {"flushed", [=] { health->FlushInstalled(); }},
      {"compaction", [=] { health->CompactionFailed(Error("compaction"), kLater); }},
      {"no-space", [=] { health->CompactionLacksSpace(Error("no-space")); }},
      {"compacted", [=] { health->CompactionInstalled(); }},
      {"unreadable", [=] { health->InputUnreadable(Error("unreadable"), kLater); }},
      {"readable", [=] { health->InputsReadable(); }},
      {"retry-flush", [=] { health->RetryFlushNow(); }},
      {"retry", [=] { health->RetryNow(); }},
  };
  const auto found = events.find(event);
  ASSERT_NE(found, events.end()) << event;
  found->second();
}

std::string ErrorOf(const leveldb::Status& status) {
  const std::string text = status.ToString();
  return text.substr(text.rfind(' ') + 1);
}

// What the store may not do at kNow after `events`, which are separated by spaces.
std::string RefusedAfter(const std::string& events) {
  PublishedFlags flags;
  StoreHealth health(&flags);
  std::istringstream words(events);
  for (std::string word; words >> word;) Report(word, &health);
  EXPECT_EQ(flags.refuses_writes, !health.WhyNotWritten().ok()) << events;
  EXPECT_EQ(flags.may_install, health.MayInstall()) << events;
  std::string text;
  const auto say = [&text](bool is_refused, const std::string& what) {
    if (is_refused) text += (text.empty() ? "" : ", ") + what;
  };
  say(!health.WhyNotWritten().ok(), "write: " + ErrorOf(health.WhyNotWritten()));
  say(!health.MayInstall(), "flush and install");
  say(health.MayInstall() && health.flush_retry_at_nanos() > kNow, "flush until later");
  say(!health.MayCompact(kNow), health.MayCompact(kLater) ? "compact until later" : "compact");
  say(!flags.MayDelete(), "delete");
  return text;
}

TEST(StoreHealth, SaysWhatMayBeDoneAfterEachEvent) {
  const std::string none = "flush and install, compact, delete";
  const std::vector<std::pair<const char*, std::string>> rows = {
      {"", "delete"},
      {"opened", ""},
      {"opened closing", "delete"},
      {"opened wal", "write: wal"},
      {"opened wal wal-restarted", ""},
      {"opened manifest-full", "write: manifest-full, " + none},
      {"opened manifest-full manifest-restored", ""},
      {"opened manifest-lost", "write: manifest-lost, " + none},
      {"opened fatal", "write: fatal, compact"},
      {"opened flush", "flush until later"},
      {"opened flush retry-flush", ""},
      {"opened compaction", "compact until later"},
      {"opened compaction retry-flush", "compact until later"},
      {"opened compaction retry", ""},
      {"opened no-space", ""},
      {"opened compaction no-space", "compact until later"},
      {"opened unreadable", "compact until later"},
      {"opened unreadable retry readable", ""},
      // Of several errors each must end.
      {"opened wal manifest-full manifest-restored", "write: wal"},
      {"opened wal manifest-full wal-restarted", "write: manifest-full, " + none},
      {"opened wal fatal wal-restarted", "write: fatal, compact"},
      {"opened manifest-full fatal", "write: manifest-full, " + none},
      {"opened manifest-full fatal manifest-restored", "write: fatal, compact"},
      {"opened manifest-lost manifest-restored", "write: manifest-lost, " + none},
      // Where writes are refused anyway, the store does not begin another MANIFEST.
      {"opened fatal manifest-full", "write: fatal, " + none},
      {"opened fatal manifest-full manifest-restored", "write: fatal, " + none},
      {"opened manifest-full closing manifest-restored", "delete"},
  };
  for (const auto& [events, refused] : rows) EXPECT_EQ(RefusedAfter(events), refused) << events;
}

// The error that a waiting write or client gets.
std::string ErrorsAfter(const std::string& events) {
  PublishedFlags flags;
  StoreHealth health(&flags);
  std::istringstream words(events);
  uint64_t errors_before = 0;
  for (std::string word; words >> word;) {
    if (word == "|") {
      errors_before = health.background_errors();
    } else {
      Report(word, &health);
    }
  }
  return "flush " + ErrorOf(health.WhyNotFlushed()) + ", compact " +
         ErrorOf(health.WhyNotCompacted()) + ", damage " + ErrorOf(health.damage()) + ", since " +
         ErrorOf(health.ErrorSince(errors_before));
}

TEST(StoreHealth, SaysWhyWorkDoesNotEnd) {
  const std::vector<std::pair<const char*, const char*>> rows = {
      {"|", "flush OK, compact OK, damage OK, since OK"},
      {"| flush", "flush flush, compact flush, damage OK, since flush"},
      {"| flush flushed", "flush OK, compact OK, damage OK, since OK"},
      // The disk has room again, as far as a compaction can tell.
      {"| flush compacted", "flush flush, compact OK, damage OK, since OK"},
      {"| compaction", "flush OK, compact compaction, damage OK, since compaction"},
      {"| no-space", "flush OK, compact no-space, damage OK, since no-space"},
      {"| no-space compacted", "flush OK, compact OK, damage OK, since OK"},
      {"| compaction compacted", "flush OK, compact OK, damage OK, since OK"},
      {"| compaction flushed", "flush OK, compact OK, damage OK, since OK"},
      {"compaction |", "flush OK, compact compaction, damage OK, since OK"},
      {"compaction | fatal", "flush fatal, compact fatal, damage OK, since fatal"},
      {"| unreadable", "flush OK, compact OK, damage unreadable, since OK"},
      {"| unreadable compacted", "flush OK, compact OK, damage unreadable, since OK"},
      {"| unreadable readable", "flush OK, compact OK, damage OK, since OK"},
      {"| manifest-full",
       "flush manifest-full, compact manifest-full, damage OK, since manifest-full"},
      {"| wal", "flush OK, compact OK, damage OK, since OK"},
  };
  for (const auto& [events, errors] : rows) EXPECT_EQ(ErrorsAfter(events), errors) << events;
}

TEST(StoreHealth, CountsFailedTries) {
  PublishedFlags flags;
  StoreHealth health(&flags);
  for (const char* event : {"flush", "flushed", "flush", "compaction", "unreadable"})
    Report(event, &health);
  EXPECT_EQ(health.flushes_failed(), 2u);
  EXPECT_EQ(health.background_errors(), 3u) << "an unreadable input is not a failed try";
}

TEST(StoreHealth, SaysWhetherAManifestMayBeRestored) {
  PublishedFlags flags;
  EXPECT_TRUE(StoreHealth(&flags).ManifestFailed(Error("full"), true));
  EXPECT_FALSE(StoreHealth(&flags).ManifestFailed(Error("lost"), false));
  StoreHealth refused(&flags);
  refused.WritesFailed(Error("fatal"));
  EXPECT_FALSE(refused.ManifestFailed(Error("full"), true));
}

}  // namespace
}  // namespace lull
