// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Draws `lull top` on the terminal, with ncurses. Built only if ncurses was found.

// Without the macros of curses, some of which have common names.
#define NCURSES_NOMACROS 1
#include <curses.h>
#undef OK  // also a function of Status

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "db/tools/commands.h"
#include "db/tools/top_stores.h"
#include "db/tools/top_view.h"
#include "util/clock.h"
#include "util/os.h"

namespace lull::tools {
namespace {

constexpr uint64_t kRefreshNanos = 1'000'000'000;
constexpr int kEscape = 27;

/// The terminal in curses mode. The destructor restores it.
class Terminal {
 public:
  Terminal() : screen_(newterm(nullptr, stdout, stdin)) {
    if (screen_ == nullptr) return;
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    set_escdelay(50);  // an escape sequence of a key arrives at once, also over ssh
    curs_set(0);
  }
  ~Terminal() {
    if (screen_ == nullptr) return;
    endwin();
    delscreen(screen_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  bool is_ready() const { return screen_ != nullptr; }

 private:
  SCREEN* const screen_;
};

/// What the user chose, and the loop that draws it.
class Screen {
 public:
  explicit Screen(TopStores* stores) : stores_(stores) {}

  void Run() {
    Clock* const clock = Clock::System();
    while (!quits_) {
      stores_->Refresh();
      const uint64_t refresh_at = clock->NowNanos() + kRefreshNanos;
      for (uint64_t now = clock->NowNanos(); !quits_ && now < refresh_at; now = clock->NowNanos()) {
        Draw();
        wtimeout(stdscr, static_cast<int>((refresh_at - now) / 1'000'000) + 1);
        const int key = wgetch(stdscr);
        if (key == ERR) break;  // the time is over, even if the clock stands still
        Handle(key);
      }
    }
  }

 private:
  /// Sorts the rows and finds the selected one, by file, since rows change places.
  void Arrange() {
    rows_ = stores_->Rows();
    SortStores(sort_, &rows_);
    const auto found = std::ranges::find(rows_, selected_file_, &StoreFigures::file);
    if (found != rows_.end()) selected_ = static_cast<size_t>(found - rows_.begin());
    selected_ = std::min(selected_, rows_.empty() ? 0 : rows_.size() - 1);
    if (!rows_.empty()) selected_file_ = rows_[selected_].file;
    if (rows_.empty()) shows_detail_ = false;
  }

  void Draw() {
    Arrange();
    const auto width = static_cast<size_t>(std::max(getmaxx(stdscr), 1));
    const auto height = static_cast<size_t>(std::max(getmaxy(stdscr), 1));
    std::vector<ViewLine> lines = {{Title(), LineStyle::kPlain}};
    const ViewSize size = {.width = width, .height = height - 1};
    const std::vector<ViewLine> body =
        shows_detail_ ? StoreDetail(rows_[selected_], size) : StoreList(rows_, selected_, size);
    lines.insert(lines.end(), body.begin(), body.end());
    werase(stdscr);
    for (size_t row = 0; row < lines.size() && row < height; ++row) Put(row, width, lines[row]);
    wrefresh(stdscr);
  }

  static void Put(size_t row, size_t width, const ViewLine& line) {
    attr_t style = A_NORMAL;
    if (line.style == LineStyle::kHeading) style = A_UNDERLINE;
    if (line.style == LineStyle::kSelected) style = A_REVERSE;
    if (line.style == LineStyle::kWarning) style = A_BOLD;
    wattrset(stdscr, static_cast<int>(style));
    mvwaddnstr(stdscr, static_cast<int>(row), 0, line.text.c_str(), static_cast<int>(width));
    wattrset(stdscr, A_NORMAL);
  }

  std::string Title() const {
    const std::string count =
        std::to_string(rows_.size()) + (rows_.size() == 1 ? " store" : " stores");
    if (shows_detail_) return "lull top   esc: all stores   j/k: next   q: quit";
    return "lull top   " + count + " by " + TopSortName(sort_) +
           "   j/k: choose   enter: detail   s: sort   q: quit";
  }

  void Handle(int key) {
    if (key == 'q' || key == 'Q') quits_ = true;
    if (key == 's') sort_ = static_cast<TopSort>((static_cast<int>(sort_) + 1) % kTopSorts);
    if ((key == 'j' || key == KEY_DOWN) && selected_ + 1 < rows_.size()) Select(selected_ + 1);
    if ((key == 'k' || key == KEY_UP) && selected_ > 0) Select(selected_ - 1);
    if (key == '\n' || key == '\r' || key == KEY_ENTER) shows_detail_ = !rows_.empty();
    if (key == kEscape) shows_detail_ = false;
  }

  void Select(size_t row) {
    selected_ = row;
    selected_file_ = rows_[row].file;
  }

  TopStores* const stores_;
  std::vector<StoreFigures> rows_;
  TopSort sort_ = TopSort::kName;
  size_t selected_ = 0;
  std::string selected_file_;
  bool shows_detail_ = false;
  bool quits_ = false;
};

}  // namespace

leveldb::Status RunTopScreen(TopStores* stores) {
  const Terminal terminal;
  if (!terminal.is_ready()) {
    const char* const term = os::Environment("TERM");
    return leveldb::Status::NotSupported(
        std::string("the terminal type TERM=") + (term == nullptr ? "" : term) + " is unknown",
        "set TERM, for example to vt100, or use --once");
  }
  Screen(stores).Run();
  return leveldb::Status::OK();
}

}  // namespace lull::tools
