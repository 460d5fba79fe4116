// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Runs testdata/*.txt on a policy and testdata/dispatcher/*.txt on a dispatcher. A file is a series
// of blocks: comments (#) and commands, a line "----", the commands' output, an empty line.
// policy_script.cc and dispatcher_script.cc describe the commands; each file starts with a fresh
// state. "scheduler_test --rewrite" writes the current output into the files.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/scheduler/script.h"

namespace lull::testing {
namespace {

namespace fs = std::filesystem;

bool g_rewrite = false;

fs::path Testdata() { return fs::path(__FILE__).parent_path() / "testdata"; }

std::vector<fs::path> TranscriptFiles() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(Testdata())) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// The file with the current output of its commands in every block.
std::string Rerun(const std::string& text, Script* script) {
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
      if (line.empty() || line[0] == '#') continue;
      std::istringstream stream(line);
      const auto output = script->Run(Words{std::istream_iterator<std::string>(stream), {}});
      if (!output) ADD_FAILURE() << "invalid command: " << line;
      printed += output.value_or("");
    }
  }
  return printed.empty() ? result : result + "----\n" + printed;
}

class TranscriptTest : public ::testing::TestWithParam<fs::path> {};

TEST_P(TranscriptTest, PrintsWhatIsExpected) {
  const auto script =
      GetParam().parent_path() == Testdata() ? NewPolicyScript() : NewDispatcherScript();
  std::ifstream file(GetParam(), std::ios::binary);
  const std::string expected(std::istreambuf_iterator<char>(file), {});
  ASSERT_NE(expected.find("----\n"), std::string::npos) << "no block in " << GetParam();
  const std::string actual = Rerun(expected, script.get());
  if (g_rewrite) {
    std::ofstream(GetParam(), std::ios::binary) << actual;
  } else {
    EXPECT_EQ(actual, expected) << "if this is intended, run scheduler_test --rewrite";
  }
}

INSTANTIATE_TEST_SUITE_P(Files, TranscriptTest, ::testing::ValuesIn(TranscriptFiles()),
                         [](const auto& info) {
                           std::string name =
                               info.param.lexically_relative(Testdata()).generic_string();
                           name.resize(name.size() - 4);  // without ".txt"
                           for (char& c : name) c = c == '-' || c == '/' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace lull::testing

int main(int argc, char** argv) {
  ::testing::InitGoogleMock(&argc, argv);
  lull::testing::g_rewrite = argc > 1 && std::string_view(argv[1]) == "--rewrite";
  return RUN_ALL_TESTS();
}
