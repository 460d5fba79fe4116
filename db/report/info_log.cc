// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/report/info_log.h"

#include <cstring>
#include <string>

#include "util/build_info.h"
#include "util/logging.h"

namespace lull {
namespace {

constexpr uint64_t kStallLineEveryUs = 1'000'000;
constexpr uint64_t kLongStallUs = 100'000;  // the end of a longer stall is always logged

double MB(uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }
double Ms(uint64_t us) { return static_cast<double>(us) / 1e3; }

/// "1 table", "2 tables".
std::string Count(uint64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string JobName(const JobInfo& job) {
  const std::string number = " #" + std::to_string(job.id);
  if (job.kind == JobKind::kFlush) return "Flush" + number;
  return std::string(job.kind == JobKind::kManualCompaction ? "Manual compaction" : "Compaction") +
         number + Format(" L%d -> L%d", job.input_level, job.output_level);
}

std::string PausesText(const JobInfo& job) {
  if (job.pauses == 0) return "";
  return Format(", with %s of %.1f ms", Count(job.pauses, "pause").c_str(), Ms(job.paused_us));
}

const char* CauseText(WriteStallCause cause) {
  constexpr const char* kTexts[kStallCauses] = {"memtables wait for their flush",
                                                "L0 has many tables",
                                                "much is still to be compacted", "by the policy"};
  return kTexts[static_cast<size_t>(cause)];
}

/// "; stop by memory: 3, 20.1 ms", or "" if there was none.
std::string StallTotalText(size_t kind, size_t cause, const StallTotals& totals) {
  if (totals.count == 0) return "";
  return Format("; %s by %s: %llu, %.1f ms", StallKindName(static_cast<StallKind>(kind)),
                StallCauseName(static_cast<WriteStallCause>(cause)),
                static_cast<unsigned long long>(totals.count),
                static_cast<double>(totals.held_nanos) / 1e6);
}

std::string LevelsText(const StoreReport& report) {
  std::string text;
  for (int level = 0; level < kLevels; ++level) {
    const LevelReport& about = report.levels[level];
    if (about.tables == 0) continue;
    text += Format("%sL%d %d (%.1f MB)", text.empty() ? "" : ", ", level, about.tables,
                   MB(about.bytes));
  }
  return text.empty() ? "none" : text;
}

}  // namespace

void InfoLog::OnJobEnd(const JobInfo& job) {
  if (job.outcome == JobOutcome::kFailed) return;  // already logged where it failed
  const std::string name = JobName(job);
  if (job.outcome == JobOutcome::kAbandoned) {
    Log(logger_, "%s: abandoned after %.1f of %.1f MB%s", name.c_str(), MB(job.input_bytes_done),
        MB(job.input_bytes), PausesText(job).c_str());
    return;
  }
  if (job.trivial_move) {
    Log(logger_, "%s: moved %.1f MB", name.c_str(), MB(job.input_bytes));
    return;
  }
  const uint64_t worked_us = job.elapsed_us - job.paused_us;
  const double rate =
      worked_us == 0 ? 0 : MB(job.input_bytes) * 1e6 / static_cast<double>(worked_us);
  const char* const input = job.kind == JobKind::kFlush ? "memtable" : "table";
  Log(logger_, "%s: %s, %.1f MB -> %s, %.1f MB in %.1f ms%s; %.1f MB/s, %s CPU", name.c_str(),
      Count(job.input_files, input).c_str(), MB(job.input_bytes),
      Count(job.output_files, "table").c_str(), MB(job.output_bytes), Ms(job.elapsed_us),
      PausesText(job).c_str(), rate, job.idle_priority ? "idle" : "normal");
}

void InfoLog::OnStallBegin(const StallInfo& stall) {
  StallLines& lines = stalls_[static_cast<size_t>(stall.kind)];
  lines.began_with_line = lines.last_us == 0 || stall.at_us >= lines.last_us + kStallLineEveryUs;
  if (!lines.began_with_line) return;
  lines.last_us = stall.at_us;
  Log(logger_, "Writes are %s: %s", stall.kind == StallKind::kStop ? "stopped" : "slowed",
      CauseText(stall.cause));
}

void InfoLog::OnStallEnd(const StallInfo& stall) {
  StallLines& lines = stalls_[static_cast<size_t>(stall.kind)];
  if (!lines.began_with_line && stall.elapsed_us < kLongStallUs) {
    ++lines.passed_over;
    lines.passed_over_us += stall.held_us;
    return;
  }
  std::string others;
  if (lines.passed_over > 0) {
    others = Format(" (and %llu times before, for %.1f ms in total)",
                    static_cast<unsigned long long>(lines.passed_over), Ms(lines.passed_over_us));
  }
  Log(logger_, "Writes are no longer %s by %s: %s waited for %.1f of %.1f ms%s",
      stall.kind == StallKind::kStop ? "stopped" : "slowed", StallCauseName(stall.cause),
      Count(stall.held_writes, "write").c_str(), Ms(stall.held_us), Ms(stall.elapsed_us),
      others.c_str());
  lines.passed_over = 0;
  lines.passed_over_us = 0;
}

void InfoLog::OnOptionsChange(const OptionsInfo& options) {
  Log(logger_, "Options are now: %s", options.options.c_str());
}

void LogBuild(leveldb::Logger* logger) {
  Log(logger, "%s, %s", BuildMark() + std::strlen("@(#)"), BuildCompiler().c_str());
}

void LogOpen(leveldb::Logger* logger, const StoreContext& context, const StoreReport& report,
             size_t recovered_tables, size_t lost_files) {
  const leveldb::Options& options = context.options;
  Log(logger,
      "Opened %s in %.1f ms. Tables: %s. Recovery wrote %zu tables from WALs, and moved %zu files "
      "to lost/",
      context.name.c_str(), static_cast<double>(report.activity.uptime_nanos) / 1e6,
      LevelsText(report).c_str(), recovered_tables, lost_files);
  Log(logger, "Scheduling: %s", report.activity.options.c_str());
  Log(logger,
      "Options: comparator=%s write_buffer_size=%zu max_file_size=%zu block_size=%zu "
      "block_restart_interval=%d max_open_files=%d compression=%s filter=%s paranoid_checks=%d",
      options.comparator->Name(), options.write_buffer_size, options.max_file_size,
      options.block_size, options.block_restart_interval, options.max_open_files,
      kCodecNames[static_cast<size_t>(context.TableCodec())],
      options.filter_policy == nullptr ? "none" : options.filter_policy->Name(),
      options.paranoid_checks ? 1 : 0);
}

void LogClose(leveldb::Logger* logger, const StoreReport& report) {
  std::string stalls;
  for (size_t kind = 0; kind < kStallKinds; ++kind) {
    for (size_t cause = 0; cause < kStallCauses; ++cause) {
      stalls += StallTotalText(kind, cause, report.activity.stall_totals[kind][cause]);
    }
  }
  Log(logger,
      "Closed after %.1f s. Clients wrote %llu entries, %.1f MB; WAL %.1f MB, flushes "
      "%.1f MB, compactions read %.1f and wrote %.1f MB; write amplification %.2f%s. Tables: %s",
      static_cast<double>(report.activity.uptime_nanos) / 1e9,
      static_cast<unsigned long long>(report.user_entries), MB(report.user_bytes),
      MB(report.wal_bytes), MB(report.JobBytes(&JobTotals::written_bytes, true, false)),
      MB(report.JobBytes(&JobTotals::read_bytes, false, true)),
      MB(report.JobBytes(&JobTotals::written_bytes, false, true)), report.WriteAmplification(),
      stalls.empty() ? "; no stalls" : stalls.c_str(), LevelsText(report).c_str());
}

}  // namespace lull
