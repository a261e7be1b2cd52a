// What the documents tell people to type: the commands exist, take the options
// that are named, and the cases are there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "harness/testing/command.h"

namespace assay::harness {
namespace {

using testing::run_command;
using testing::slurp;
namespace fs = std::filesystem;

struct Typed {
  std::string where;
  std::string command;
  std::vector<std::string> words;
};

// "run 'cast_*' --out DIR": words as a shell splits them, up to a comment.
std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  for (const char c : line + " ") {
    if (quote == 0 && c == '#') break;
    if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == ' ' || c == ';' || c == '\\')) {
      if (c == ';' || word == "||" || word == "&&") break;
      if (!word.empty()) words.push_back(word);
      word.clear();
    } else {
      word += c;
    }
  }
  return words;
}

// Every "./assay ..." of a document, in code blocks and in lines of text.
std::vector<Typed> typed_in(const fs::path& file) {
  const std::string text = slurp(file);
  const std::regex pattern(R"(\./assay ([a-z][^`\n]*))");
  std::vector<Typed> out;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end;
       it != end; ++it) {
    std::vector<std::string> words = split((*it)[1]);
    if (words.empty()) continue;
    const std::string command = words.front();
    words.erase(words.begin());
    out.push_back({file.filename().string(), command, words});
  }
  return out;
}

std::vector<Typed> all_typed() {
  std::vector<Typed> out;
  std::vector<fs::path> files = {ASSAY_SOURCE_DIR "/README.md",
                                 ASSAY_SOURCE_DIR "/CONTRIBUTING.md",
                                 ASSAY_SOURCE_DIR "/results/README.md"};
  for (const auto& e : fs::directory_iterator(ASSAY_SOURCE_DIR "/docs")) {
    files.push_back(e.path());
  }
  for (const fs::path& file : files) {
    for (Typed& t : typed_in(file)) out.push_back(std::move(t));
  }
  return out;
}

// Commands of the launcher itself.
const std::set<std::string> kOfTheLauncher = {"bundle", "env", "help", "test"};

TEST(Documents, NameCommandsAndOptionsThatThereAre) {
  std::map<std::string, std::string> help;
  for (const Typed& t : all_typed()) {
    if (kOfTheLauncher.contains(t.command)) continue;
    if (!help.contains(t.command)) {
      const auto r =
          run_command({ASSAY_BINARY_DIR "/bin/assay", t.command, "--help"}, {});
      EXPECT_EQ(r.exit_code, 0) << t.where << ": " << t.command;
      help[t.command] = r.out;
      // What it does not know itself are words of `run`.
      if (t.command == "submit") {
        help[t.command] +=
            run_command({ASSAY_BINARY_DIR "/bin/assay", "run", "--help"}, {})
                .out;
      }
      if (t.command == "baseline" && !t.words.empty()) {
        help[t.command] += run_command({ASSAY_BINARY_DIR "/bin/assay",
                                        t.command, "make", "--help"},
                                       {})
                               .out;
      }
    }
    for (const std::string& word : t.words) {
      if (!word.starts_with("--")) continue;
      const std::string option = word.substr(0, word.find('='));
      EXPECT_NE(help[t.command].find(option), std::string::npos)
          << t.where << ": ./assay " << t.command << " has no " << option;
    }
  }
  EXPECT_GT(help.size(), 10u);
}

TEST(Documents, ReadmeShowsWhatIsSpecified) {
  std::vector<std::string> words = {ASSAY_BINARY_DIR "/bin/assay"};
  words.insert(words.end(), {"lint", "--syntax", "--specs"});
  words.emplace_back(ASSAY_SOURCE_DIR "/specs");
  const auto r = run_command(words, {});
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  const std::size_t first = r.out.find("| of PyTorch");
  const std::size_t end = r.out.rfind("|\n");
  ASSERT_TRUE(first != std::string::npos && end != std::string::npos) << r.out;
  const std::string table = r.out.substr(first, end + 2 - first);
  EXPECT_NE(slurp(ASSAY_SOURCE_DIR "/README.md").find(table), std::string::npos)
      << "README.md should show\n"
      << table;
}

// A finding that stands there twice has two texts, and one is out of date.
TEST(Documents, NameEachPlaceOnce) {
  const fs::path root = fs::path(ASSAY_SOURCE_DIR) / "docs";
  const std::regex anchor(R"re(<a id="([^"]+)")re");
  for (const auto& entry : fs::directory_iterator(root)) {
    if (entry.path().extension() != ".md") continue;
    const std::string text = slurp(entry.path());
    std::set<std::string> seen;
    for (std::sregex_iterator it(text.begin(), text.end(), anchor), end;
         it != end; ++it) {
      EXPECT_TRUE(seen.insert((*it)[1]).second)
          << (*it)[1] << " in " << entry.path().filename();
    }
  }
}

// The examples of findings: cases between backticks.
std::vector<std::string> examples_in(const fs::path& file) {
  const std::string text = slurp(file);
  const std::regex quoted("`([a-z_0-9]+)/([^` *]+)`");
  const std::regex of_operation("[A-Z]+[0-9]+/.+");
  std::vector<std::string> out;
  for (std::sregex_iterator it(text.begin(), text.end(), quoted), end;
       it != end; ++it) {
    const std::string row = (*it)[1], rest = (*it)[2];
    if (!std::regex_match(rest, of_operation) &&
        !fs::exists(ASSAY_SOURCE_DIR "/specs/programs/" + row + ".yaml")) {
      continue;
    }
    out.push_back(row + "/" + rest);
  }
  return out;
}

TEST(Documents, NameCasesThatThereAre) {
  std::vector<std::string> words = {ASSAY_BINARY_DIR "/bin/assay", "list",
                                    "--specs", ASSAY_SOURCE_DIR "/specs"};
  const std::size_t before = words.size();
  for (const Typed& t : all_typed()) {
    static const std::set<std::string> kOfCases = {"run",    "list",  "explain",
                                                   "golden", "repro", "faults"};
    if (!kOfCases.contains(t.command)) continue;
    bool value = false;  // of the option before
    for (const std::string& word : t.words) {
      const bool option = word.starts_with("-");
      const bool placeholder = std::all_of(
          word.begin(), word.end(),
          [](unsigned char c) { return std::isupper(c) != 0 || c == '.'; });
      if (!option && !value && !placeholder) words.push_back(word);
      value = option && word.find('=') == std::string::npos &&
              word != "--json" && word != "--no-known" && word != "--resume";
    }
  }
  ASSERT_GT(words.size(), before);
  const auto examples = examples_in(ASSAY_SOURCE_DIR "/docs/findings.md");
  EXPECT_GT(examples.size(), 300u);
  words.insert(words.end(), examples.begin(), examples.end());
  const auto r = run_command(words, {});
  EXPECT_EQ(r.exit_code, 0) << r.err;
}

}  // namespace
}  // namespace assay::harness
