// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// lull/c.h over the C++ interface.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "db/api/c_types.h"
#include "lull/backup.h"
#include "lull/c.h"
#include "lull/call_profile.h"
#include "lull/compaction_filter.h"
#include "lull/listener.h"
#include "lull/lull.h"
#include "lull/read.h"
#include "lull/write.h"

namespace lull::c {
namespace {

lull_job_info_t Translate(const JobInfo& job, const std::string& error) {
  lull_job_info_t info = {};
  info.id = job.id;
  info.kind = static_cast<int>(job.kind);
  info.input_level = job.input_level;
  info.output_level = job.output_level;
  info.idle_priority = job.idle_priority ? 1 : 0;
  info.trivial_move = job.trivial_move ? 1 : 0;
  info.input_files = job.input_files;
  info.input_bytes = job.input_bytes;
  info.input_bytes_done = job.input_bytes_done;
  info.output_files = job.output_files;
  info.output_bytes = job.output_bytes;
  info.at_us = job.at_us;
  info.elapsed_us = job.elapsed_us;
  info.paused_us = job.paused_us;
  info.pauses = job.pauses;
  info.outcome = static_cast<int>(job.outcome);
  info.error = error.empty() ? nullptr : error.c_str();
  return info;
}

lull_stall_info_t Translate(const StallInfo& stall) {
  lull_stall_info_t info = {};
  info.id = stall.id;
  info.kind = static_cast<int>(stall.kind);
  info.cause = static_cast<int>(stall.cause);
  info.at_us = stall.at_us;
  info.elapsed_us = stall.elapsed_us;
  info.held_us = stall.held_us;
  info.held_writes = stall.held_writes;
  return info;
}

lull_backup_info_t Translate(const BackupInfo& backup) {
  lull_backup_info_t info = {};
  info.id = backup.id;
  info.unix_seconds = backup.unix_seconds;
  info.files = backup.files;
  info.bytes = backup.bytes;
  info.new_files = backup.new_files;
  info.new_bytes = backup.new_bytes;
  return info;
}

class CListener final : public EventListener {
 public:
  CListener(const lull_callbacks_t& callbacks, void* state, CState::Destructor destructor)
      : callbacks_(callbacks), state_(state, destructor) {}

  void OnJobBegin(const JobInfo& job) override { Tell(callbacks_.job_begin, job); }
  void OnJobPause(const JobInfo& job) override { Tell(callbacks_.job_pause, job); }
  void OnJobResume(const JobInfo& job) override { Tell(callbacks_.job_resume, job); }
  void OnJobEnd(const JobInfo& job) override { Tell(callbacks_.job_end, job); }
  void OnStallBegin(const StallInfo& stall) override { Tell(callbacks_.stall_begin, stall); }
  void OnStallEnd(const StallInfo& stall) override { Tell(callbacks_.stall_end, stall); }
  void OnOptionsChange(const OptionsInfo& options) override {
    if (callbacks_.options_change == nullptr) return;
    const lull_options_info_t info = {options.at_us, options.policy.c_str(),
                                      options.options.c_str()};
    callbacks_.options_change(state_.get(), &info);
  }
  void OnWritesRefused(const WritesRefusedInfo& refused) override {
    if (callbacks_.writes_refused == nullptr) return;
    const std::string error = refused.status.ToString();
    const lull_refused_info_t info = {refused.at_us, refused.what.c_str(), error.c_str()};
    callbacks_.writes_refused(state_.get(), &info);
  }

 private:
  void Tell(void (*callback)(void*, const lull_job_info_t*), const JobInfo& job) const {
    if (callback == nullptr) return;
    const std::string error = job.status.ok() ? "" : job.status.ToString();
    const lull_job_info_t info = Translate(job, error);
    callback(state_.get(), &info);
  }
  void Tell(void (*callback)(void*, const lull_stall_info_t*), const StallInfo& stall) const {
    if (callback == nullptr) return;
    const lull_stall_info_t info = Translate(stall);
    callback(state_.get(), &info);
  }

  const lull_callbacks_t callbacks_;
  const CState state_;
};

class CCompactionFilter final : public CompactionFilter {
 public:
  using FilterFunction = uint8_t (*)(void*, const lull_filter_context_t*, const char*, size_t,
                                     const char*, size_t);

  CCompactionFilter(void* state, CState::Destructor destructor, FilterFunction filter,
                    CState::NameFunction name)
      : state_(state, destructor, name), filter_(filter) {}

  const char* Name() const override { return state_.name(); }
  FilterDecision Filter(const FilterContext& context, const leveldb::Slice& key,
                        const leveldb::Slice& value) const override {
    lull_filter_context_t known = {};
    known.output_level = context.output_level;
    known.snapshot_may_see = context.snapshot_may_see ? 1 : 0;
    const bool drop =
        filter_(state_.get(), &known, key.data(), key.size(), value.data(), value.size()) != 0;
    return drop ? FilterDecision::kDrop : FilterDecision::kKeep;
  }

 private:
  const CState state_;
  const FilterFunction filter_;
};

/// Size of lull_callbacks_t in version 0.1.
constexpr size_t kFirstCallbacksBytes =
    offsetof(lull_callbacks_t, writes_refused) + sizeof(lull_callbacks_t::writes_refused);

/// False, with an error, if a caller passed NULL for `what`.
bool IsGiven(const void* argument, const char* what, char** errptr) {
  return argument != nullptr ||
         KeepError(leveldb::Status::InvalidArgument(what, "is NULL"), errptr);
}

bool IsPart(int part) { return part >= 0 && part <= static_cast<int>(CallPart::kBlockDecode); }

}  // namespace
}  // namespace lull::c

struct lull_listener_t {
  std::shared_ptr<lull::EventListener> rep;
};

struct lull_compaction_filter_t {
  std::shared_ptr<const lull::CompactionFilter> rep;
};

struct lull_call_profile_t {
  lull::CallProfile rep;
};

using lull::c::IsGiven;
using lull::c::IsPart;
using lull::c::KeepError;
using lull::c::MallocedCopy;
using lull::c::NullIfUnset;

extern "C" {

leveldb_t* lull_open(const leveldb_options_t* options, const char* scheduling, const char* name,
                     char** errptr) {
  if (!IsGiven(scheduling, "lull_open: scheduling", errptr) ||
      !IsGiven(name, "lull_open: name", errptr))
    return nullptr;
  leveldb::DB* db = nullptr;
  if (!KeepError(lull::Open(options->rep, scheduling, name, &db), errptr)) return nullptr;
  return new leveldb_t{db};
}

leveldb_t* lull_open_read_only(const leveldb_options_t* options, const char* name, char** errptr) {
  if (!IsGiven(name, "lull_open_read_only: name", errptr)) return nullptr;
  leveldb::DB* db = nullptr;
  if (!KeepError(lull::OpenReadOnly(options->rep, name, &db), errptr)) return nullptr;
  return new leveldb_t{db};
}

void lull_refresh(leveldb_t* db, char** errptr) {
  if (IsGiven(db, "lull_refresh: db", errptr)) KeepError(lull::Refresh(db->rep), errptr);
}

const char* lull_version_string(void) { return lull::VersionString(); }

void lull_check_options(const char* scheduling, char** errptr) {
  if (IsGiven(scheduling, "lull_check_options: scheduling", errptr))
    KeepError(lull::CheckOptions(scheduling), errptr);
}

void lull_set_options(leveldb_t* db, const char* scheduling, char** errptr) {
  if (IsGiven(scheduling, "lull_set_options: scheduling", errptr))
    KeepError(lull::SetOptions(db->rep, scheduling), errptr);
}

void lull_flush(leveldb_t* db, char** errptr) { KeepError(lull::Flush(db->rep), errptr); }

void lull_wait_for_idle(leveldb_t* db, char** errptr) {
  KeepError(lull::WaitForIdle(db->rep), errptr);
}

void lull_create_checkpoint(leveldb_t* db, const char* dir, char** errptr) {
  if (IsGiven(dir, "lull_create_checkpoint: dir", errptr))
    KeepError(lull::CreateCheckpoint(db->rep, dir), errptr);
}

void lull_create_backup(leveldb_t* db, const char* dir, lull_backup_info_t* info, char** errptr) {
  if (!IsGiven(dir, "lull_create_backup: dir", errptr)) return;
  lull::BackupInfo backup;
  if (KeepError(lull::CreateBackup(db->rep, dir, &backup), errptr) && info != nullptr)
    *info = lull::c::Translate(backup);
}

lull_backup_info_t* lull_list_backups(const char* dir, size_t* count, char** errptr) {
  *count = 0;
  if (!IsGiven(dir, "lull_list_backups: dir", errptr)) return nullptr;
  std::vector<lull::BackupInfo> backups;
  KeepError(lull::ListBackups(leveldb::Env::Default(), dir, &backups), errptr);
  if (backups.empty()) return nullptr;
  std::vector<lull_backup_info_t> infos;
  for (const lull::BackupInfo& backup : backups) infos.push_back(lull::c::Translate(backup));
  *count = infos.size();
  // malloc aligns for any type.
  return reinterpret_cast<lull_backup_info_t*>(
      MallocedCopy({reinterpret_cast<const char*>(infos.data()), infos.size() * sizeof(infos[0])}));
}

void lull_verify_backup(const char* dir, uint64_t id, char** errptr) {
  if (IsGiven(dir, "lull_verify_backup: dir", errptr))
    KeepError(lull::VerifyBackup(leveldb::Env::Default(), dir, id), errptr);
}

void lull_restore_backup(const char* dir, uint64_t id, const char* target, char** errptr) {
  if (IsGiven(dir, "lull_restore_backup: dir", errptr) &&
      IsGiven(target, "lull_restore_backup: target", errptr))
    KeepError(lull::RestoreBackup(leveldb::Env::Default(), dir, id, target), errptr);
}

void lull_prune_backups(const char* dir, uint64_t keep, char** errptr) {
  if (IsGiven(dir, "lull_prune_backups: dir", errptr))
    KeepError(lull::PruneBackups(leveldb::Env::Default(), dir, keep), errptr);
}

uint8_t lull_try_write(leveldb_t* db, const leveldb_writeoptions_t* options,
                       leveldb_writebatch_t* batch, uint64_t wait_us_max, int* cause,
                       uint64_t* room_us, char** errptr) {
  lull::BusyWrite busy;
  KeepError(lull::TryWrite(db->rep, options->rep, &batch->rep, wait_us_max, &busy), errptr);
  if (cause != nullptr) *cause = static_cast<int>(busy.cause);
  if (room_us != nullptr) *room_us = busy.room_micros;
  return busy.is_busy ? 1 : 0;
}

uint8_t lull_exists(leveldb_t* db, const leveldb_readoptions_t* options, const char* key,
                    size_t key_len, char** errptr) {
  const leveldb::Status status = lull::Exists(db->rep, options->rep, leveldb::Slice(key, key_len));
  if (!status.IsNotFound()) KeepError(status, errptr);
  return status.ok() ? 1 : 0;
}

void lull_multi_get(leveldb_t* db, const leveldb_readoptions_t* options, size_t count,
                    const char* const* keys, const size_t* key_lens, char** values,
                    size_t* value_lens, char** errors) {
  std::vector<leveldb::Slice> slices(count);
  for (size_t i = 0; i < count; ++i) slices[i] = leveldb::Slice(keys[i], key_lens[i]);
  std::vector<std::string> found;
  const std::vector<leveldb::Status> statuses =
      lull::MultiGet(db->rep, options->rep, slices, &found);
  for (size_t i = 0; i < count; ++i) {
    const bool ok = statuses[i].ok();
    values[i] = ok ? MallocedCopy(found[i]) : nullptr;
    value_lens[i] = ok ? found[i].size() : 0;
    errors[i] = nullptr;
    if (!statuses[i].IsNotFound()) KeepError(statuses[i], &errors[i]);
  }
}

leveldb_iterator_t* lull_new_iterator(leveldb_t* db, const leveldb_readoptions_t* options,
                                      const char* begin, size_t begin_len, const char* end,
                                      size_t end_len) {
  return new leveldb_iterator_t{std::unique_ptr<leveldb::Iterator>(lull::NewIterator(
      db->rep, options->rep, NullIfUnset({begin, begin_len}), NullIfUnset({end, end_len})))};
}

leveldb_iterator_t* lull_new_prefix_iterator(leveldb_t* db, const leveldb_readoptions_t* options,
                                             const char* prefix, size_t prefix_len) {
  return new leveldb_iterator_t{std::unique_ptr<leveldb::Iterator>(
      lull::NewPrefixIterator(db->rep, options->rep, leveldb::Slice(prefix, prefix_len)))};
}

void lull_delete_range(leveldb_t* db, const char* begin, size_t begin_len, const char* end,
                       size_t end_len, char** errptr) {
  KeepError(
      lull::DeleteRange(db->rep, NullIfUnset({begin, begin_len}), NullIfUnset({end, end_len})),
      errptr);
}

void lull_delete_files_in_range(leveldb_t* db, const char* begin, size_t begin_len, const char* end,
                                size_t end_len, uint64_t* bytes, uint64_t* bytes_left,
                                char** errptr) {
  lull::DeletedFiles deleted;
  KeepError(lull::DeleteFilesInRange(db->rep, NullIfUnset({begin, begin_len}),
                                     NullIfUnset({end, end_len}), &deleted),
            errptr);
  if (bytes != nullptr) *bytes = deleted.bytes;
  if (bytes_left != nullptr) *bytes_left = deleted.bytes_left;
}

void lull_ingest_tables(leveldb_t* db, const char* const* paths, size_t count, char** errptr) {
  std::vector<std::string> list;
  for (size_t i = 0; i < count; ++i) {
    if (!IsGiven(paths[i], "lull_ingest_tables: path", errptr)) return;
    list.emplace_back(paths[i]);
  }
  KeepError(lull::IngestTables(db->rep, list), errptr);
}

lull_listener_t* lull_listener_create(const lull_callbacks_t* callbacks, void* state,
                                      void (*destructor)(void* state)) {
  using lull::c::kFirstCallbacksBytes;
  if (callbacks == nullptr || callbacks->struct_size < kFirstCallbacksBytes) return nullptr;
  // The caller can be older or newer than this library: take the functions that both know.
  lull_callbacks_t known = {};
  std::memcpy(&known, callbacks, std::min(callbacks->struct_size, sizeof(known)));
  return new lull_listener_t{std::make_shared<lull::c::CListener>(known, state, destructor)};
}

void lull_listener_destroy(lull_listener_t* listener) { delete listener; }

void lull_add_listener(leveldb_t* db, lull_listener_t* listener, char** errptr) {
  if (IsGiven(listener, "lull_add_listener: listener", errptr))
    KeepError(lull::AddListener(db->rep, listener->rep), errptr);
}

void lull_remove_listener(leveldb_t* db, lull_listener_t* listener, char** errptr) {
  if (IsGiven(listener, "lull_remove_listener: listener", errptr))
    KeepError(lull::RemoveListener(db->rep, listener->rep), errptr);
}

lull_compaction_filter_t* lull_compaction_filter_create(
    void* state, void (*destructor)(void* state),
    uint8_t (*filter)(void* state, const lull_filter_context_t* context, const char* key,
                      size_t key_length, const char* value, size_t value_length),
    const char* (*name)(void* state)) {
  if (filter == nullptr || name == nullptr) return nullptr;
  return new lull_compaction_filter_t{
      std::make_shared<lull::c::CCompactionFilter>(state, destructor, filter, name)};
}

void lull_compaction_filter_destroy(lull_compaction_filter_t* filter) { delete filter; }

void lull_set_compaction_filter(leveldb_t* db, lull_compaction_filter_t* filter, char** errptr) {
  KeepError(lull::SetCompactionFilter(db->rep, filter == nullptr ? nullptr : filter->rep), errptr);
}

lull_call_profile_t* lull_call_profile_create() { return new lull_call_profile_t; }

void lull_call_profile_destroy(lull_call_profile_t* profile) { delete profile; }

void lull_call_profile_clear(lull_call_profile_t* profile) { profile->rep.Clear(); }

uint64_t lull_call_profile_count(const lull_call_profile_t* profile, int part) {
  return IsPart(part) ? profile->rep.Count(static_cast<lull::CallPart>(part)) : 0;
}

uint64_t lull_call_profile_nanos(const lull_call_profile_t* profile, int part) {
  return IsPart(part) ? profile->rep.Nanos(static_cast<lull::CallPart>(part)) : 0;
}

char* lull_call_profile_text(const lull_call_profile_t* profile) {
  return MallocedCopy(profile->rep.ToString());
}

}  // extern "C"
