// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The state of a CrashEnv: files, names, and which of them are durable. Used by crash_env.h only.
// Not thread-safe, except for Locked, through which all use it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "tests/support/rng.h"

namespace lull::testing {

enum class DiskOp { kCreate, kRename, kRemove };

// A change to a directory that no directory sync has covered yet.
struct PendingEntry {
  DiskOp op;
  std::string path;    // the name created or removed; the old name of a rename
  std::string target;  // the new name of a rename
};

struct CrashOptions {
  // Chance that an unsynced block, or a pending directory change, survives. If unset, the seed
  // picks one for the whole crash from {0, 0.1, 0.5, 0.9, 1}, so that extremes are frequent.
  std::optional<double> data_survival{};
  std::optional<double> entry_survival{};
  // Chance that a lost block reads as garbage instead of zeros.
  double garbage = 0.5;
  // If set and it returns a value, that value alone decides whether the directory change survives.
  std::function<std::optional<bool>(const PendingEntry&)> decide_entry{};

  static CrashOptions LoseAllUnsynced() { return {.data_survival = 0, .entry_survival = 0}; }
  // The process died but the machine did not: nothing is lost.
  static CrashOptions KeepAll() { return {.data_survival = 1, .entry_survival = 1}; }
};

// `path` without doubled or trailing slashes.
inline std::string CleanPath(const std::string& path) {
  std::string clean;
  for (char c : path) {
    if (c == '/' && !clean.empty() && clean.back() == '/') continue;
    clean.push_back(c);
  }
  if (clean.size() > 1 && clean.back() == '/') clean.pop_back();
  return clean;
}

inline std::string DirectoryOf(const std::string& clean_path) {
  const size_t slash = clean_path.rfind('/');
  if (slash == std::string::npos) return "";
  return slash == 0 ? "/" : clean_path.substr(0, slash);
}

inline std::string BaseName(const std::string& clean_path) {
  const size_t slash = clean_path.rfind('/');
  return slash == std::string::npos ? clean_path : clean_path.substr(slash + 1);
}

// The bytes of one file, and for each block the durable version of it.
class FileContent {
 public:
  static constexpr size_t kBlockBytes = 4096;

  FileContent() = default;
  // A file that is durable as a whole.
  explicit FileContent(std::string bytes) : bytes_(std::move(bytes)) {
    blocks_.resize((bytes_.size() + kBlockBytes - 1) / kBlockBytes);
    for (size_t i = 0; i < blocks_.size(); ++i) blocks_[i].sure = BlockAt(i).ToString();
    sure_size_ = bytes_.size();
  }

  // The size and the bytes that readers see.
  uint64_t size() const { return cut_.value_or(std::max<uint64_t>(bytes_.size(), reserved_)); }
  size_t Read(uint64_t offset, size_t n, char* scratch) const {
    if (offset >= size()) return 0;
    const size_t length = std::min<uint64_t>(n, size() - offset);
    std::memset(scratch, 0, length);
    if (offset < bytes_.size()) {
      std::memcpy(scratch, bytes_.data() + offset,
                  std::min<uint64_t>(length, bytes_.size() - offset));
    }
    return length;
  }
  // Pads the file with zeros up to `size`, until Release() or until it has grown past that.
  void Reserve(uint64_t size) { reserved_ = size; }
  void Release() { reserved_ = 0; }
  // Truncates the file; a crash can undo that.
  void Cut(uint64_t size) { cut_ = size; }
  void Append(leveldb::Slice data) { WriteAt(cut_.value_or(bytes_.size()), data); }
  // Overwrites what is there, and appends the rest.
  void WriteAt(uint64_t offset, leveldb::Slice data) {
    if (cut_) Resize(*cut_);
    if (data.empty()) return;
    const size_t first_touched = std::min<uint64_t>(offset, bytes_.size()) / kBlockBytes;
    const uint64_t end = offset + data.size();
    if (bytes_.size() < end) bytes_.resize(end, '\0');
    bytes_.replace(offset, data.size(), data.data(), data.size());
    blocks_.resize((bytes_.size() + kBlockBytes - 1) / kBlockBytes);
    for (size_t i = first_touched; i * kBlockBytes < end; ++i) blocks_[i].dirty = true;
  }
  void SyncOk() {
    for (size_t i = 0; i < blocks_.size(); ++i) {
      if (!blocks_[i].dirty) continue;
      blocks_[i] = Block{BlockAt(i).ToString(), false};
    }
    sure_size_ = bytes_.size();
  }
  void SyncFailed() {
    for (Block& block : blocks_) block.dirty = false;
  }
  // Overwrites or truncates as bit rot does: durable immediately, nothing becomes dirty.
  void Overwrite(uint64_t offset, const std::string& data) {
    if (offset >= bytes_.size()) return;
    const size_t length = std::min<uint64_t>(data.size(), bytes_.size() - offset);
    bytes_.replace(offset, length, data, 0, length);
    for (size_t at = offset; at < offset + length; ++at) {
      std::string& sure = blocks_[at / kBlockBytes].sure;
      if (at % kBlockBytes < sure.size()) sure[at % kBlockBytes] = bytes_[at];
    }
  }
  void Resize(uint64_t size) {
    bytes_.resize(size, '\0');
    *this = FileContent(std::move(bytes_));
  }
  // The content of the file after a crash.
  std::string AfterCrash(double survival, double garbage, Rng* rng) const {
    std::string left = bytes_.substr(0, SizeAfterCrash(survival, rng));
    for (size_t i = 0; i * kBlockBytes < left.size(); ++i) {
      char* const block = left.data() + i * kBlockBytes;
      const size_t length = std::min(kBlockBytes, left.size() - i * kBlockBytes);
      const std::string& sure = blocks_[i].sure;
      const bool in_doubt = sure.size() < length || std::memcmp(sure.data(), block, length) != 0;
      if (!in_doubt || rng->Chance(survival)) continue;
      LoseBlock(block, length, sure, survival > 0, garbage, rng);
    }
    if (left.size() < reserved_ && rng->OneIn(2)) left.resize(reserved_, '\0');
    if (cut_ && *cut_ < left.size() && rng->Chance(survival)) left.resize(*cut_);
    return left;
  }

 private:
  struct Block {
    std::string sure;
    bool dirty = false;
  };

  leveldb::Slice BlockAt(size_t index) const {
    const size_t begin = index * kBlockBytes;
    return leveldb::Slice(bytes_.data() + begin, std::min(kBlockBytes, bytes_.size() - begin));
  }
  // Restores what the lost write overwrote; if the block may be torn, only in some sectors. What
  // was appended becomes zeros or garbage.
  static void LoseBlock(char* now, size_t length, const std::string& sure, bool may_tear,
                        double garbage, Rng* rng) {
    constexpr size_t kSectorBytes = 512;
    const bool zeros = !rng->Chance(garbage);
    const size_t overwritten = std::min(sure.size(), length);
    const bool torn = may_tear && rng->OneIn(2);
    for (size_t at = 0; at < overwritten; at += kSectorBytes) {
      if (torn && rng->OneIn(2)) continue;
      std::memcpy(now + at, sure.data() + at, std::min(kSectorBytes, overwritten - at));
    }
    for (size_t at = overwritten; at < length; ++at) {
      now[at] = zeros ? '\0' : static_cast<char>(rng->Next());
    }
  }
  uint64_t SizeAfterCrash(double survival, Rng* rng) const {
    const uint64_t in_doubt = bytes_.size() - sure_size_;
    if (in_doubt == 0 || survival >= 1) return bytes_.size();
    if (survival <= 0) return sure_size_;
    switch (rng->Below(3)) {
      case 0:
        return bytes_.size();
      case 1:
        return sure_size_;
      default:
        return sure_size_ + rng->Below(in_doubt + 1);
    }
  }

  std::string bytes_;
  std::vector<Block> blocks_;
  uint64_t sure_size_ = 0;
  uint64_t reserved_ = 0;
  std::optional<uint64_t> cut_;
};

struct Inode {
  FileContent now;
  // Set while a truncation of the file is not yet durable.
  std::shared_ptr<const FileContent> before_truncation;
};

class CrashDisk {
 public:
  static constexpr uint64_t kNoCrashPoint = std::numeric_limits<uint64_t>::max();

  using InodeRef = std::shared_ptr<Inode>;

  // The disk, locked until the end of the full expression: disk->Locked()->Remove(path).
  class Lock {
   public:
    explicit Lock(CrashDisk* disk) : lock_(disk->mu_), disk_(disk) {}
    CrashDisk* operator->() const { return disk_; }

   private:
    std::unique_lock<std::mutex> lock_;
    CrashDisk* disk_;
  };
  Lock Locked() { return Lock(this); }

  leveldb::Status Open(const std::string& path, InodeRef* inode) {
    const auto it = live_.find(path);
    if (it == live_.end()) return leveldb::Status::NotFound(path, "no such file");
    *inode = it->second;
    return leveldb::Status::OK();
  }
  // Creates `path`. Empties an existing file, or keeps it if `keep` is set.
  leveldb::Status Create(const std::string& path, bool keep, InodeRef* inode) {
    const bool exists = Open(path, inode).ok();
    if (exists && keep) return leveldb::Status::OK();
    leveldb::Status s = Step(path);
    if (!s.ok()) return s;
    if (exists) {
      Inode& old = **inode;
      if (old.before_truncation == nullptr) {
        old.before_truncation = std::make_shared<FileContent>(std::move(old.now));
      }
      old.now = FileContent();
      return s;
    }
    live_[path] = *inode = std::make_shared<Inode>();
    AddPending({DiskOp::kCreate, path, ""}, *inode);
    return s;
  }
  leveldb::Status Append(const std::string& path, const InodeRef& inode, leveldb::Slice data) {
    leveldb::Status s = Step(path);
    if (s.ok()) inode->now.Append(data);
    return s;
  }
  leveldb::Status WriteAt(const std::string& path, const InodeRef& inode, uint64_t offset,
                          leveldb::Slice data) {
    leveldb::Status s = Step(path);
    if (s.ok()) inode->now.WriteAt(offset, data);
    return s;
  }
  leveldb::Status Sync(const std::string& path, const InodeRef& inode) {
    leveldb::Status s;
    if (manifest_sync_covers_directory && BaseName(path).rfind("MANIFEST-", 0) == 0) {
      s = SyncDir(DirectoryOf(path));
    }
    if (s.ok()) s = Step(path);
    if (!s.ok()) return s;
    inode->now.SyncOk();
    inode->before_truncation = nullptr;
    return s;
  }
  size_t Read(const Inode& inode, uint64_t offset, size_t n, char* scratch) {
    return inode.now.Read(offset, n, scratch);
  }
  void Reserve(const InodeRef& inode, uint64_t size) { inode->now.Reserve(size); }
  // Ends the reservation, as closing a preallocated file does.
  void Release(const InodeRef& inode) {
    if (!crashed) inode->now.Release();
  }
  void Cut(const InodeRef& inode, uint64_t size) {
    if (!crashed) inode->now.Cut(size);
  }
  leveldb::Status SyncDir(const std::string& dir) {
    leveldb::Status s = Step(dir);
    if (!s.ok()) return s;
    for (const Change& change : pending_[dir]) ApplyChange(change, &sure_);
    pending_.erase(dir);
    std::erase_if(unsure_dirs_, [&](const std::string& made) { return DirectoryOf(made) == dir; });
    return s;
  }
  leveldb::Status Remove(const std::string& path) {
    InodeRef inode;
    leveldb::Status s = Open(path, &inode);
    if (s.ok()) s = Step(path);
    if (!s.ok()) return s;
    AddPending({DiskOp::kRemove, path, ""}, inode);
    live_.erase(path);
    return s;
  }
  leveldb::Status Rename(const std::string& from, const std::string& to) {
    InodeRef inode;
    leveldb::Status s = Open(from, &inode);
    if (s.ok()) s = Step(from);
    if (!s.ok()) return s;
    AddPending({DiskOp::kRename, from, to}, inode);
    live_.erase(from);
    live_[to] = inode;
    return s;
  }
  // A second name for a file. A crash treats it like any other new name.
  leveldb::Status Link(const std::string& from, const std::string& to) {
    InodeRef inode;
    leveldb::Status s = Open(from, &inode);
    if (s.ok() && live_.contains(to)) s = leveldb::Status::IOError(to, "file exists");
    if (s.ok()) s = Step(to);
    if (!s.ok()) return s;
    live_[to] = inode;
    AddPending({DiskOp::kCreate, to, ""}, inode);
    return s;
  }
  leveldb::Status MakeDir(const std::string& dir) {
    if (!dirs_.insert(dir).second) return leveldb::Status::IOError(dir, "file exists");
    if (new_directories_may_vanish) unsure_dirs_.insert(dir);
    return leveldb::Status::OK();
  }
  leveldb::Status RemoveDir(const std::string& dir) {
    std::vector<std::string> names;
    if (List(dir, &names).ok() && !names.empty()) {
      return leveldb::Status::IOError(dir, "directory not empty");
    }
    return dirs_.erase(dir) != 0 ? leveldb::Status::OK()
                                 : leveldb::Status::NotFound(dir, "no such directory");
  }
  leveldb::Status List(const std::string& dir, std::vector<std::string>* names) {
    names->clear();
    for (const auto& [path, inode] : live_) {
      if (DirectoryOf(path) == dir) names->push_back(BaseName(path));
    }
    if (names->empty() && !dirs_.contains(dir))
      return leveldb::Status::NotFound(dir, "no such directory");
    return leveldb::Status::OK();
  }
  bool Exists(const std::string& path) { return live_.contains(path) || dirs_.contains(path); }
  bool LockFile(const std::string& path) {
    if (!locks_.insert(path).second) return false;
    InodeRef& file = live_[path];
    if (file == nullptr) sure_[path] = file = std::make_shared<Inode>();
    return true;
  }
  void UnlockFile(const std::string& path) { locks_.erase(path); }

  // The content of a file, or nullptr.
  FileContent* Find(const std::string& path) {
    const auto it = live_.find(path);
    return it != live_.end() ? &it->second->now : nullptr;
  }
  std::shared_ptr<CrashDisk> AfterCrash(uint64_t seed, const CrashOptions& options) {
    static constexpr double kSurvival[] = {0.0, 0.1, 0.5, 0.9, 1.0};
    Rng rng(Mix(seed));
    const double drawn_data = kSurvival[rng.Below(std::size(kSurvival))];
    const double drawn_entry = kSurvival[rng.Below(std::size(kSurvival))];
    const double data = options.data_survival.value_or(drawn_data);
    const double entry = options.entry_survival.value_or(drawn_entry);

    Names names = sure_;
    for (const auto& [dir, changes] : pending_) {
      for (const Change& change : changes) {
        std::optional<bool> decided;
        if (options.decide_entry) decided = options.decide_entry(change.entry);
        const bool drawn = rng.Chance(entry);
        if (decided.value_or(drawn)) ApplyChange(change, &names);
      }
    }
    auto disk = std::make_shared<CrashDisk>();
    disk->dirs_ = dirs_;
    for (const std::string& dir : unsure_dirs_) {
      if (rng.Chance(entry)) continue;
      disk->dirs_.erase(dir);
      std::erase_if(names, [&](const auto& name) { return DirectoryOf(name.first) == dir; });
    }
    disk->manifest_sync_covers_directory = manifest_sync_covers_directory;
    disk->new_directories_may_vanish = new_directories_may_vanish;
    for (const auto& [path, inode] : names) {
      const FileContent* content = &inode->now;
      if (inode->before_truncation != nullptr && !rng.Chance(data)) {
        content = inode->before_truncation.get();
      }
      auto fresh = std::make_shared<Inode>();
      fresh->now = FileContent(content->AfterCrash(data, options.garbage, &rng));
      disk->live_[path] = disk->sure_[path] = std::move(fresh);
    }
    return disk;
  }

  // The disk after the process died, but not the machine.
  std::shared_ptr<CrashDisk> AfterKill() const {
    auto disk = std::make_shared<CrashDisk>();
    disk->manifest_sync_covers_directory = manifest_sync_covers_directory;
    disk->new_directories_may_vanish = new_directories_may_vanish;
    disk->live_ = live_;
    disk->sure_ = sure_;
    disk->pending_ = pending_;
    disk->dirs_ = dirs_;
    disk->unsure_dirs_ = unsure_dirs_;
    std::map<InodeRef, InodeRef> copies;
    const auto copy = [&](InodeRef* inode) {
      InodeRef& own = copies[*inode];
      if (own == nullptr) own = std::make_shared<Inode>(**inode);
      *inode = own;
    };
    for (Names* names : {&disk->live_, &disk->sure_}) {
      for (auto& [path, inode] : *names) copy(&inode);
    }
    for (auto& [dir, changes] : disk->pending_) {
      for (Change& change : changes) copy(&change.inode);
    }
    return disk;
  }

  uint64_t steps = 0;
  uint64_t crash_point = kNoCrashPoint;
  bool crashed = false;
  bool manifest_sync_covers_directory = true;
  bool new_directories_may_vanish = false;
  uint64_t appends_to_reused_logs = 0;

 private:
  struct Change {
    PendingEntry entry;
    InodeRef inode;
  };
  using Names = std::map<std::string, InodeRef>;

  // Counts one step, or fails if the crash point is reached.
  leveldb::Status Step(const std::string& path) {
    crashed = crashed || steps >= crash_point;
    if (steps >= crash_point) return leveldb::Status::IOError(path, "simulated power loss");
    ++steps;
    return leveldb::Status::OK();
  }
  void AddPending(const PendingEntry& entry, const InodeRef& inode) {
    pending_[DirectoryOf(entry.path)].push_back({entry, inode});
  }
  static void ApplyChange(const Change& change, Names* names) {
    if (change.entry.op != DiskOp::kCreate) names->erase(change.entry.path);
    if (change.entry.op == DiskOp::kCreate) (*names)[change.entry.path] = change.inode;
    if (change.entry.op == DiskOp::kRename) (*names)[change.entry.target] = change.inode;
  }

  std::mutex mu_;
  Names live_;                                          // what the running program sees
  Names sure_;                                          // what survives every crash
  std::map<std::string, std::vector<Change>> pending_;  // by directory, oldest first
  std::set<std::string> dirs_{"/"};
  std::set<std::string> unsure_dirs_;  // a subset of them
  std::set<std::string> locks_;
};

}  // namespace lull::testing
