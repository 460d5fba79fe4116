// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/support/crash_disk.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace lull::testing {

using leveldb::Slice;
using leveldb::Status;

// ---- FileContent -----------------------------------------------------------------------------

FileContent::FileContent(std::string bytes) : bytes_(std::move(bytes)) {
  blocks_.resize((bytes_.size() + kBlockBytes - 1) / kBlockBytes);
  for (size_t i = 0; i < blocks_.size(); ++i) blocks_[i].sure = BlockAt(i).ToString();
  sure_size_ = bytes_.size();
}

Slice FileContent::BlockAt(size_t index) const {
  const size_t begin = index * kBlockBytes;
  return Slice(bytes_.data() + begin, std::min(kBlockBytes, bytes_.size() - begin));
}

void FileContent::WriteAt(uint64_t offset, Slice data) {
  if (cut_) Resize(*cut_);
  if (data.empty()) return;
  const size_t first_touched = std::min<uint64_t>(offset, bytes_.size()) / kBlockBytes;
  const uint64_t end = offset + data.size();
  if (bytes_.size() < end) bytes_.resize(end, '\0');
  bytes_.replace(offset, data.size(), data.data(), data.size());
  blocks_.resize((bytes_.size() + kBlockBytes - 1) / kBlockBytes);
  for (size_t i = first_touched; i * kBlockBytes < end; ++i) blocks_[i].dirty = true;
}

void FileContent::SyncOk() {
  for (size_t i = 0; i < blocks_.size(); ++i) {
    if (!blocks_[i].dirty) continue;
    blocks_[i] = Block{BlockAt(i).ToString(), false};
  }
  sure_size_ = bytes_.size();
}

void FileContent::SyncFailed() {
  for (Block& block : blocks_) block.dirty = false;
}

void FileContent::Overwrite(uint64_t offset, const std::string& data) {
  if (offset >= bytes_.size()) return;
  const size_t length = std::min<uint64_t>(data.size(), bytes_.size() - offset);
  bytes_.replace(offset, length, data, 0, length);
  for (size_t at = offset; at < offset + length; ++at) {
    std::string& sure = blocks_[at / kBlockBytes].sure;
    if (at % kBlockBytes < sure.size()) sure[at % kBlockBytes] = bytes_[at];
  }
}

void FileContent::Resize(uint64_t size) {
  bytes_.resize(size, '\0');
  *this = FileContent(std::move(bytes_));
}

uint64_t FileContent::SizeAfterCrash(double survival, Rng* rng) const {
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

size_t FileContent::Read(uint64_t offset, size_t n, char* scratch) const {
  if (offset >= size()) return 0;
  const size_t length = std::min<uint64_t>(n, size() - offset);
  std::memset(scratch, 0, length);
  if (offset < bytes_.size()) {
    std::memcpy(scratch, bytes_.data() + offset,
                std::min<uint64_t>(length, bytes_.size() - offset));
  }
  return length;
}

// Restores what the lost write overwrote; if the block may be torn, only in some sectors. What was
// appended becomes zeros or garbage.
void FileContent::LoseBlock(char* now, size_t length, const std::string& sure, bool may_tear,
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

std::string FileContent::AfterCrash(double survival, double garbage, Rng* rng) const {
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

// ---- names -----------------------------------------------------------------------------------

std::string CleanPath(const std::string& path) {
  std::string clean;
  for (char c : path) {
    if (c == '/' && !clean.empty() && clean.back() == '/') continue;
    clean.push_back(c);
  }
  if (clean.size() > 1 && clean.back() == '/') clean.pop_back();
  return clean;
}

std::string DirectoryOf(const std::string& clean_path) {
  const size_t slash = clean_path.rfind('/');
  if (slash == std::string::npos) return "";
  return slash == 0 ? "/" : clean_path.substr(0, slash);
}

std::string BaseName(const std::string& clean_path) {
  const size_t slash = clean_path.rfind('/');
  return slash == std::string::npos ? clean_path : clean_path.substr(slash + 1);
}

// ---- CrashDisk -------------------------------------------------------------------------------

Status CrashDisk::Step(const std::string& path) {
  crashed = crashed || steps >= crash_point;
  if (steps >= crash_point) return Status::IOError(path, "simulated power loss");
  ++steps;
  return Status::OK();
}

void CrashDisk::AddPending(const PendingEntry& entry, const InodeRef& inode) {
  pending_[DirectoryOf(entry.path)].push_back({entry, inode});
}

Status CrashDisk::Open(const std::string& path, InodeRef* inode) {
  const auto it = live_.find(path);
  if (it == live_.end()) return Status::NotFound(path, "no such file");
  *inode = it->second;
  return Status::OK();
}

FileContent* CrashDisk::Find(const std::string& path) {
  const auto it = live_.find(path);
  return it != live_.end() ? &it->second->now : nullptr;
}

Status CrashDisk::Create(const std::string& path, bool keep, InodeRef* inode) {
  const bool exists = Open(path, inode).ok();
  if (exists && keep) return Status::OK();
  Status s = Step(path);
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

Status CrashDisk::Append(const std::string& path, const InodeRef& inode, Slice data) {
  Status s = Step(path);
  if (s.ok()) inode->now.Append(data);
  return s;
}

Status CrashDisk::WriteAt(const std::string& path, const InodeRef& inode, uint64_t offset,
                          Slice data) {
  Status s = Step(path);
  if (s.ok()) inode->now.WriteAt(offset, data);
  return s;
}

Status CrashDisk::Sync(const std::string& path, const InodeRef& inode) {
  Status s;
  if (manifest_sync_covers_directory && BaseName(path).rfind("MANIFEST-", 0) == 0) {
    s = SyncDir(DirectoryOf(path));
  }
  if (s.ok()) s = Step(path);
  if (!s.ok()) return s;
  inode->now.SyncOk();
  inode->before_truncation = nullptr;
  return s;
}

Status CrashDisk::SyncDir(const std::string& dir) {
  Status s = Step(dir);
  if (!s.ok()) return s;
  for (const Change& change : pending_[dir]) ApplyChange(change, &sure_);
  pending_.erase(dir);
  std::erase_if(unsure_dirs_, [&](const std::string& made) { return DirectoryOf(made) == dir; });
  return s;
}

void CrashDisk::ApplyChange(const Change& change, Names* names) {
  if (change.entry.op != DiskOp::kCreate) names->erase(change.entry.path);
  if (change.entry.op == DiskOp::kCreate) (*names)[change.entry.path] = change.inode;
  if (change.entry.op == DiskOp::kRename) (*names)[change.entry.target] = change.inode;
}

Status CrashDisk::Remove(const std::string& path) {
  InodeRef inode;
  Status s = Open(path, &inode);
  if (s.ok()) s = Step(path);
  if (!s.ok()) return s;
  AddPending({DiskOp::kRemove, path, ""}, inode);
  live_.erase(path);
  return s;
}

Status CrashDisk::Rename(const std::string& from, const std::string& to) {
  InodeRef inode;
  Status s = Open(from, &inode);
  if (s.ok()) s = Step(from);
  if (!s.ok()) return s;
  AddPending({DiskOp::kRename, from, to}, inode);
  live_.erase(from);
  live_[to] = inode;
  return s;
}

Status CrashDisk::Link(const std::string& from, const std::string& to) {
  InodeRef inode;
  Status s = Open(from, &inode);
  if (s.ok() && live_.contains(to)) s = Status::IOError(to, "file exists");
  if (s.ok()) s = Step(to);
  if (!s.ok()) return s;
  live_[to] = inode;
  AddPending({DiskOp::kCreate, to, ""}, inode);
  return s;
}

Status CrashDisk::MakeDir(const std::string& dir) {
  if (!dirs_.insert(dir).second) return Status::IOError(dir, "file exists");
  if (new_directories_may_vanish) unsure_dirs_.insert(dir);
  return Status::OK();
}

Status CrashDisk::RemoveDir(const std::string& dir) {
  std::vector<std::string> names;
  if (List(dir, &names).ok() && !names.empty()) {
    return Status::IOError(dir, "directory not empty");
  }
  return dirs_.erase(dir) != 0 ? Status::OK() : Status::NotFound(dir, "no such directory");
}

Status CrashDisk::List(const std::string& dir, std::vector<std::string>* names) {
  names->clear();
  for (const auto& [path, inode] : live_) {
    if (DirectoryOf(path) == dir) names->push_back(BaseName(path));
  }
  if (names->empty() && !dirs_.contains(dir)) return Status::NotFound(dir, "no such directory");
  return Status::OK();
}

void CrashDisk::Release(const InodeRef& inode) {
  if (!crashed) inode->now.Release();
}

void CrashDisk::Cut(const InodeRef& inode, uint64_t size) {
  if (!crashed) inode->now.Cut(size);
}

bool CrashDisk::LockFile(const std::string& path) {
  if (!locks_.insert(path).second) return false;
  InodeRef& file = live_[path];
  if (file == nullptr) sure_[path] = file = std::make_shared<Inode>();
  return true;
}

std::vector<PendingEntry> CrashDisk::Pending(const std::string& dir) {
  std::vector<PendingEntry> entries;
  for (const Change& change : pending_[dir]) entries.push_back(change.entry);
  return entries;
}

std::shared_ptr<CrashDisk> CrashDisk::AfterCrash(uint64_t seed, const CrashOptions& options) {
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

}  // namespace lull::testing
