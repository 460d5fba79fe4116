// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Runs testdata/*.txt on a policy and testdata/dispatcher/*.txt on a dispatcher. A file is a series
// of blocks: comments (#) and commands, a line "----", the commands' output, an empty line.
// policy_script.h and dispatcher_script.h describe the commands; each file starts with a fresh
// state. "scheduler_test --rewrite" writes the current output into the files.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/scheduler/dispatcher_script.h"
#include "tests/scheduler/policy_script.h"
#include "tests/scheduler/rewrite.h"

namespace lull::testing {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> TranscriptFiles(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(__FILE__).parent_path() / folder)) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string ReadText(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The file with the current output of its commands in every block.
template <class Script>
std::string Rerun(const std::string& text) {
  Script script;
  std::istringstream lines(text);
  std::string result;
  std::string printed;
  bool in_output = false;
  for (std::string line; std::getline(lines, line);) {
    if (in_output) {
      if (!line.empty()) continue;
      in_output = false;
      result += "\n";
    } else if (line == "----") {
      result += "----\n" + printed;
      printed.clear();
      in_output = true;
    } else {
      result += line + "\n";
      if (!line.empty() && line[0] != '#') printed += script.Run(line);
    }
  }
  return printed.empty() ? result : result + "----\n" + printed;
}

template <class Script>
void ExpectSameTranscript(const fs::path& path) {
  const std::string expected = ReadText(path);
  ASSERT_NE(expected.find("----\n"), std::string::npos) << "no block in " << path;
  const std::string actual = Rerun<Script>(expected);
  EXPECT_EQ(actual.find("\nerror: "), std::string::npos) << actual;
  if (RewriteTranscripts()) {
    std::ofstream(path, std::ios::binary) << actual;
  } else {
    EXPECT_EQ(actual, expected) << "if this is intended, run scheduler_test --rewrite";
  }
}

std::string NameOf(const ::testing::TestParamInfo<fs::path>& info) {
  std::string name = info.param.stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class TranscriptTest : public ::testing::TestWithParam<fs::path> {};

TEST_P(TranscriptTest, PrintsWhatIsExpected) { ExpectSameTranscript<PolicyScript>(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Files, TranscriptTest, ::testing::ValuesIn(TranscriptFiles("testdata")),
                         NameOf);

class DispatcherTranscriptTest : public ::testing::TestWithParam<fs::path> {};

TEST_P(DispatcherTranscriptTest, PrintsWhatIsExpected) {
  ExpectSameTranscript<DispatcherScript>(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Files, DispatcherTranscriptTest,
                         ::testing::ValuesIn(TranscriptFiles("testdata/dispatcher")), NameOf);

TEST(PolicyScriptTest, RefusesWhatItCannotRead) {
  PolicyScript script;
  EXPECT_EQ(script.Run("quiet 1s"), "error: no policy yet\n");
  EXPECT_EQ(script.Run("policy slik"), "error: no such policy\n");
  script.Run("policy lull");
  for (const char* command :
       {"", "policy", "policy lull x=1", "policy lull threads=many", "set l1=1", "set l0", "event",
        "event never", "event tick l0=1h", "write 1s", "write 1 x", "quiet", "sweep l0 1 2",
        "sweep l0 1 2 0", "dance"}) {
    EXPECT_EQ(script.Run(command).substr(0, 7), "error: ") << command;
  }
}

TEST(DispatcherScriptTest, RefusesWhatItCannotRead) {
  DispatcherScript script;
  EXPECT_EQ(script.Run("round"), "error: no workers yet\n");
  EXPECT_EQ(script.Run("workers 2"), "");
  EXPECT_EQ(script.Run("offer a l0 j"), "error: no such store\n");
  EXPECT_EQ(script.Run("open a"), "");
  for (const char* command : {"", "workers", "workers 0", "round 1", "advance", "advance x", "work",
                              "work 1s x", "open", "want a l0", "want a x=1", "offer a l1 j",
                              "offer a l0", "slice j", "blocks j", "dance a"}) {
    EXPECT_EQ(script.Run(command).substr(0, 7), "error: ") << command;
  }
}

}  // namespace
}  // namespace lull::testing
