// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The program lull: inspects and maintains stores. This file has its command line.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "db/tools/commands.h"
#include "db/tools/completion.h"
#include "lull/version.h"
#include "table/compression.h"
#include "util/logging.h"

namespace lull::tools {
namespace {

using Command = int (*)(const Invocation&);

constexpr char kFooter[] =
    "Keys and values: printable ASCII is literal; \\\\ is a backslash, \\xNN is any byte.\n"
    "Exit codes: 0 success, 1 failure, 2 wrong usage, 3 no such key, 4 a file is damaged.";

constexpr char kExamples[] =
    "Examples:\n"
    "  lull stats /var/lib/store\n"
    "  lull scan /var/lib/store --prefix user: --limit 10\n"
    "  lull check /var/lib/store\n"
    "\n"
    "lull COMMAND --help describes a command.\n"
    "\n";

class CommandLine {
 public:
  CommandLine() : app_("Inspects and maintains LevelDB and Lull stores.", "lull") {
    app_.set_version_flag("--version",
                          "lull " LULL_VERSION_STRING " (LevelDB 1.23's interface and files)");
    json_ = app_.add_flag("--json", call_.json, "Print JSON, one object per line");
    app_.add_flag_callback(
        "--hex", [this] { call_.coding = Coding::kHex; }, "Keys and values are hexadecimal");
    app_.require_subcommand(1);
    app_.fallthrough();
    app_.footer(kFooter);
    AddReading();
    AddWatching();
    AddWriting();
    AddWork();
    AddBackups();
    app_.footer(std::string(kExamples) + kFooter);  // only now: commands inherit the footer
  }

  int Run(int argc, char** argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return error.get_exit_code() == 0 ? app_.exit(error) : Refuse(error);
    }
    if (!shell_.empty()) return PrintResult(false, {}, CompletionScript(app_, shell_));
    return command_(call_);
  }

 private:
  /// Names what is nearest to the first unknown word, if there is one.
  int Refuse(const CLI::ParseError& error) const {
    const CLI::App* command = &app_;
    while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
    for (const std::string& unknown : app_.remaining(/*recurse=*/true)) {
      const std::string word = unknown.substr(0, unknown.find('='));
      const bool is_option = word.starts_with("-");
      std::vector<std::string> known;
      if (is_option) known = OptionsOf(command);
      for (const CLI::App* const each : CommandsOf(*command))
        if (!is_option) known.push_back(each->get_name());
      if (known.empty()) continue;  // the word is no option, nor in the place of a command
      const std::string nearest(
          NearestWord(word, std::vector<std::string_view>(known.begin(), known.end())));
      std::fprintf(stderr, "lull: no %s is called %s; the nearest is %s\n",
                   is_option ? "option" : "command", word.c_str(), nearest.c_str());
      return kUsage;
    }
    app_.exit(error);
    return kUsage;
  }
  /// With those of the commands above.
  static std::vector<std::string> OptionsOf(const CLI::App* app) {
    std::vector<std::string> names;
    for (; app != nullptr; app = app->get_parent()) {
      for (const CLI::Option* const option : app->get_options())
        if (!option->get_lnames().empty()) names.push_back("--" + option->get_lnames().front());
    }
    return names;
  }

  CLI::App* Add(const char* name, const char* what, Command command, const char* example,
                CLI::App* parent = nullptr) {
    CLI::App* const added =
        AddExample((parent == nullptr ? &app_ : parent)->add_subcommand(name, what), example);
    added->add_option("store", call_.store, "Directory of the store")->required();
    added->callback([this, command] { command_ = command; });
    return added;
  }
  static CLI::App* AddExample(CLI::App* command, const std::string& line) {
    command->footer("Example: " + line + "\n\n" + kFooter);
    return command;
  }
  CLI::App* AddComparator(CLI::App* command) {
    command->add_option("--comparator-name", call_.comparator_name,
                        "Name of the store's comparator, for a store in another key order");
    return command;
  }
  /// Of commands that can write tables.
  CLI::App* AddTableFormat(CLI::App* command) {
    std::vector<std::string> names;
    for (const Codec codec : kCodecs) {
      if (CanDecompress(codec)) names.emplace_back(kCodecNames[static_cast<size_t>(codec)]);
    }
    command
        ->add_option("--compression", call_.compression,
                     "Compression of new tables; default: that of the store's tables, none if it "
                     "has no tables, since every LevelDB reads that")
        ->check(CLI::IsMember(names));
    command
        ->add_option("--bloom-bits", call_.bloom_bits,
                     "Bits per key of the Bloom filters of new tables, 0: no filters; default: as "
                     "in the store's tables")
        ->check(CLI::Range(0, 1000));
    return command;
  }
  void AddKey(CLI::App* command) { command->add_option("key", call_.key, "Key")->required(); }

  void AddReading() {
    AddComparator(Add("stats", "Print sizes by level (takes no lock)", RunStats,
                      "lull stats /var/lib/store --json"));
    AddComparator(Add(
        "levels", "Print every table with its key range, and what levels contain (takes no lock)",
        RunLevels, "lull levels /var/lib/store"));
    AddComparator(Add("check", "Read everything and verify checksums (takes no lock)", RunCheck,
                      "lull check /var/lib/store"));
    CLI::App* const get =
        Add("get", "Print the value of a key (takes no lock; may miss the last writes)", RunGet,
            "lull get /var/lib/store user:42");
    AddKey(get);
    get->add_flag("--raw", call_.raw, "Print the bytes of the value and nothing else")
        ->excludes(json_);
    CLI::App* const scan =
        Add("scan", "Print entries in key order (takes no lock; may miss the last writes)", RunScan,
            "lull scan /var/lib/store --prefix user: --limit 10");
    AddComparator(scan);
    scan->add_option("--from", call_.from, "Start at this key");
    scan->add_option("--to", call_.to, "Stop before this key");
    scan->add_option("--prefix", call_.prefix, "Print only keys with this prefix");
    scan->add_option("--limit", call_.limit, "Print at most this many entries");
    scan->add_flag("--reverse", call_.reverse, "Print in descending key order");
    scan->add_flag("--keys-only", call_.keys_only, "Print no values");
    scan->add_flag("--keep-going", call_.keep_going,
                   "Skip what is damaged: entries can be missing, old or deleted; exit code 4");
    CLI::App* const manifest = AddExample(app_.add_subcommand("manifest", "Inspect the MANIFEST"),
                                          "lull manifest dump /var/lib/store");
    manifest->require_subcommand(1);
    Add("dump", "Print every record of a store's MANIFEST, or of a MANIFEST file", RunManifest,
        "lull manifest dump /var/lib/store", manifest);
  }

  CLI::App* AddWatch(const char* name, const char* what, Command command, const char* example) {
    CLI::App* const added = AddExample(app_.add_subcommand(name, what), example);
    added
        ->add_option("path", call_.paths,
                     "A stats file, a store, or a directory with stores; see the option stats_file")
        ->required();
    added->callback([this, command] { command_ = command; });
    return added;
  }

  void AddWatching() {
    AddWatch("top", "Watch stores live (reads their stats files)", RunTop, "lull top /var/lib")
        ->add_flag("--once", call_.once,
                   "Print figures of one to five seconds; also with --json or without a terminal");
    AddWatch("export", "Serve metrics to Prometheus (reads stats files)", RunExport,
             "lull export /var/lib --listen 127.0.0.1:9464")
        ->add_option("--listen", call_.listen, "Address and port; port 0: any free one")
        ->capture_default_str();
  }

  void AddWriting() {
    CLI::App* const put =
        Add("put", "Write an entry", RunPut, "lull put /var/lib/store user:42 Ada --sync");
    AddKey(put);
    put->add_option("value", call_.value, "Value")->required();
    put->add_flag("--create", call_.create, "Create the store if it does not exist");
    CLI::App* const remove =
        Add("delete", "Delete a key", RunDelete, "lull delete /var/lib/store user:42");
    AddKey(remove);
    for (CLI::App* const command : {put, remove}) {
      command->add_flag("--sync", call_.sync, "Return only after the write is on stable storage");
      AddTableFormat(command);
    }
  }

  void AddWork() {
    CLI::App* const repair = AddTableFormat(Add("repair", "Salvage a store that does not open",
                                                RunRepair, "lull repair /var/lib/store"));
    CLI::Option* const from_lost =
        repair->add_flag("--from-lost", call_.from_lost,
                         "Instead, restore entries of files in lost/ (the store must open)");
    repair->add_flag("--dry-run", call_.dry_run, "Only tell what is damaged; change nothing")
        ->excludes(from_lost);
    AddTableFormat(Add("compact", "Rewrite the store without overwritten and deleted entries",
                       RunCompact, "lull compact /var/lib/store"));
    AddTableFormat(Add("checkpoint",
                       "Create a second store with the same entries; shares table files",
                       RunCheckpoint, "lull checkpoint /var/lib/store /var/lib/store.copy"))
        ->add_option("directory", call_.target, "Directory of the new store")
        ->required();
    CLI::App* const bench = Add("bench", "Create a store, measure writes and reads, and delete it",
                                RunBench, "lull bench /tmp/store --entries 100000");
    bench->add_option("--entries", call_.bench_entries, "Number of entries")->capture_default_str();
    bench->add_option("--value-bytes", call_.bench_value_bytes, "Bytes per value")
        ->capture_default_str();
    bench->add_flag("--sync", call_.sync, "Sync every write");

    CLI::App* const options = app_.add_subcommand(
        "options", "Print scheduling options: default, unit, range, and meaning");
    options->add_option("name", call_.options, "Names of options; default: all");
    options->footer([] { return "Example: lull options l0_stop\n\n" + OptionNamesText(); });
    options->callback([this] { command_ = RunOptions; });
    CLI::App* const which =
        AddExample(app_.add_subcommand(
                       "which", "Print whether a process uses Lull or LevelDB (reads its files)"),
                   "lull which 1234");
    which->add_option("pid", call_.process, "Process")->required();
    which->callback([this] { command_ = RunWhich; });
    AddExample(app_.add_subcommand("completion", "Print the completion script for a shell"),
               "lull completion bash > ~/.local/share/bash-completion/completions/lull")
        ->add_option("shell", shell_, "Shell")
        ->required()
        ->check(CLI::IsMember(std::vector<std::string>(std::begin(kShells), std::end(kShells))));
  }

  CLI::App* AddBackup(CLI::App* parent, const char* name, const char* what, Command command,
                      const char* example) {
    CLI::App* const added = AddExample(parent->add_subcommand(name, what), example);
    if (command == RunBackupCreate)
      added->add_option("store", call_.store, "Directory of the store")->required();
    added->add_option("directory", call_.backups, "Directory of the backups")->required();
    added->callback([this, command] { command_ = command; });
    return added;
  }

  void AddBackups() {
    CLI::App* const backup =
        AddExample(app_.add_subcommand("backup", "Make, verify and restore incremental backups"),
                   "lull backup create /var/lib/store /mnt/backups");
    backup->require_subcommand(1);
    AddTableFormat(AddComparator(AddBackup(
        backup, "create", "Add a backup: copy the tables that are new (takes no lock of the store)",
        RunBackupCreate, "lull backup create /var/lib/store /mnt/backups")));
    AddBackup(backup, "list", "Print all backups, oldest first", RunBackupList,
              "lull backup list /mnt/backups");
    CLI::App* const verify = AddBackup(backup, "verify", "Read backups and verify checksums",
                                       RunBackupVerify, "lull backup verify /mnt/backups");
    verify->add_option("--id", call_.backup_id, "Verify only this backup; default: all");
    CLI::App* const restore =
        AddBackup(backup, "restore", "Write the store as of a backup", RunBackupRestore,
                  "lull backup restore /mnt/backups /var/lib/store --id 3");
    restore->add_option("target", call_.target, "Directory of the new store")->required();
    restore->add_option("--id", call_.backup_id, "Restore this backup; default: the newest");
    CLI::App* const prune = AddBackup(backup, "prune", "Remove all but the newest backups",
                                      RunBackupPrune, "lull backup prune /mnt/backups --keep 7");
    prune->add_option("--keep", call_.keep, "Number of backups to keep, at least 1")->required();
  }

  Invocation call_;
  Command command_ = nullptr;
  std::string shell_;  // of the command completion
  CLI::App app_;
  CLI::Option* json_ = nullptr;
};

}  // namespace
}  // namespace lull::tools

int main(int argc, char** argv) {
  return lull::tools::FinishOutput(lull::tools::CommandLine().Run(argc, argv));
}
