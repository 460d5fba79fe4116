// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Stores on small or unusual systems: little memory, one core, no /proc, file systems that are
// read-only, layered or without locks. Each test runs in a separate process, which reports errors.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <string>

#include "leveldb/db.h"
#include "lull/lull.h"
#include "tests/resources/child.h"
#include "tests/resources/child_store.h"
#include "tests/resources/limits.h"
#include "tests/support/fresh_directory.h"

namespace lull::testing {
namespace {

constexpr uint64_t kChildMillisMax = 120'000;
constexpr char kCannot[] = "this system cannot run the test";

void RunInChild(std::string (*body)(const std::string&)) {
  const std::string directory = FreshDirectory("small");
  Child child([&] { return body(directory); });
  const Child::End end = child.Wait(kChildMillisMax);
  if (end.said == kCannot) GTEST_SKIP() << "needs root or user namespaces";
  EXPECT_TRUE(end.ok()) << "signal " << end.signal << ", timed out: " << end.timed_out;
  EXPECT_EQ(end.said, "");
}

/// Writes and overwrites 20 MB, reads all of it, and reads it again after a reopen.
std::string Use(ChildStore* store) {
  store->Open();
  if (store->ok()) store->PutAll(10'000, 1000);
  if (store->ok()) store->PutAll(10'000, 900);
  if (store->ok()) store->CheckScan(10'000, 900);
  if (store->ok()) store->Check("flush", Flush(store->db()));
  if (store->ok()) store->Open();
  if (store->ok()) store->CheckScan(10'000, 900);
  return store->error();
}

std::string UseOneMebibyte(const std::string& directory) {
  ChildStore store(directory, 256 << 10);
  store.scheduling()->SetMemoryBudgetBytes(1 << 20);
  return Use(&store);
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
  if (store.ok()) store.PutAll(10'000, 1000);
  store.Close();
  if (!remount(MS_RDONLY)) return kCannot;
  const std::string refused = store.TryOpen().ToString();
  store.Check("open: " + refused, refused.find("Read-only file system") != std::string::npos);
  if (store.ok()) store.OpenReadOnly();
  if (store.ok()) store.CheckScan(10'000, 1000);
  store.Close();
  store.Check("remount", remount(0));
  if (store.ok()) store.Open();
  if (store.ok()) store.CheckScan(10'000, 1000);
  return store.error();
}

/// The lower directory has a store already. Its files are copied up or hidden; none may change.
std::string UseOverlay(const std::string& directory) {
  if (!MountPrivateDisk(directory, 200 << 20)) return kCannot;
  for (const char* const name : {"/lower", "/upper", "/work", "/merged"})
    std::filesystem::create_directory(directory + name);
  ChildStore below(directory + "/lower", 1 << 20);
  below.Open();
  if (below.ok()) below.PutAll(5000, 700);
  below.Close();
  const std::string layers = "lowerdir=" + directory + "/lower,upperdir=" + directory +
                             "/upper,workdir=" + directory + "/work";
  if (mount("overlay", (directory + "/merged").c_str(), "overlay", 0, layers.c_str()) != 0)
    return kCannot;
  ChildStore merged(directory + "/merged", 1 << 20);
  merged.Open();
  if (merged.ok()) merged.CheckScan(5000, 700);
  merged.Close();
  if (merged.ok()) Use(&merged);
  merged.Close();
  if (below.ok()) below.OpenReadOnly();
  if (below.ok()) below.CheckScan(5000, 700);
  return below.ok() ? merged.error() : below.error();
}

/// Makes the kernel refuse file locks, as NFS does without a lock service.
bool RefuseLocks() {
  constexpr auto kArg1 = offsetof(seccomp_data, args) + sizeof(uint64_t);
  sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kArg1),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_SETLK, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOLCK),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{.len = std::size(steps), .filter = steps};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

std::string OpenWithoutLocks(const std::string& directory) {
  if (!RefuseLocks()) return kCannot;
  ChildStore store(directory, 1 << 20);
  const std::string refused = store.TryOpen().ToString();
  const std::string lock = directory + "/store/LOCK";
  store.Check(refused, refused.find(lock) != std::string::npos &&
                           refused.find("the file system has no locks") != std::string::npos);
  return store.error();
}

TEST(SmallMachine, OneMebibyteOfMemory) { RunInChild(UseOneMebibyte); }

TEST(SmallMachine, OneCore) { RunInChild(UseOneCore); }

TEST(SmallMachine, NoProc) { RunInChild(UseWithoutProc); }

TEST(SmallMachine, ReadOnlyFileSystem) { RunInChild(UseReadOnly); }

TEST(SmallMachine, OverlayFileSystem) { RunInChild(UseOverlay); }

TEST(SmallMachine, FileSystemWithoutLocks) { RunInChild(OpenWithoutLocks); }

}  // namespace
}  // namespace lull::testing
