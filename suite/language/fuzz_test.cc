// The loader and the parser on garbage: whatever a file holds, they return,
// soon, and every fault lies inside of the file. Seeds are fixed.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "suite/language/format/format.h"
#include "suite/language/load.h"
#include "suite/language/syntax/parse_expr.h"
#include "suite/language/testing/test_specs.h"

namespace assay::language {
namespace {

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string mutate(std::string text, const std::vector<SourceFile>& all) {
    const int times = 1 + pick(3);
    for (int i = 0; i < times; ++i) text = once(std::move(text), all);
    return text;
  }

  int pick(std::size_t n) {
    return static_cast<int>(random_() % std::max<std::size_t>(n, 1));
  }

 private:
  static std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }

  static std::string join(const std::vector<std::string>& lines) {
    std::string out;
    for (const std::string& line : lines) out += line + "\n";
    return out;
  }

  std::string once(std::string text, const std::vector<SourceFile>& all) {
    std::vector<std::string> lines = split(text);
    if (lines.empty()) return text;
    const auto at = static_cast<std::size_t>(pick(lines.size()));
    const auto line = lines.begin() + static_cast<std::ptrdiff_t>(at);
    switch (pick(9)) {
      case 0:
        lines.erase(line);
        return join(lines);
      case 1:
        lines.insert(line, lines[at]);
        return join(lines);
      case 2:
        std::swap(lines[at],
                  lines[static_cast<std::size_t>(pick(lines.size()))]);
        return join(lines);
      case 3:
        lines[at].insert(0, static_cast<std::size_t>(pick(5)), ' ');
        return join(lines);
      case 4: {  // a line of another spec
        const std::vector<std::string> other =
            split(all[static_cast<std::size_t>(pick(all.size()))].text);
        lines.insert(line, other[static_cast<std::size_t>(pick(other.size()))]);
        return join(lines);
      }
      case 5: {  // a few random bytes
        for (int i = 0; i < 3; ++i) {
          text[static_cast<std::size_t>(pick(text.size()))] =
              static_cast<char>(pick(256));
        }
        return text;
      }
      case 6: {  // a character that means something
        static const std::string kSharp = "{}[]():,#&*!|>'\"%@`-?~$.=<+/ \n";
        const auto where = static_cast<std::size_t>(pick(text.size()));
        const char c = kSharp[static_cast<std::size_t>(pick(kSharp.size()))];
        if (pick(2)) {
          text[where] = c;
        } else {
          text.insert(where, 1, c);
        }
        return text;
      }
      case 7: {  // a word replaced by another one of the file
        return swap_words(std::move(text));
      }
      default:  // cut off
        return text.substr(0, static_cast<std::size_t>(pick(text.size())));
    }
  }

  std::string swap_words(std::string text) {
    const auto word = [&](std::size_t* begin, std::size_t* end) {
      const auto in_word = [&text](std::size_t i) {
        return std::isalnum(static_cast<unsigned char>(text[i])) != 0;
      };
      std::size_t i = static_cast<std::size_t>(pick(text.size()));
      while (i < text.size() && !in_word(i)) ++i;
      *begin = i;
      while (i < text.size() && in_word(i)) ++i;
      *end = i;
    };
    std::size_t a, b, c, d;
    word(&a, &b);
    word(&c, &d);
    return text.replace(a, b - a, text.substr(c, d - c));
  }

  std::mt19937 random_;
};

void expect_inside(const Diagnostic& d, const std::string& name,
                   const std::string& text) {
  EXPECT_FALSE(d.message.empty());
  if (d.file != name) return;  // a broken context, as another spec sees it
  std::vector<std::size_t> lengths = {0};
  for (const char c : text) {
    if (c == '\n') {
      lengths.push_back(0);
    } else {
      ++lengths.back();
    }
  }
  ASSERT_GE(d.pos.line, 1) << to_string(d);
  ASSERT_LE(static_cast<std::size_t>(d.pos.line), lengths.size())
      << to_string(d);
  EXPECT_GE(d.pos.column, 1) << to_string(d);
  EXPECT_LE(static_cast<std::size_t>(d.pos.column),
            lengths[static_cast<std::size_t>(d.pos.line - 1)] + 2)
      << to_string(d);
}

TEST(Fuzz, MutatedSpecsAlwaysLoadOrFail) {
  std::vector<SourceFile> good = read_testdata("good");
  for (SourceFile& f : read_testdata("spellings/short")) {
    good.push_back(std::move(f));
  }
  const auto needed = [](const SourceFile& other, const SourceFile& f) {
    if (other.name == f.name) return false;
    if (other.role == SourceFile::Role::operation) {
      // What the contexts call, and what the program calls.
      return other.name == "softmax.yaml" || other.name == "cat.yaml" ||
             (other.name == "bmm.yaml" && f.role == SourceFile::Role::program);
    }
    return other.role != SourceFile::Role::program;
  };
  Mutator mutator(20240607);
  int accepted = 0;
  int refused = 0;
  for (int i = 0; i < 4000; ++i) {
    SourceFile f = good[static_cast<std::size_t>(mutator.pick(good.size()))];
    f.text = mutator.mutate(f.text, good);
    std::vector<SourceFile> files = {f};
    for (const SourceFile& other : good) {
      if (needed(other, f)) files.push_back(other);
    }
    const auto start = std::chrono::steady_clock::now();
    const LoadResult result = load_sources(files);
    const std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - start;
    EXPECT_LT(took.count(), 2.0) << f.text;
    for (const Diagnostic& d : result.errors) {
      expect_inside(d, f.name, f.text);
      if (testing::Test::HasFailure()) {
        FAIL() << "mutation " << i << " of " << f.name << ":\n" << f.text;
      }
    }
    ++(result.errors.empty() ? accepted : refused);
  }
  // Both happen: a comment or an input may change, most else may not.
  EXPECT_GT(accepted, 200);
  EXPECT_GT(refused, 2000);
}

// format_spec compares what is said before and after; here, that it is done
// after one pass and loses no character, comments' included.
TEST(Fuzz, MutatedSpecsAreFormattedOrRefused) {
  const auto characters = [](std::string text) {
    std::erase_if(text,
                  [](char c) { return c == ' ' || c == '\t' || c == '\n'; });
    std::sort(text.begin(), text.end());
    return text;
  };
  const std::vector<SourceFile> good = read_testdata("good");
  Mutator mutator(7);
  int formatted = 0;
  for (int i = 0; i < 4000; ++i) {
    const SourceFile& f =
        good[static_cast<std::size_t>(mutator.pick(good.size()))];
    const std::string text = mutator.mutate(f.text, good);
    std::vector<Fault> faults;
    const auto once = format_spec(text, &faults);
    ASSERT_NE(once.has_value(), !faults.empty()) << text;
    if (!once) continue;
    ++formatted;
    const auto twice = format_spec(*once, &faults);
    ASSERT_EQ(twice.value_or(""), *once) << text;
    // A long text that is folded loses its quotes.
    if (once->find(">-") == std::string::npos) {
      ASSERT_EQ(characters(*once), characters(text));
    }
  }
  EXPECT_GT(formatted, 1000);
}

TEST(Fuzz, RandomBytesAreRefused) {
  std::mt19937 random(11);
  for (int i = 0; i < 2000; ++i) {
    std::string text(random() % 200, ' ');
    for (char& c : text) {
      c = static_cast<char>(i % 2 ? random() % 256 : 32 + random() % 95);
    }
    const LoadResult result =
        load_sources({{"x.yaml", text, SourceFile::Role::operation}});
    EXPECT_FALSE(result.errors.empty()) << text;
  }
}

TEST(Fuzz, DeepAndWideYamlReturns) {
  const std::string kHead = "op: x\nvalue: ";
  std::vector<std::string> texts = {
      kHead + std::string(100'000, '['),
      kHead + std::string(100'000, '{'),
      std::string(50'000, '-'),
      kHead + "\"" + std::string(500'000, 'a') + "\"",
      std::string(2'000'000, 'a'),
  };
  std::string nested;
  for (int i = 0; i < 2000; ++i) nested += std::string(i, ' ') + "a:\n";
  texts.push_back(nested);
  // Ten to the ninth nodes in ten lines.
  std::string laughs = "op: &a0 [x, x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string before = std::to_string(i - 1);
    laughs += "k" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" +
              before + ", *a" + before + "]\n";
  }
  texts.push_back(laughs);
  for (const std::string& text : texts) {
    const auto start = std::chrono::steady_clock::now();
    const LoadResult result =
        load_sources({{"x.yaml", text, SourceFile::Role::operation}});
    const std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - start;
    EXPECT_FALSE(result.errors.empty());
    EXPECT_LT(took.count(), 5.0) << text.substr(0, 80);
  }
}

TEST(Fuzz, RandomTokensParseOrFail) {
  static const char* kTokens[] = {
      "a",  "b",    "i...", "1",    "0.5", "sum", "max", "where", "inside",
      "(",  ")",    "[",    "]",    ",",   ":",   "<",   "<=",    "==",
      "+",  "-",    "*",    "/",    "//",  "%",   "and", "or",    "not",
      "in", "from", "to",   "else", "k",   "=",   ";",   "'s'",   "..."};
  std::mt19937 random(3);
  int parsed = 0;
  for (int i = 0; i < 100'000; ++i) {
    std::string text;
    const std::size_t n = 1 + random() % 9;
    for (std::size_t t = 0; t < n; ++t) {
      text += std::string(kTokens[random() % std::size(kTokens)]) + " ";
    }
    (void)parse_definitions(text);
    const Result<ExprPtr> e = parse_expr(text);
    if (!e) {
      EXPECT_FALSE(e.error().message.empty()) << text;
      continue;
    }
    ++parsed;
    const std::string printed = to_string(**e);
    const Result<ExprPtr> again = parse_expr(printed);
    ASSERT_TRUE(again) << text << " -> " << printed;
    EXPECT_EQ(to_string(**again), printed);
  }
  EXPECT_GT(parsed, 1000);
}

}  // namespace
}  // namespace assay::language
