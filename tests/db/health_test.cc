// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/health.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <sstream>
#include <string>
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

std::string Show(const leveldb::Status& status) {
  if (status.ok()) return "yes";
  const std::string text = status.ToString();
  return "no: " + text.substr(text.rfind(' ') + 1);
}

// What the store may do at kNow after `events`, which are separated by spaces.
std::string AnswersAfter(const std::string& events) {
  StoreGates gates;
  StoreHealth health(&gates);
  std::istringstream words(events);
  for (std::string word; words >> word;) Report(word, &health);
  EXPECT_EQ(gates.refuses_writes, !health.WhyNotWritten().ok()) << events;
  EXPECT_EQ(gates.may_install, health.MayInstall()) << events;
  const auto yes_or = [](bool yes, const char* otherwise) { return yes ? "yes" : otherwise; };
  std::string text = "write " + Show(health.WhyNotWritten());
  text += ", flush ";
  text += yes_or(health.MayInstall() && health.flush_retry_at_nanos() <= kNow,
                 health.MayInstall() ? "later" : "no");
  text += ", compact ";
  text += yes_or(health.MayCompact(kNow), health.MayCompact(kLater) ? "later" : "no");
  text += ", install ";
  text += yes_or(gates.may_install, "no");
  text += ", delete ";
  text += yes_or(gates.may_delete, "no");
  return text;
}

struct Row {
  const char* events;
  const char* answers;
};

TEST(StoreHealth, SaysWhatMayBeDoneAfterEachEvent) {
  const std::vector<Row> rows = {
      {"", "write yes, flush yes, compact yes, install yes, delete no"},
      {"opened", "write yes, flush yes, compact yes, install yes, delete yes"},
      {"opened closing", "write yes, flush yes, compact yes, install yes, delete no"},
      {"opened wal", "write no: wal, flush yes, compact yes, install yes, delete yes"},
      {"opened wal wal-restarted", "write yes, flush yes, compact yes, install yes, delete yes"},
      {"opened manifest-full",
       "write no: manifest-full, flush no, compact no, install no, delete no"},
      {"opened manifest-full manifest-restored",
       "write yes, flush yes, compact yes, install yes, delete yes"},
      {"opened manifest-lost",
       "write no: manifest-lost, flush no, compact no, install no, delete no"},
      {"opened fatal", "write no: fatal, flush yes, compact no, install yes, delete yes"},
      {"opened flush", "write yes, flush later, compact yes, install yes, delete yes"},
      {"opened flush retry-flush", "write yes, flush yes, compact yes, install yes, delete yes"},
      {"opened compaction", "write yes, flush yes, compact later, install yes, delete yes"},
      {"opened compaction retry-flush",
       "write yes, flush yes, compact later, install yes, delete yes"},
      {"opened compaction retry", "write yes, flush yes, compact yes, install yes, delete yes"},
      {"opened no-space", "write yes, flush yes, compact yes, install yes, delete yes"},
      {"opened compaction no-space",
       "write yes, flush yes, compact later, install yes, delete yes"},
      {"opened unreadable", "write yes, flush yes, compact later, install yes, delete yes"},
      {"opened unreadable retry readable",
       "write yes, flush yes, compact yes, install yes, delete yes"},
  };
  for (const Row& row : rows) EXPECT_EQ(AnswersAfter(row.events), row.answers) << row.events;
}

TEST(StoreHealth, OfSeveralErrorsEachMustEnd) {
  const std::vector<Row> rows = {
      {"opened wal manifest-full manifest-restored",
       "write no: wal, flush yes, compact yes, install yes, delete yes"},
      {"opened wal manifest-full wal-restarted",
       "write no: manifest-full, flush no, compact no, install no, delete no"},
      {"opened wal fatal wal-restarted",
       "write no: fatal, flush yes, compact no, install yes, delete yes"},
      {"opened manifest-full fatal",
       "write no: manifest-full, flush no, compact no, install no, delete no"},
      {"opened manifest-full fatal manifest-restored",
       "write no: fatal, flush yes, compact no, install yes, delete yes"},
      {"opened manifest-lost manifest-restored",
       "write no: manifest-lost, flush no, compact no, install no, delete no"},
      // Where writes are refused anyway, the store does not begin another MANIFEST.
      {"opened fatal manifest-full",
       "write no: fatal, flush no, compact no, install no, delete no"},
      {"opened fatal manifest-full manifest-restored",
       "write no: fatal, flush no, compact no, install no, delete no"},
      {"opened manifest-full closing manifest-restored",
       "write yes, flush yes, compact yes, install yes, delete no"},
  };
  for (const Row& row : rows) EXPECT_EQ(AnswersAfter(row.events), row.answers) << row.events;
}

// The error that a waiting write or client gets.
std::string ErrorsAfter(const std::string& events) {
  StoreGates gates;
  StoreHealth health(&gates);
  std::istringstream words(events);
  uint64_t errors_before = 0;
  for (std::string word; words >> word;) {
    if (word == "|") {
      errors_before = health.background_errors();
    } else {
      Report(word, &health);
    }
  }
  return "flush " + Show(health.WhyNotFlushed()) + ", compact " + Show(health.WhyNotCompacted()) +
         ", damage " + Show(health.damage()) + ", since " + Show(health.ErrorSince(errors_before));
}

TEST(StoreHealth, SaysWhyWorkDoesNotEnd) {
  const std::vector<Row> rows = {
      {"|", "flush yes, compact yes, damage yes, since yes"},
      {"| flush", "flush no: flush, compact no: flush, damage yes, since no: flush"},
      {"| flush flushed", "flush yes, compact yes, damage yes, since yes"},
      // The disk has room again, as far as a compaction can tell.
      {"| flush compacted", "flush no: flush, compact yes, damage yes, since yes"},
      {"| compaction", "flush yes, compact no: compaction, damage yes, since no: compaction"},
      {"| no-space", "flush yes, compact no: no-space, damage yes, since no: no-space"},
      {"| no-space compacted", "flush yes, compact yes, damage yes, since yes"},
      {"| compaction compacted", "flush yes, compact yes, damage yes, since yes"},
      {"| compaction flushed", "flush yes, compact yes, damage yes, since yes"},
      {"compaction |", "flush yes, compact no: compaction, damage yes, since yes"},
      {"compaction | fatal", "flush no: fatal, compact no: fatal, damage yes, since no: fatal"},
      {"| unreadable", "flush yes, compact yes, damage no: unreadable, since yes"},
      {"| unreadable compacted", "flush yes, compact yes, damage no: unreadable, since yes"},
      {"| unreadable readable", "flush yes, compact yes, damage yes, since yes"},
      {"| manifest-full",
       "flush no: manifest-full, compact no: manifest-full, damage yes, since no: manifest-full"},
      {"| wal", "flush yes, compact yes, damage yes, since yes"},
  };
  for (const Row& row : rows) EXPECT_EQ(ErrorsAfter(row.events), row.answers) << row.events;
}

TEST(StoreHealth, CountsFailedTries) {
  StoreGates gates;
  StoreHealth health(&gates);
  for (const char* event : {"flush", "flushed", "flush", "compaction", "unreadable"})
    Report(event, &health);
  EXPECT_EQ(health.flushes_failed(), 2u);
  EXPECT_EQ(health.background_errors(), 3u) << "an unreadable input is not a failed try";
}

TEST(StoreHealth, SaysWhetherAManifestMayBeRestored) {
  StoreGates gates;
  EXPECT_TRUE(StoreHealth(&gates).ManifestFailed(Error("full"), true));
  EXPECT_FALSE(StoreHealth(&gates).ManifestFailed(Error("lost"), false));
  StoreHealth refused(&gates);
  refused.WritesFailed(Error("fatal"));
  EXPECT_FALSE(refused.ManifestFailed(Error("full"), true));
}

}  // namespace
}  // namespace lull
