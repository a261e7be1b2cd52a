// assay-cases: every case as a GoogleTest test, so that --gtest_filter,
// GTEST_TOTAL_SHARDS, CTest and IDEs work on them. A known failure is skipped.
//
//   assay-cases --subject=bundled --subject=eager --profile=quick
//
// A test is called ROW.REST_OF_PATH@SUBJECT, with '_' for characters that a
// filter would take for its own.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "harness/judge/adjudicate.h"
#include "harness/records/identity.h"
#include "harness/records/known.h"
#include "harness/run/interrupt.h"
#include "harness/run/observe.h"
#include "harness/run/session.h"
#include "harness/subject/places.h"
#include "harness/subject/worker.h"

namespace assay::harness {
namespace {

struct Options {
  std::vector<std::string> subjects;
  cases::Profile profile = cases::Profile::quick;
  std::filesystem::path specs = home() / "specs";
};

// One subject, started when its first test runs: listing tests starts none.
class Subject {
 public:
  explicit Subject(std::string spelling) : spelling_(std::move(spelling)) {}

  // Empty if it is there.
  const std::string& start() {
    if (tried_) return fault_;
    tried_ = true;
    Result<std::vector<StartedColumn>> columns = start_columns({spelling_});
    if (!columns) {
      fault_ = columns.error().message;
      return fault_;
    }
    column_ = std::move(columns.value().front());
    const Identity& identity = column_.identity;
    Result<KnownList> known =
        load_known_of(home() / "results" / "known", identity.column,
                      identity.facts, cpu_identity().model);
    if (known) {
      known_ = std::move(known.value());
    } else {
      fault_ = known.error().message;
    }
    return fault_;
  }

  CaseResult run(const cases::Case& c, const Adjudicator& adjudicator) {
    const auto prepared = adjudicator.prepare(c);
    Observed o = observe(*prepared, column_.identity.column, *column_.executor,
                         true, adjudicator);
    apply_known(known_, today_utc(), &o.result);
    return o.result;
  }

  const std::string& spelling() const { return spelling_; }

 private:
  std::string spelling_;
  bool tried_ = false;
  std::string fault_;
  StartedColumn column_;
  KnownList known_;
};

class CaseTest : public testing::Test {
 public:
  CaseTest(const cases::Case* source, Subject* subject,
           const Adjudicator* adjudicator)
      : case_(source), subject_(subject), adjudicator_(adjudicator) {}

  void TestBody() override {
    ASSERT_EQ(subject_->start(), "");
    const CaseResult r = subject_->run(*case_, *adjudicator_);
    const std::string text = fmt::format(
        "{} on {}: {}, clause {}: {}\n./assay repro '{}'", r.case_path,
        r.column, status_name(r.status), r.clause, r.reason, r.case_path);
    if (r.known) GTEST_SKIP() << "known failure, " << r.known_link;
    if (r.status == CellStatus::unsupported) GTEST_SKIP() << text;
    EXPECT_TRUE(r.status == CellStatus::pass ||
                r.status == CellStatus::quality_warning)
        << text;
  }

 private:
  const cases::Case* case_;
  Subject* subject_;
  const Adjudicator* adjudicator_;
};

std::string test_name(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       (c >= '0' && c <= '9') || c == '/' || c == '@';
    out += plain ? c : '_';
  }
  return out;
}

// Takes our options out of the list; what is left is GoogleTest's, or wrong.
bool parse(int argc, char** argv, Options* out) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&](const std::string& name) {
      return word.rfind(name, 0) == 0 ? word.substr(name.size())
                                      : std::string();
    };
    if (const auto profile = cases::parse_profile(value("--profile="))) {
      out->profile = *profile;
    } else if (!value("--subject=").empty()) {
      out->subjects.push_back(value("--subject="));
    } else if (!value("--specs=").empty()) {
      out->specs = value("--specs=");
    } else {
      fmt::print(stderr,
                 "assay-cases: unknown option '{}'; known are --subject=S "
                 "(repeatable), --profile=quick|standard|full, --specs=DIR and "
                 "GoogleTest's\n",
                 word);
      return false;
    }
  }
  if (out->subjects.empty()) {
    const char* set = std::getenv("ASSAY_SUBJECTS");
    std::istringstream words(set == nullptr ? "bundled eager" : set);
    for (std::string s; words >> s;) out->subjects.push_back(s);
  }
  return true;
}

int run(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  Options o;
  if (!parse(argc, argv, &o)) return 2;
  Result<std::unique_ptr<Session>> session = open_session(o.specs);
  if (!session) {
    fmt::print(stderr, "assay-cases: {}\n", session.error().message);
    return 2;
  }
  std::vector<std::unique_ptr<Subject>> subjects;
  for (const std::string& spelling : o.subjects) {
    const Result<SubjectConfig> config = parse_subject(spelling);
    if (!config) {
      fmt::print(stderr, "assay-cases: {}\n", config.error().message);
      return 2;
    }
    subjects.push_back(std::make_unique<Subject>(spelling));
  }
  const auto oracle = live_oracle((*session)->specs);
  const Adjudicator adjudicator(*oracle, reference::Numerics::fused,
                                &(*session)->specs);
  std::map<std::string, int> taken;
  for (const cases::Case& c : (*session)->expansion.cases) {
    if (!c.is_in(o.profile)) continue;
    for (const auto& subject : subjects) {
      const std::size_t slash = c.path.find('/');
      const std::string suite = test_name(c.path.substr(0, slash));
      std::string name = test_name(
          slash == std::string::npos ? "case" : c.path.substr(slash + 1));
      name += fmt::format("@{}", test_name(subject->spelling()));
      const int n = ++taken[suite + "." + name];
      if (n > 1) name += fmt::format("_{}", n);
      testing::RegisterTest(
          suite.c_str(), name.c_str(), nullptr, c.path.c_str(), __FILE__,
          __LINE__, [&c, s = subject.get(), &adjudicator]() -> CaseTest* {
            return new CaseTest(&c, s, &adjudicator);
          });
    }
  }
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace assay::harness

int main(int argc, char** argv) {
  // The handlers only serve broken pipes here; Ctrl-C ends the process.
  assay::harness::install_signal_handlers();
  return assay::harness::run(argc, argv);
}
