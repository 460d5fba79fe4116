// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Stores with few resources for their size, and on unusual systems: few descriptors, a small disk,
// little memory, one core, no /proc, file systems that are read-only, layered, or without locks
// or links. Each test runs in a separate process, which reports errors.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "leveldb/db.h"
#include "lull/lull.h"
#include "tests/resources/limits.h"
#include "tests/resources/sweep.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/rng.h"

namespace lull::testing {
namespace {

using leveldb::Status;

constexpr uint64_t kChildMillisMax = 120'000;
constexpr char kCannot[] = "this system cannot run the test";

std::string KeyOf(uint64_t key) {
  const std::string text = std::to_string(key);
  return std::string(12 - text.size(), '0') + text;
}

/// Deterministic and incompressible.
std::string ValueOf(uint64_t key, size_t bytes) {
  Rng rng(key);
  std::string value;
  while (value.size() < bytes) value.push_back(static_cast<char>(rng.Next()));
  return value;
}

/// A store whose keys have fixed values. A child cannot use GoogleTest's assertions, so the store
/// keeps the first error. After an error, calls do nothing.
class ChildStore {
 public:
  ChildStore(const std::string& directory, size_t write_buffer_bytes)
      : name_(directory + "/store") {
    options_.create_if_missing = true;
    options_.write_buffer_size = write_buffer_bytes;
  }
  Status TryOpen() {
    db_.reset();
    leveldb::DB* db = nullptr;
    const Status status = lull::Open(options_, {}, name_, &db);
    db_.reset(db);
    return status;
  }
  void Open() {
    if (ok()) Check("open", TryOpen());
  }
  void OpenReadOnly() {
    if (!ok()) return;
    db_.reset();
    leveldb::DB* db = nullptr;
    Check("open to read", lull::OpenReadOnly(options_, name_, &db));
    db_.reset(db);
  }
  void Close() { db_.reset(); }
  leveldb::DB* db() { return db_.get(); }
  Status Put(uint64_t key, size_t bytes) {
    return db_->Put(leveldb::WriteOptions(), KeyOf(key), ValueOf(key, bytes));
  }
  void PutAll(const std::vector<uint64_t>& keys, size_t bytes) {
    for (size_t i = 0; i < keys.size() && ok(); ++i) {
      Check("put " + std::to_string(i), Put(keys[i], bytes));
    }
  }
  void FlushAll() {
    if (ok()) Check("flush", Flush(db_.get()));
  }
  void Check(const std::string& what, const Status& status) {
    Check(what + ": " + status.ToString(), status.ok());
  }
  void Check(const std::string& what, bool right) {
    if (!right && error_.empty()) error_ = what;
  }
  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }

  /// Checks that exactly the keys below `keys` are present, with their values.
  void CheckScan(uint64_t keys, size_t bytes) {
    if (!ok()) return;
    const std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(leveldb::ReadOptions()));
    uint64_t seen = 0;
    for (it->SeekToFirst(); it->Valid() && ok(); it->Next(), ++seen) {
      Check("scan at " + KeyOf(seen) + " showed " + it->key().ToString(),
            it->key() == leveldb::Slice(KeyOf(seen)) &&
                it->value() == leveldb::Slice(ValueOf(seen, bytes)));
    }
    Check("scan", it->status());
    Check("scan saw " + std::to_string(seen) + " keys", seen == keys);
  }

 private:
  const std::string name_;
  leveldb::Options options_;
  std::unique_ptr<leveldb::DB> db_;
  std::string error_;
};

std::vector<uint64_t> KeysBelow(uint64_t count) {
  std::vector<uint64_t> keys(count);
  std::iota(keys.begin(), keys.end(), 0);
  return keys;
}

/// Runs `body` in a child, with a directory. It returns an error.
void RunInChild(const std::function<std::string(const std::string& directory)>& body) {
  const std::string directory = FreshDirectory("resources");
  Child child([&] { return body(directory); });
  const Child::End end = child.Wait(kChildMillisMax);
  if (end.said == kCannot) GTEST_SKIP() << "needs root or user namespaces";
  EXPECT_TRUE(end.ok()) << "signal " << end.signal << ", timed out: " << end.timed_out;
  EXPECT_EQ(end.said, "");
}

// ---- few descriptors

void FillWithDescriptors(rlim_t count) {
  RunInChild([count](const std::string& directory) -> std::string {
    const struct rlimit limit { count, count };
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return "setrlimit failed";
    constexpr uint64_t kCount = 200'000;
    ChildStore store(directory, 64 << 10);
    store.Open();
    std::vector<uint64_t> keys = KeysBelow(kCount);
    Rng rng(1);
    for (uint64_t i = kCount - 1; i > 0; --i) std::swap(keys[i], keys[rng.Below(i + 1)]);
    store.PutAll(keys, 200);
    store.Open();
    store.CheckScan(kCount, 200);
    return store.error();
  });
}

TEST(FewDescriptors, FailNoWrite) {
  for (const rlim_t count : {256, 64, 32}) FillWithDescriptors(count);
}

// ---- a small disk

std::string FillHalf(const std::string& directory) {
  if (!MountPrivateDisk(directory, 40 << 20)) return kCannot;
  ChildStore store(directory, 1 << 20);
  store.Open();
  constexpr uint64_t kCount = 18 << 10;
  store.PutAll(KeysBelow(kCount), 1000);
  store.FlushAll();
  store.Open();
  store.CheckScan(kCount, 1000);
  return store.error();
}

// The writer exits without closing the store. Its parent, on the same disk, opens the store.
std::string FillAndOpen(const std::string& directory) {
  if (!MountPrivateDisk(directory, 40 << 20)) return kCannot;
  Child writer([&] {
    ChildStore store(directory, 1 << 20);
    store.Open();
    uint64_t acked = 0;
    while (store.ok() && acked < 100'000 && store.Put(acked, 1000).ok()) ++acked;
    return store.ok() ? std::to_string(acked) : store.error();
  });
  const Child::End end = writer.Wait(kChildMillisMax);
  const uint64_t acked = std::strtoull(end.said.c_str(), nullptr, 10);
  if (!end.ok() || acked < 10'000 || acked == 100'000) return "the writer: " + end.said;
  ChildStore store(directory, 1 << 20);
  store.Open();
  std::string value;
  for (uint64_t i = 0; i < acked && store.ok(); ++i) {
    store.Check(KeyOf(i), store.db()->Get(leveldb::ReadOptions(), KeyOf(i), &value));
    if (store.ok()) store.Check(KeyOf(i) + " differs", value == ValueOf(i, 1000));
  }
  return store.error();
}

TEST(SmallDisk, TakesDataOfNearlyHalfItsSize) { RunInChild(FillHalf); }

TEST(SmallDisk, OpensAfterItWasFilled) { RunInChild(FillAndOpen); }

// ---- small or unusual systems

/// Writes and overwrites 20 MB, reads all of it, and reads it again after a reopen.
std::string Use(ChildStore* store) {
  store->Open();
  store->PutAll(KeysBelow(10'000), 1000);
  store->PutAll(KeysBelow(10'000), 900);
  store->CheckScan(10'000, 900);
  store->FlushAll();
  store->Open();
  store->CheckScan(10'000, 900);
  return store->error();
}

std::string UseOneCore(const std::string& directory) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(sched_getcpu(), &cores);
  if (sched_setaffinity(0, sizeof(cores), &cores) != 0) return kCannot;
  ChildStore store(directory, 1 << 20);
  return Use(&store);
}

std::string UseWithoutProc(const std::string& directory) {
  if (!MountPrivateDisk(directory, 100 << 20)) return kCannot;
  if (mount("none", "/proc", "tmpfs", 0, "") != 0) return kCannot;
  ChildStore store(directory, 1 << 20);
  return Use(&store);
}

std::string UseReadOnly(const std::string& directory) {
  const auto remount = [&](unsigned long flags) {
    return mount("none", directory.c_str(), "tmpfs", MS_REMOUNT | flags, "") == 0;
  };
  if (!MountPrivateDisk(directory, 100 << 20)) return kCannot;
  ChildStore store(directory, 1 << 20);
  store.Open();
  store.PutAll(KeysBelow(10'000), 1000);
  store.Close();
  if (!remount(MS_RDONLY)) return kCannot;
  const std::string refused = store.TryOpen().ToString();
  store.Check("open: " + refused, refused.find("Read-only file system") != std::string::npos);
  store.OpenReadOnly();
  store.CheckScan(10'000, 1000);
  store.Close();
  store.Check("remount", remount(0));
  store.Open();
  store.CheckScan(10'000, 1000);
  return store.error();
}

/// The lower directory has a store already. Its files are copied up or hidden; none may change.
std::string UseOverlay(const std::string& directory) {
  if (!MountPrivateDisk(directory, 200 << 20)) return kCannot;
  for (const char* const name : {"/lower", "/upper", "/work", "/merged"})
    std::filesystem::create_directory(directory + name);
  ChildStore below(directory + "/lower", 1 << 20);
  below.Open();
  below.PutAll(KeysBelow(5000), 700);
  below.Close();
  const std::string layers = "lowerdir=" + directory + "/lower,upperdir=" + directory +
                             "/upper,workdir=" + directory + "/work";
  if (mount("overlay", (directory + "/merged").c_str(), "overlay", 0, layers.c_str()) != 0)
    return kCannot;
  ChildStore merged(directory + "/merged", 1 << 20);
  merged.Open();
  merged.CheckScan(5000, 700);
  merged.Close();
  Use(&merged);
  merged.Close();
  below.OpenReadOnly();
  below.CheckScan(5000, 700);
  return below.ok() ? merged.error() : below.error();
}

bool InstallSeccompFilter(std::span<sock_filter> steps) {
  const sock_fprog program{.len = static_cast<unsigned short>(steps.size()),
                           .filter = steps.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// The kernel refuses hard links, as some sandboxes and network file systems do.
std::string CheckpointWithoutLinks(const std::string& directory) {
#ifdef SYS_link
  constexpr uint32_t kLink = SYS_link;
#else
  constexpr uint32_t kLink = SYS_linkat;
#endif
  sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kLink, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_linkat, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  if (!InstallSeccompFilter(steps)) return kCannot;
  ChildStore store(directory, 1 << 20);
  store.Open();
  store.PutAll(KeysBelow(2000), 700);
  std::filesystem::create_directory(directory + "/copy");
  if (store.ok())
    store.Check("checkpoint", lull::CreateCheckpoint(store.db(), directory + "/copy/store"));
  store.Close();
  ChildStore copy(directory + "/copy", 1 << 20);
  copy.OpenReadOnly();
  copy.CheckScan(2000, 700);
  return store.ok() ? copy.error() : store.error();
}

/// The kernel refuses file locks, as NFS does without a lock service.
std::string OpenWithoutLocks(const std::string& directory) {
  constexpr auto kArg1 = offsetof(seccomp_data, args) + sizeof(uint64_t);
  sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kArg1),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_OFD_SETLK, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_SETLK, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOLCK),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  if (!InstallSeccompFilter(steps)) return kCannot;
  ChildStore store(directory, 1 << 20);
  const std::string refused = store.TryOpen().ToString();
  const std::string lock = directory + "/store/LOCK";
  store.Check(refused, refused.find(lock) != std::string::npos &&
                           refused.find("the file system has no locks") != std::string::npos);
  return store.error();
}

TEST(SmallMachine, OneCore) { RunInChild(UseOneCore); }

TEST(SmallMachine, NoProc) { RunInChild(UseWithoutProc); }

TEST(SmallMachine, ReadOnlyFileSystem) { RunInChild(UseReadOnly); }

TEST(SmallMachine, OverlayFileSystem) { RunInChild(UseOverlay); }

TEST(SmallMachine, FileSystemWithoutLocks) { RunInChild(OpenWithoutLocks); }

TEST(SmallMachine, FileSystemWithoutLinks) { RunInChild(CheckpointWithoutLinks); }

// ---- every scenario under limits of every kind

// LULL_RESOURCE_POINTS and LULL_RESOURCE_SEED select random points instead;
// LULL_RESOURCE_ONLY=KIND/SCENARIO/STEP runs one.
TEST(ResourceSweep, LosesNothingAndRecovers) {
  const ResourceSweepReport report = ResourceSweep(ResourceSettings());
  uint64_t points = 0;
  for (const auto& [kind, tally] : report.tallies) points += tally.points;
  EXPECT_GT(points, 0u) << "LULL_RESOURCE_ONLY names no existing point";
  for (const std::string& violation : report.violations) ADD_FAILURE() << violation;
  std::cout << TableOf(report) << points << " points\n";
}

}  // namespace
}  // namespace lull::testing
