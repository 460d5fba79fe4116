// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The program lull: looks at stores, and works on them. This file is its command line.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "db/tools/commands.h"
#include "lull/version.h"

namespace lull::tools {
namespace {

using Command = int (*)(const Invocation&);

constexpr char kFooter[] =
    "Keys and values: printable ASCII stands for itself, \\\\ for a backslash, \\xNN for any "
    "byte.\n"
    "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no such key, 4 the store is damaged.";

class CommandLine {
 public:
  CommandLine() : app_("Looks at LevelDB and Lull stores, and works on them.", "lull") {
    app_.set_version_flag("--version",
                          "lull " LULL_VERSION_STRING " (LevelDB 1.23's interface and files)");
    app_.add_flag("--json", call_.json, "Print JSON, one object a line");
    app_.add_flag_callback(
        "--hex", [this] { call_.coding = Coding::kHex; }, "Keys and values are hexadecimal");
    app_.require_subcommand(1);
    app_.fallthrough();
    app_.footer(kFooter);
    AddReading();
    AddWriting();
    AddWork();
  }

  int Run(int argc, char** argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return app_.exit(error) == 0 ? kDone : kUsage;
    }
    return command_(call_);
  }

 private:
  CLI::App* Add(const char* name, const char* what, Command command, CLI::App* parent = nullptr) {
    CLI::App* const added = (parent == nullptr ? &app_ : parent)->add_subcommand(name, what);
    added->add_option("store", call_.store, "The store's folder")->required();
    added->callback([this, command] { command_ = command; });
    return added;
  }
  void AddKey(CLI::App* command) { command->add_option("key", call_.key, "The key")->required(); }

  void AddReading() {
    Add("stats", "Sizes, by level (without the lock)", RunStats);
    Add("levels", "Every table with its range of keys (without the lock)", RunLevels);
    Add("check", "Read everything with checksums (without the lock)", RunCheck);
    AddKey(Add("get", "Print a value (without the lock; later writes are not seen)", RunGet));
    CLI::App* const scan = Add(
        "scan", "Print entries in order (without the lock; later writes are not seen)", RunScan);
    scan->add_option("--from", call_.from, "Begin at this key");
    scan->add_option("--to", call_.to, "End before this key");
    scan->add_option("--prefix", call_.prefix, "Only keys that begin so");
    scan->add_option("--limit", call_.limit, "At most so many entries");
    scan->add_flag("--reverse", call_.reverse, "From the last key to the first");
    scan->add_flag("--keys-only", call_.keys_only, "No values");
    CLI::App* const manifest = app_.add_subcommand("manifest", "About the MANIFEST");
    manifest->require_subcommand(1);
    Add("dump", "Print every record of a store's MANIFEST, or of the one given", RunManifest,
        manifest);
  }

  void AddWriting() {
    CLI::App* const put = Add("put", "Write an entry", RunPut);
    AddKey(put);
    put->add_option("value", call_.value, "The value")->required();
    put->add_flag("--create", call_.create, "Make the store if there is none");
    CLI::App* const remove = Add("delete", "Remove a key", RunDelete);
    AddKey(remove);
    for (CLI::App* const command : {put, remove}) {
      command->add_flag("--sync", call_.sync, "Wait until it is on stable storage");
    }
  }

  void AddWork() {
    Add("repair", "Save what can be read of a store that does not open", RunRepair)
        ->add_flag("--from-lost", call_.from_lost,
                   "Instead, put back what opens set aside in lost/ (of a store that opens)");
    Add("compact", "Drop what is overwritten and deleted; rewrites the whole store", RunCompact);
    Add("checkpoint", "Make a second store of what is in this one; tables are shared",
        RunCheckpoint)
        ->add_option("folder", call_.target, "The new store's folder")
        ->required();
    CLI::App* const bench =
        Add("bench", "Write and read in a new store, measure, and remove it", RunBench);
    bench->add_option("--entries", call_.bench_entries, "How many")->capture_default_str();
    bench->add_option("--value-bytes", call_.bench_value_bytes, "Size of values")
        ->capture_default_str();
    bench->add_flag("--sync", call_.sync, "Every write waits for stable storage");

    CLI::App* const options = app_.add_subcommand(
        "options", "Explain scheduling options: default, unit, bounds, and what they do");
    options->add_option("name", call_.options, "Names of options; default: all");
    options->footer(OptionNamesText);
    options->callback([this] { command_ = RunOptions; });
  }

  Invocation call_;
  Command command_ = nullptr;
  CLI::App app_;
};

}  // namespace
}  // namespace lull::tools

int main(int argc, char** argv) { return lull::tools::CommandLine().Run(argc, argv); }
