// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// top: watches stores through their stats files, without opening them.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "db/tools/commands.h"
#include "db/tools/top_stores.h"
#include "db/tools/top_view.h"
#include "util/clock.h"
#include "util/os.h"

namespace lull::tools {
namespace {

using leveldb::Status;

constexpr uint64_t kSecondNanos = 1'000'000'000;
/// Prints figures over about a second, or two of an idle store. A busy one can be a little late.
int RunOnce(TopStores* stores, bool json) {
  stores->Refresh();
  for (int second = 0; second < static_cast<int>(kStaleSeconds); ++second) {
    if (second > 0 && !stores->AwaitsUpdate()) break;
    Clock::System()->SleepForNanos(kSecondNanos);
    stores->Refresh();
  }
  std::vector<StoreFigures> rows = stores->Rows();
  SortStores(TopSort::kName, &rows);
  if (json) {
    for (const StoreFigures& row : rows) PrintJson(row.Line());
  } else {
    const ViewSize size = {.height = rows.size() + 1, .cuts_lines = false};
    const std::vector<ViewLine> lines =
        rows.size() == 1 ? StoreDetail(rows[0], size) : StoreList(rows, rows.size(), size);
    for (const ViewLine& line : lines) PrintLine(line.text);
  }
  const bool any =
      std::ranges::any_of(rows, [](const StoreFigures& row) { return row.problem.empty(); });
  return any ? kDone : kFailed;
}

}  // namespace

int RunTop(const Invocation& call) {
  leveldb::Env* const env = leveldb::Env::Default();
  const Status status = CheckPaths(env, call.paths);
  if (!status.ok()) return Fail(status, call.json);
  TopStores stores(env, Clock::System(), call.paths);
  const bool has_terminal = os::IsTerminal(stdin) && os::IsTerminal(stdout);
  if (call.once || call.json || !has_terminal) return RunOnce(&stores, call.json);
#ifdef LULL_HAS_NCURSES
  const Status shown = RunTopScreen(&stores);
#else
  const Status shown = Status::NotSupported(
      "this program was built without ncurses (Debian: libncurses-dev)", "use --once");
#endif
  return shown.ok() ? kDone : Fail(shown, call.json);
}

}  // namespace lull::tools
