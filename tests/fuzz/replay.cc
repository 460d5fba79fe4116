// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// main() of a fuzz target without libFuzzer: runs the given files, and all files in the given
// directories, then a number of seeded mutations of them. Any compiler, any sanitizer.
//
// When a run dies or takes too long, its input is written to crash-TARGET in the current directory.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz.h"
#include "tests/support/setting.h"
#include "util/random.h"

// Defined by sanitizers; null without.
extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));
// An allocation too large for inputs of these sizes is a finding. (libFuzzer has -malloc_limit_mb.)
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  return "max_allocation_size_mb=256:quarantine_size_mb=16";
}

namespace lull::fuzz {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr unsigned kRunSecondsMax = 60;

// Written by a dying process, so plain memory.
const uint8_t* running_data = nullptr;
size_t running_size = 0;
char crash_name[256];

void KeepInput() {
  const int file = open(crash_name, O_CREAT | O_TRUNC | O_WRONLY, 0644);
  const bool kept = file >= 0 && running_data != nullptr &&
                    write(file, running_data, running_size) == static_cast<ssize_t>(running_size);
  const char* const text =
      kept ? "the input was written to " : "the input could not be written to ";
  ssize_t ignored = write(STDERR_FILENO, text, std::strlen(text));
  ignored += write(STDERR_FILENO, crash_name, std::strlen(crash_name));
  ignored += write(STDERR_FILENO, "\n", 1);
  (void)ignored;
}

void OnSignal(int signal) {
  KeepInput();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void PrepareToDie(const char* program) {
  const std::string target = std::filesystem::path(program).filename().string();
  std::snprintf(crash_name, sizeof(crash_name), "crash-%s", target.c_str());
  std::signal(SIGABRT, OnSignal);
  std::signal(SIGALRM, OnSignal);
  if (__sanitizer_set_death_callback != nullptr) {
    __sanitizer_set_death_callback(KeepInput);
    return;
  }
  std::signal(SIGSEGV, OnSignal);
  constexpr rlim_t kMemoryBytesMax = rlim_t{2} << 30;
  const rlimit memory{kMemoryBytesMax, kMemoryBytesMax};
  setrlimit(RLIMIT_AS, &memory);
}

void RunInput(const Bytes& input) {
  // Memory that ends with the input, so that reads past it are detected.
  const auto exact = std::make_unique<uint8_t[]>(input.size());
  std::copy(input.begin(), input.end(), exact.get());
  running_data = exact.get();
  running_size = input.size();
  alarm(kRunSecondsMax);
  RunOne(Input(running_data, running_size));
  alarm(0);
  running_data = nullptr;
}

/// Makes a few changes of the kinds that occur in damaged files and that confuse parsers.
class Mutator {
 public:
  Mutator(uint64_t seed, const std::vector<Bytes>& corpus) : random_(seed), corpus_(corpus) {}

  Bytes Next() {
    Bytes input = corpus_[random_.Uniform(corpus_.size())];
    for (uint64_t left = 1 + random_.Uniform(4); left > 0; --left) Change(&input);
    return input;
  }

 private:
  void Change(Bytes* input) {
    if (input->empty()) input->push_back(0);
    const size_t at = random_.Uniform(input->size());
    const auto here = input->begin() + static_cast<ptrdiff_t>(at);
    switch (random_.Uniform(8)) {
      case 0:
        *here ^= static_cast<uint8_t>(1u << random_.Uniform(8));
        return;
      case 1:
        *here = static_cast<uint8_t>(random_.Next());
        return;
      case 2: {  // values next to a limit
        static constexpr uint8_t kLimits[] = {0, 1, 0x7f, 0x80, 0xfe, 0xff};
        const size_t bytes = std::min<size_t>(size_t{1} << random_.Uniform(4), input->size() - at);
        std::fill_n(here, bytes, kLimits[random_.Uniform(std::size(kLimits))]);
        return;
      }
      case 3:
        *here = static_cast<uint8_t>(*here + (random_.OneIn(2) ? 1 : -1));
        return;
      case 4:  // cut out, or cut off
        input->erase(here, random_.OneIn(4)
                               ? input->end()
                               : here + static_cast<ptrdiff_t>(random_.Uniform(
                                            std::min<size_t>(16, input->size() - at))));
        return;
      case 5: {
        Bytes fresh(1 + random_.Uniform(8));
        for (uint8_t& byte : fresh) byte = static_cast<uint8_t>(random_.Next());
        input->insert(here, fresh.begin(), fresh.end());
        return;
      }
      case 6: {  // a part of the same input, elsewhere
        const size_t from = random_.Uniform(input->size());
        const size_t rest = input->size() - std::max(from, at);
        const size_t bytes = std::min<size_t>(random_.Uniform(64) + 1, rest);
        std::copy_n(Bytes(*input).begin() + static_cast<ptrdiff_t>(from), bytes, here);
        return;
      }
      default: {  // the end of another input
        const Bytes& other = corpus_[random_.Uniform(corpus_.size())];
        input->erase(here, input->end());
        const auto from = static_cast<ptrdiff_t>(random_.Uniform(other.size() + 1));
        input->insert(input->end(), other.begin() + from, other.end());
      }
    }
  }

  Random random_;
  const std::vector<Bytes>& corpus_;
};

void Load(const std::filesystem::path& path, std::vector<Bytes>* corpus) {
  std::vector<std::filesystem::path> files;
  if (std::filesystem::is_directory(path)) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
  } else {
    files.push_back(path);
  }
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    if (!in) {
      std::fprintf(stderr, "%s cannot be read\n", file.c_str());
      std::exit(2);
    }
    corpus->emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
}

int Main(int argc, char** argv) {
  uint64_t mutations = 0;
  uint64_t seed = 1;
  std::vector<std::filesystem::path> paths;
  CLI::App app;
  app.add_option("--mutations", mutations);
  app.add_option("--seed", seed);
  app.add_option("paths", paths);
  CLI11_PARSE(app, argc, argv);
  std::vector<Bytes> corpus;
  for (const auto& path : paths) Load(path, &corpus);
  if (corpus.empty()) {
    std::fprintf(stderr, "%s: no input\n", argv[0]);
    return 2;
  }
  PrepareToDie(argv[0]);
  for (const Bytes& input : corpus) RunInput(input);
  Mutator mutator(seed, corpus);
  mutations = testing::Strided(mutations);
  for (uint64_t i = 0; i < mutations; ++i) RunInput(mutator.Next());
  std::printf("%zu inputs and %llu mutations of them (seed %llu) ran well\n", corpus.size(),
              static_cast<unsigned long long>(mutations), static_cast<unsigned long long>(seed));
  return 0;
}

}  // namespace
}  // namespace lull::fuzz

int main(int argc, char** argv) { return lull::fuzz::Main(argc, argv); }
