// The built `assay`, from its command line: exit codes, messages, files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <map>
#include <nlohmann/json.hpp>

#include "harness/testing/command.h"

namespace assay::harness {
namespace {

using testing::CommandOptions;
using testing::CommandResult;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::run_command;
using ::testing::StartsWith;
namespace fs = std::filesystem;

class Commands : public ::testing::Test {
 protected:
  Commands() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    dir_ = fs::path(::testing::TempDir()) / "commands" / info->name();
    fs::remove_all(dir_);
    fs::create_directories(dir_);
    // A subject that needs arguments is a script that gives them.
    subject_ = script("good", "");
  }
  ~Commands() override { fs::remove_all(dir_); }

  std::string script(const std::string& name, const std::string& arguments) {
    const fs::path file = dir_ / name;
    std::ofstream(file) << "#!/bin/sh\nexec " ASSAY_BINARY_DIR
                           "/bin/negation_worker "
                        << arguments << " \"$@\"\n";
    ::chmod(file.c_str(), 0700);
    return "worker:" + file.string();
  }

  CommandResult assay(std::vector<std::string> words,
                      CommandOptions options = {}) {
    words.insert(words.begin(), ASSAY_BINARY_DIR "/bin/assay");
    if (options.directory == ".") options.directory = dir_;
    return run_command(words, options);
  }
  // `assay run` on all cases of the test specs.
  CommandResult run(const std::string& subject,
                    std::vector<std::string> more = {},
                    const CommandOptions& options = {}) {
    std::vector<std::string> words = {"run",          "--specs",   specs(),
                                      "--subject",    subject,     "--out",
                                      out().string(), "--profile", "full"};
    words.insert(words.end(), more.begin(), more.end());
    return assay(words, options);
  }
  static std::string specs() {
    return ASSAY_SOURCE_DIR "/harness/testing/specs";
  }
  fs::path out() const { return dir_ / "out"; }
  fs::path results() const { return out() / "results.jsonl"; }

  // Everything in the test's folder but the subjects.
  std::vector<std::string> left_behind() const {
    std::vector<std::string> names;
    for (const auto& e : fs::directory_iterator(dir_)) {
      if (e.path().filename() != "good") names.push_back(e.path().filename());
    }
    return names;
  }

  // results.jsonl without what differs from run to run.
  static std::string timeless(const fs::path& file) {
    std::istringstream lines(testing::slurp(file));
    std::string out;
    for (std::string line; std::getline(lines, line);) {
      auto j = nlohmann::ordered_json::parse(line);
      j.erase("seconds");
      j.erase("seal");
      j.erase("started");
      j.erase("jobs");
      out += j.dump() + "\n";
    }
    return out;
  }

  fs::path dir_;
  std::string subject_;
};

// A compiler may know "cuda", or the first GPU, and do otherwise on the second.
TEST_F(Commands, TheSecondDeviceIsAskedForWhereThereMayBeOne) {
  const fs::path mine = dir_ / "specs";
  fs::copy(specs(), mine, fs::copy_options::recursive);
  fs::create_directories(mine / "programs");
  for (const auto& [name, device] :
       {std::pair("first", ""), std::pair("second", "device: 1\n")}) {
    std::ofstream(mine / "programs" / (std::string(name) + ".yaml"))
        << "program: " << name << "\ndoc: A negative.\nsource: a test\n"
        << device << "inputs:\n"
        << "  x: {dtype: f32, shape: [5], data: {normal: [0, 1]}}\n"
        << "steps:\n  y: aten.neg.default(x)\nreturns: [y]\n";
  }
  const auto wrong = [&](const std::string& subject) {
    const CommandResult r =
        assay({"run", "--specs", mine.string(), "--subject", subject, "--out",
               (dir_ / "out" / fs::path(subject).filename()).string(), "first",
               "second"});
    EXPECT_NE(r.exit_code, 2) << r.err;
    return r.out;
  };
  const std::string gpu = wrong(script("gpu", "--gpu"));
  EXPECT_THAT(gpu, HasSubstr("first   pass 1"));
  EXPECT_THAT(gpu, HasSubstr("second  FAIL 1/1"));
  EXPECT_THAT(wrong(script("cpu", "")), Not(HasSubstr("FAIL")));
}

TEST_F(Commands, BadUsageIsAMessageAndExit2AndLeavesNothing) {
  const std::string file = (dir_ / "good").string();
  struct Row {
    std::vector<std::string> words;
    const char* message;
  };
  const Row rows[] = {
      {{}, "A subcommand is required"},
      {{"dance"}, "A subcommand is required"},
      {{"run", "--dance"}, "--dance"},
      {{"run", "--profile", "slow"}, "slow"},
      {{"run", "--jobs", "0"}, "0"},
      {{"run", "--jobs", "many"}, "many"},
      {{"run", "--specs", "/no/such/folder"},
       "/no/such/folder: there is no such folder of specs"},
      {{"run", "--specs", specs(), "--subject", "quantum"}, "quantum"},
      {{"run", "--specs", specs(), "--subject", "worker:/no/such/program"},
       "/no/such/program"},
      {{"run", "--specs", specs(), "--subject", "worker:/bin/true"},
       "worker:/bin/true cannot be started"},
      {{"run", "--specs", specs(), "--subject", subject_, "--subject",
        subject_},
       "are one column"},
      {{"run", "--specs", specs(), "--subject", subject_, "neq"},
       "'neq' matches no case"},
      {{"run", "--specs", specs(), "--subject", subject_, "neq"},
       "did you mean neg?"},
      {{"run", "--specs", specs(), "--subject", subject_, "neg/C77"},
       "matches no case of neg (./assay list neg prints"},
      {{"run", "--specs", specs(), "--subject", subject_, "neg/C1/f64/7"},
       "add --profile full"},
      {{"run", "--specs", specs(), "--subject", subject_, "--junit",
        "/no/such/report.xml"},
       "/no/such/report.xml"},
      {{"run", "--specs", specs(), "--subject", subject_, "--markdown", "."},
       "is a folder"},
      {{"run", "--specs", specs(), "--subject", subject_, "--record", file},
       "is there already"},
      {{"run", "--specs", specs(), "--subject", subject_, "--out",
        file + "/out"},
       "cannot make the folder"},
      {{"list", "--specs", specs(), "nag"}, "did you mean neg?"},
      {{"boundaries", "exq"}, "there is no elementary function exq"},
      {{"boundaries", "exp", "--dtype", "i32"}, "i32"},
      {{"golden", "--specs", specs()}, "CASE is required"},
      {{"golden", "--specs", specs(), "neg/C9/f32/1"}, "there is no case"},
      {{"golden", "--specs", specs(), "neg/C1"}, "names"},
      {{"explain", "--specs", specs(), "nothing"}, "there is no case"},
      {{"repro", "--specs", specs(), "nothing"}, "there is no case"},
      {{"lint", "/no/such/file.yaml"}, "there is no such file"},
      {{"judge", "--specs", specs(), "/no/such/recording"},
       "/no/such/recording: there is no such file or folder"},
      {{"judge", "--specs", specs(), file}, "good:1: this is no JSON record"},
      {{"judge", "--specs", specs(), dir_.string()}, "holds no recording"},
  };
  for (const Row& row : rows) {
    const CommandResult r = assay(row.words);
    std::string words;
    for (const std::string& w : row.words) words += w + " ";
    EXPECT_EQ(r.exit_code, 2) << words << r.err;
    EXPECT_THAT(r.out + r.err, HasSubstr(row.message)) << words;
    EXPECT_THAT(left_behind(), ::testing::IsEmpty()) << words;
  }
}

TEST_F(Commands, HelpAndVersionAreNoError) {
  for (const char* flag : {"--help", "--version"}) {
    EXPECT_EQ(assay({flag}).exit_code, 0);
  }
  EXPECT_THAT(assay({"run", "--help"}).out, HasSubstr("--resume"));
}

// The launcher lets through what its help lists, so that must be all there is.
TEST_F(Commands, TheLauncherKnowsEveryCommand) {
  const std::string launched =
      run_command({ASSAY_SOURCE_DIR "/assay", "help"}, {}).out;
  const std::string all = assay({"--help"}).out;
  std::istringstream lines(all.substr(all.find("Subcommands:\n")));
  std::string name;
  std::getline(lines, name);
  int commands = 0;
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    if (line[2] == ' ') continue;  // a description's next line
    std::istringstream(line) >> name;
    EXPECT_THAT(launched, HasSubstr("\n  " + name + "  "));
    ++commands;
  }
  EXPECT_GE(commands, 10);
  for (const char* wrong : {"certfy", "ru", "\n"}) {
    const CommandResult r = run_command({ASSAY_SOURCE_DIR "/assay", wrong}, {});
    EXPECT_EQ(r.exit_code, 2);
    EXPECT_THAT(r.err, HasSubstr("unknown command"));
  }
}

TEST_F(Commands, ASpecErrorNamesItsPlaceAndNothingRuns) {
  const fs::path bad = dir_ / "specs";
  fs::copy(specs(), bad, fs::copy_options::recursive);
  std::ofstream(bad / "ops" / "abs.yaml") << "op: abs\nsurprise: 1\n";
  for (const char* command : {"run", "list", "lint"}) {
    const CommandResult r = assay({command, "--specs", bad.string()});
    EXPECT_EQ(r.exit_code, 2) << command;
    EXPECT_THAT(r.out + r.err, HasSubstr("ops/abs.yaml:2:1: ")) << command;
    EXPECT_FALSE(fs::exists(out()));
  }
}

TEST_F(Commands, AConformingRunExits0WithRecordsAndMatrix) {
  const CommandResult r = run(subject_);
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  EXPECT_THAT(r.out, StartsWith("assay 0.1.0: full profile, "));
  EXPECT_THAT(r.out, HasSubstr("neg  pass "));
  EXPECT_THAT(r.out, HasSubstr("exit 0: conforms"));
  std::istringstream lines(testing::slurp(results()));
  std::string line;
  std::getline(lines, line);
  const auto header = nlohmann::json::parse(line);
  EXPECT_EQ(header["profile"], "full");
  EXPECT_EQ(header["columns"][0]["column"], "negation@1/cpu");
  EXPECT_EQ(header["columns"][0]["facts"]["kind"], "test");
  std::size_t records = 0;
  while (std::getline(lines, line)) {
    EXPECT_EQ(nlohmann::json::parse(line)["status"], "pass");
    ++records;
  }
  EXPECT_EQ(records, header["cases"]);
  EXPECT_GT(records, 20u);  // 10 shapes, 2 dtypes, and refusals
}

TEST_F(Commands, AWrongSubjectExits1AndSaysWhere) {
  for (const char* pack : {"", " --pack"}) {
    fs::remove_all(out());
    const CommandResult r =
        run(script("wrong", std::string("--wrong 7") + pack));
    EXPECT_EQ(r.exit_code, 1);
    EXPECT_THAT(r.out, HasSubstr("FAIL 2/"));
    EXPECT_THAT(r.out, HasSubstr("exit 1 (does not conform) because:"));
    EXPECT_THAT(r.out, HasSubstr("2 cases fail wrong_value, clause neg/A1"));
    EXPECT_THAT(r.out, HasSubstr("out0[0]: got "));
    EXPECT_THAT(r.out, HasSubstr("./assay repro neg/"));
  }
}

TEST_F(Commands, ACrashCostsItsCaseOnly) {
  for (const char* pack : {"", " --pack"}) {
    fs::remove_all(out());
    const CommandResult r =
        run(script("crash", std::string("--crash 5") + pack));
    EXPECT_EQ(r.exit_code, 1) << r.err;
    EXPECT_THAT(r.out, HasSubstr("CRASH 2/"));
  }
}

TEST_F(Commands, KnownFailuresAreRedAndPassTheGate) {
  const fs::path known = dir_ / "known";
  fs::create_directories(known / "negation@1");
  const auto write = [&](const std::string& entries) {
    std::ofstream(known / "negation@1" / "cpu.yaml")
        << "recorded: {cpu: '*'}\nentries:\n"
        << entries;
  };
  const std::string rest =
      ", clause: neg/A1, status: fail, reason: r, link: l}\n";
  const std::string wrong = script("wrong", "--wrong 7");
  const auto run_known = [&](std::vector<std::string> more) {
    fs::remove_all(out());
    more.insert(more.end(), {"--known", known.string()});
    return run(wrong, more);
  };
  write("- {op: neg" + rest);
  CommandResult r = run_known({});
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  EXPECT_THAT(r.out, HasSubstr("known 2/"));
  r = run_known({"--no-known"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.out, HasSubstr("FAIL 2/"));
  // An entry by which nothing fails.
  write("- {op: neg" + rest + "- {op: neg, cases: 'neg/C1/f32/8'" + rest);
  r = run_known({});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.out, HasSubstr("cpu.yaml:4: neg no longer fails by neg/A1"));
  // A run that leaves cases out cannot tell.
  EXPECT_EQ(run_known({"neg/C1/*/7"}).exit_code, 0);
  // An entry that matches nothing.
  write("- {op: neg" + rest + "- {op: nag" + rest);
  r = run_known({});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.out, HasSubstr("no operation is 'nag'"));
  EXPECT_EQ(run_known({"neg/C1/*/7"}).exit_code, 0);
  // A list that cannot be read.
  write("- {op: a}\n");
  r = run_known({});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err,
              HasSubstr("cpu.yaml:3:3: an entry needs the field 'clause'"));
  EXPECT_FALSE(fs::exists(out()));
}

TEST_F(Commands, ReportsAreWritten) {
  const std::string wrong = script("wrong", "--wrong 7");
  const CommandResult r =
      run(wrong, {"--json", "--junit", "r.xml", "--markdown", "r.md"});
  EXPECT_EQ(r.exit_code, 1);
  const auto j = nlohmann::json::parse(r.out);
  EXPECT_EQ(j["exit"]["code"], 1);
  EXPECT_EQ(j["results"].size(), 2u);
  EXPECT_THAT(testing::slurp(dir_ / "r.xml"), HasSubstr("failures=\"2\""));
  EXPECT_THAT(testing::slurp(dir_ / "r.md"), HasSubstr("| neg | **FAIL 2/"));
  EXPECT_FALSE(fs::exists(dir_ / "r.xml.tmp"));
}

TEST_F(Commands, AnInterruptedRunExits3AndResumesToTheSameResults) {
  const std::string slow = script("slow", "--wrong 7 --slow 40");
  ASSERT_EQ(run(slow, {"--jobs", "1"}).exit_code, 1);
  const std::string whole = timeless(results());
  fs::remove_all(out());
  CommandOptions interrupt;
  interrupt.watched = results();
  interrupt.interrupt_after_lines = 6;
  CommandResult r = run(slow, {"--jobs", "1"}, interrupt);
  EXPECT_EQ(r.exit_code, 3) << r.out << r.err;
  EXPECT_THAT(r.out, HasSubstr("INCOMPLETE"));
  EXPECT_THAT(r.err, HasSubstr("stopping after the cases in flight"));
  EXPECT_THAT(r.err, HasSubstr("--resume --out " + out().string()));
  const std::string first = testing::slurp(results());
  EXPECT_GE(testing::count_lines(results()), 6u);
  // Not without --resume, and not as another run.
  EXPECT_EQ(run(slow).exit_code, 2);
  EXPECT_EQ(run(slow, {"--resume", "--strict"}).exit_code, 2);
  EXPECT_EQ(testing::slurp(results()), first);
  r = run(slow, {"--resume"});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_EQ(timeless(results()), whole);
}

TEST_F(Commands, TwoRunsDoNotShareAFolder) {
  CommandOptions options;
  const std::string slow = script("slow", "--slow 100");
  CommandResult first;
  std::thread other([&] { first = run(slow, {"--jobs", "1"}); });
  while (testing::count_lines(results()) < 2) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const CommandResult second = run(subject_, {"--resume"});
  other.join();
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_THAT(second.err, HasSubstr("a run that is still going"));
}

TEST_F(Commands, AFullDiskExits3AndKeepsWhatIsThere) {
  CommandOptions full;
  full.file_limit = 6000;
  const CommandResult r = run(subject_, {"--jobs", "1"}, full);
  EXPECT_EQ(r.exit_code, 3) << r.out << r.err;
  EXPECT_THAT(r.out, HasSubstr("results.jsonl: File too large"));
  EXPECT_THAT(r.err, HasSubstr("--resume"));
  EXPECT_EQ(run(subject_, {"--resume"}).exit_code, 0);
}

// Tensors travel in a file, too: what that cannot hold is no subject's fault.
TEST_F(Commands, ALimitThatTensorsMeetExits3AndIsAskedAgain) {
  CommandOptions full;
  full.file_limit = 4096;
  const CommandResult r =
      run(subject_, {"--jobs", "1", "--record", "r.jsonl"}, full);
  EXPECT_EQ(r.exit_code, 3) << r.out << r.err;
  EXPECT_THAT(r.out, HasSubstr("the limit on file sizes (ulimit -f) is 4096 "
                               "bytes: raise it"));
  EXPECT_THAT(r.err, HasSubstr("--resume"));
  const CommandResult again = run(subject_, {"--resume"});
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
}

TEST_F(Commands, AFullStandardOutputIsNotSilent) {
  CommandOptions full;
  full.stdout_file = "/dev/full";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"list", "--specs", specs()},
        {"run", "--specs", specs(), "--subject", subject_, "--out",
         out().string(), "--profile", "full"}}) {
    const CommandResult r = assay(words, full);
    EXPECT_EQ(r.exit_code, 3);
    EXPECT_THAT(r.err, HasSubstr("standard output: No space left"));
  }
  const CommandResult r = run(subject_, {"--resume", "--junit", "/dev/full"});
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_THAT(r.err, HasSubstr("/dev/full"));
}

TEST_F(Commands, RecordingsAreJudgedToTheSameMatrix) {
  const std::string wrong = script("wrong", "--wrong 7 --pack");
  const CommandResult live = run(wrong, {"--record", "r.jsonl"});
  EXPECT_EQ(live.exit_code, 1);
  const CommandResult judged =
      assay({"judge", "--specs", specs(), (dir_ / "r.jsonl").string()});
  EXPECT_EQ(judged.exit_code, 1) << judged.err;
  EXPECT_EQ(judged.out, live.out);
  // A recording that is cut short is incomplete.
  const std::string text = testing::slurp(dir_ / "r.jsonl");
  std::ofstream(dir_ / "cut.jsonl") << text.substr(0, text.size() / 2);
  EXPECT_EQ(assay({"judge", "--specs", specs(), (dir_ / "cut.jsonl").string()})
                .exit_code,
            3);
  // One of other inputs is refused.
  const fs::path other = dir_ / "specs";
  fs::copy(specs(), other, fs::copy_options::recursive);
  std::string spec = testing::slurp(other / "ops" / "neg.yaml");
  const std::size_t at = spec.find("normal: [0, 2]");
  ASSERT_NE(at, std::string::npos);
  spec.replace(at, 14, "normal: [0, 3]");
  std::ofstream(other / "ops" / "neg.yaml") << spec;
  const CommandResult refused =
      assay({"judge", "--specs", other.string(), (dir_ / "r.jsonl").string()});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("record it again"));
}

TEST_F(Commands, RecordingsOfOtherCasesAreNotJudgedTogether) {
  fs::create_directories(dir_ / "all");
  for (const char* clause : {"C1", "C2"}) {
    run(subject_, {std::string("neg/") + clause, "--record",
                   (dir_ / "all" / clause).string() + ".jsonl"});
    fs::remove_all(out());
  }
  const CommandResult mixed =
      assay({"judge", "--specs", specs(), (dir_ / "all").string()});
  EXPECT_EQ(mixed.exit_code, 2);
  EXPECT_THAT(mixed.err,
              HasSubstr("C2.jsonl:1: this recording is of the full profile, "
                        "filters neg/C2, fused numerics, those before it are "
                        "of the full profile, filters neg/C1, fused"));
  EXPECT_THAT(mixed.err, HasSubstr("judge its file by itself"));
}

TEST_F(Commands, AFilteredRunSaysThatItIsPartial) {
  const CommandResult r = run(subject_, {"neg/C1/f32"});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_THAT(r.out, HasSubstr("full profile, PARTIAL (filter neg/C1/f32), "
                               "10 of "));
}

TEST_F(Commands, ListLintGoldenExplainRepro) {
  const CommandResult list = assay({"list", "--specs", specs()});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_THAT(list.out, HasSubstr("neg/C1/f64/7\n"));
  const CommandResult quick =
      assay({"list", "--specs", specs(), "--profile", "quick"});
  EXPECT_LT(quick.out.size(), list.out.size());
  EXPECT_EQ(assay({"list", "--specs", specs(), "neg/C1/f32"}).out.find("C2"),
            std::string::npos);
  const CommandResult lint = assay({"lint", "--specs", specs()});
  EXPECT_EQ(lint.exit_code, 0) << lint.out;
  EXPECT_THAT(lint.out, HasSubstr("0 errors"));
  const std::string path = "neg/C1/f32/7";
  const CommandResult golden = assay({"golden", "--specs", specs(), path});
  EXPECT_EQ(golden.exit_code, 0);
  EXPECT_THAT(golden.out, HasSubstr("out0: f32[7], 100 % of elements"));
  EXPECT_THAT(golden.out, HasSubstr("out0[6]  [0x"));
  EXPECT_THAT(golden.out, HasSubstr("neg/A1"));
  const CommandResult explain =
      assay({"explain", "--specs", specs(), path, "--subject",
             script("wrong", "--wrong 7")});
  EXPECT_EQ(explain.exit_code, 0) << explain.err;
  EXPECT_THAT(explain.out, HasSubstr("neg.yaml:"));
  EXPECT_THAT(explain.out, HasSubstr("neg/A1: exact"));
  EXPECT_THAT(explain.out, HasSubstr("WRONG"));
  const CommandResult repro = assay({"repro", "--specs", specs(), path});
  EXPECT_EQ(repro.exit_code, 0);
  EXPECT_THAT(repro.out, HasSubstr("torch.ops.aten.neg.default(x0)"));
  // Eager, which comes first, may write into what it is given.
  EXPECT_THAT(repro.out, HasSubstr("function(*[given(t) for t in INPUTS])"));
  EXPECT_THAT(repro.out, Not(HasSubstr("assay.")));
  // An option of the column may say how it is written.
  const CommandResult other =
      assay({"repro", "--specs", specs(), path, "--subject",
             "torch:aot_eager{\"calls\":\"functions\"}"});
  EXPECT_EQ(other.exit_code, 0) << other.err;
  EXPECT_THAT(other.out, HasSubstr("torch.neg(v0)"));
  EXPECT_THAT(other.out, HasSubstr("functools.partial(make, torch, math)"));
}

// A census finds the cases that ask the same under other names, and tells
// other elements, other answers and other questions apart.
TEST_F(Commands, ACensusComparesTwoStatesOfTheSpecs) {
  const std::string file = (dir_ / "census").string();
  const CommandResult out =
      assay({"census", "--specs", specs(), "--goldens", "--out", file});
  EXPECT_EQ(out.exit_code, 0) << out.err;
  const auto against = [&](const std::string& from, const std::string& to) {
    const fs::path changed = dir_ / "specs";
    fs::remove_all(changed);
    fs::copy(specs(), changed, fs::copy_options::recursive);
    const fs::path spec = changed / "ops" / "neg.yaml";
    std::string text = testing::slurp(spec);
    EXPECT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), from.size(), to);
    std::ofstream(spec) << text;
    return assay({"census", "--specs", changed.string(), "--goldens",
                  "--against", file});
  };
  const CommandResult same = against("doc: The", "doc: A");
  EXPECT_EQ(same.exit_code, 0) << same.out;
  EXPECT_THAT(same.out, HasSubstr("0 of 1 rows differ"));
  struct Row {
    const char *from, *to, *message;
  };
  const Row rows[] = {
      {"normal: [0, 2]", "normal: [0, 3]",
       "0 with another answer, 20 with other elements, 0 only before, 0 only "
       "after"},
      {"bound: exact", "ulp: 1", "22 with another answer, 0 with other"},
      {"RuntimeError", "TypeError", " with another answer, 0 with other"},
      {"{S: [10]}", "{S: [11]}", "    only after: neg/C1/f64/11"},
  };
  for (const Row& row : rows) {
    const CommandResult r = against(row.from, row.to);
    EXPECT_EQ(r.exit_code, 1) << row.to;
    EXPECT_THAT(r.out, HasSubstr(row.message));
  }
  EXPECT_THAT(assay({"census", "--specs", specs()}).err,
              HasSubstr("--out FILE"));
}

// There is no such version of torch: whatever happens, nothing is installed.
TEST_F(Commands, TheLauncherInstallsNothingWithoutAHome) {
  const auto start = [](const std::vector<std::string>& variables) {
    std::vector<std::string> words = {
        "/usr/bin/env", "-i", "PATH=/usr/bin:/bin", "ASSAY_TORCH=0.0.0"};
    words.insert(words.end(), variables.begin(), variables.end());
    words.insert(words.end(), {ASSAY_SOURCE_DIR "/assay", "list"});
    return run_command(words, {});
  };
  for (const std::vector<std::string>& none :
       {std::vector<std::string>{}, {"HOME="}, {"ASSAY_CACHE=", "HOME="}}) {
    const CommandResult r = start(none);
    EXPECT_EQ(r.exit_code, 2);
    EXPECT_THAT(r.err, HasSubstr("HOME is not set: set ASSAY_CACHE"));
  }
  for (const char* variable : {"ASSAY_CACHE", "XDG_CACHE_HOME", "HOME"}) {
    const CommandResult r = start({variable + ("=" + dir_.string())});
    EXPECT_THAT(r.err, HasSubstr("no pinned environment for torch 0.0.0"));
  }
}

// Nothing is open about |x|; 2.5 ulp either way are 5 elements at most.
TEST_F(Commands, WidthsAreThoseOfTheSets) {
  const CommandResult r = assay({"widths", "abs", "exp"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out,
              ::testing::ContainsRegex("\\| abs \\| [0-9]+ \\| 0 \\| 0 "));
  EXPECT_THAT(r.out, ::testing::ContainsRegex("\\| exp \\| [0-9]+ \\| [45] "));
  const CommandResult integers = assay({"widths", "abs", "--dtype", "i32"});
  EXPECT_EQ(integers.exit_code, 2);
  EXPECT_THAT(integers.err, HasSubstr("'i32' is no float dtype"));
  const CommandResult none = assay({"widths", "argmax"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("no case of the standard profile"));
}

}  // namespace
}  // namespace assay::harness
