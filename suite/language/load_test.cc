#include "suite/language/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "suite/language/functions/functions.h"
#include "suite/language/read/read_op.h"
#include "suite/language/syntax/yaml_tree.h"
#include "suite/language/testing/model_text.h"
#include "suite/language/testing/test_specs.h"

namespace assay::language {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

TEST(Load, ModelOfAnOperation) {
  const OpSpec& op = *good_specs().find_op("everything");
  EXPECT_EQ(op.aten, "aten.everything.Tensor");
  EXPECT_EQ(good_specs().find_aten("aten.everything.Tensor"), &op);
  EXPECT_EQ(op.doc, "Exercises the language; certifies nothing.");
  ASSERT_EQ(op.params.size(), 10u);
  const Param& x = *op.param("x");
  ASSERT_EQ(x.shape->size(), 3u);
  EXPECT_EQ((*x.shape)[0].symbol, "N");
  EXPECT_EQ((*x.shape)[1].fixed, 2);
  EXPECT_TRUE((*x.shape)[2].pack);
  EXPECT_TRUE(op.param("y")->scalar);
  EXPECT_EQ(op.param("others")->kind, Param::Kind::tensors);
  EXPECT_FALSE(op.param("others")->shape);
  EXPECT_EQ(std::get<std::string>(*op.param("mode")->default_value), "none");
  EXPECT_EQ(std::get<None>(*op.param("dtype")->default_value), None{});
  EXPECT_EQ(std::get<Shape>(*op.param("dims")->default_value), (Shape{0, -1}));
  EXPECT_THAT(op.dtypes.at("T").types,
              ElementsAre(DType::f64, DType::f32, DType::f16, DType::bf16));
  EXPECT_EQ(op.dtypes.at("T2").follows, "T");

  ASSERT_EQ(op.requires_.size(), 6u);
  EXPECT_THAT(op.requires_[0].raises,
              ElementsAre("RuntimeError", "IndexError"));
  EXPECT_EQ(to_string(*op.requires_[1].that),
            "all(d < length(dims): -rank(x) <= dims[d] and dims[d] < "
            "rank(x)) and unique(wrap(dims, rank(x)))");
  EXPECT_EQ(op.requires_[1].message,
            "Dimension out of range .*\\[-[0-9]+, [0-9]+\\]");
  EXPECT_EQ(op.requires_[1].phase, "compile");
  EXPECT_EQ(op.requires_[2].source, "pytorch#1");
  EXPECT_FALSE(op.requires_[3].derive);

  ASSERT_EQ(op.forms.size(), 3u);
  const Form& tanh = op.forms[1];
  EXPECT_EQ(tanh.id, "F3");
  EXPECT_EQ(tanh.value_id, "V7");
  ASSERT_EQ(tanh.value.size(), 3u);
  EXPECT_EQ(tanh.value[1].name, "t");
  EXPECT_EQ(tanh.value[2].name, "out");
  EXPECT_EQ(to_string(*tanh.result_shape), "[N, broadcast(S, shape(y))]");
  ASSERT_EQ(tanh.accuracy.size(), 3u);
  EXPECT_EQ(tanh.accuracy[0].bound, Accuracy::Bound::tolerance);
  EXPECT_EQ(tanh.accuracy[0].measured_in, "f32");
  EXPECT_EQ(to_string(*tanh.accuracy[0].abs), "2 * eps(T)");
  EXPECT_EQ(tanh.accuracy[1].bound, Accuracy::Bound::dot);
  EXPECT_EQ(tanh.accuracy[1].measured_in, "f64");
  EXPECT_EQ(tanh.accuracy[2].bound, Accuracy::Bound::cast);
  EXPECT_EQ(to_string(*tanh.special[0].then), "nan");
  EXPECT_EQ(tanh.undefined[0].why, "nobody knows");
  EXPECT_TRUE(op.forms[0].accuracy[0].any_zero_sign);
}

TEST(Load, StoredBoundariesAreReadAsTheyAreWritten) {
  const SolvedSet& solved = good_specs().solved;
  EXPECT_EQ(solved.file, "boundaries.yaml");
  EXPECT_THAT(solved.functions(), ElementsAre("exp", "log"));
  EXPECT_TRUE(solved.knows("log"));
  EXPECT_FALSE(solved.knows("ex"));
  EXPECT_EQ(solved.lines[1].patterns[0].distance, -28.66);
  EXPECT_EQ(solved.lines[1].patterns[0].pos.line, 2);
  EXPECT_THAT(solved.values("log", DType::f32),
              ElementsAre(0x3f7fffff, 0x3f800000, 0x3f7ffffe, 0x3f800001));
  EXPECT_THAT(solved.values("log", DType::f64), ElementsAre());
  for (const SourceFile& f : read_testdata("good")) {
    if (f.role != SourceFile::Role::boundaries) continue;
    EXPECT_EQ(solved_text(solved), f.text);
  }
}

TEST(Load, ModelOfBoundariesAndCases) {
  const OpSpec& op = *good_specs().find_op("everything");
  const std::vector<Literal>& l = op.boundaries[0].operands.at("x");
  ASSERT_EQ(l.size(), 14u);
  EXPECT_TRUE(l[0].integral);
  EXPECT_EQ(l[1].number, -1.5);
  EXPECT_EQ(l[2].number, 0.1875);
  EXPECT_FALSE(l[3].integral);
  EXPECT_TRUE(std::signbit(l[3].number));
  EXPECT_TRUE(std::isnan(l[6].number));
  EXPECT_EQ(l[8].base, Literal::Base::largest);
  EXPECT_TRUE(l[8].negative);
  EXPECT_EQ(l[12].steps, -3);
  EXPECT_EQ(l[13].integer, 1);
  EXPECT_EQ(std::get<std::int64_t>(op.boundaries[0].attrs.at("groups")), 2);
  const std::vector<Literal>& bits = op.boundaries[1].operands.at("x");
  EXPECT_EQ(bits[0].bits, 0x7fc00001u);
  EXPECT_EQ(bits[1].bits_dtype, DType::f32);
  EXPECT_EQ(bits[1].steps, 1);
  EXPECT_EQ(op.boundaries[0].vacuous, 0.25);
  EXPECT_EQ(op.boundaries[1].vacuous, kVacuousShare);

  const Boundary& solved = op.boundaries[2];
  EXPECT_EQ(solved.solved, "exp");
  EXPECT_EQ(solved.solved_values.at(DType::f32).size(), 7u);
  EXPECT_EQ(solved.solved_values.at(DType::f32)[0].bits, 0xc16912cdu);
  EXPECT_EQ(solved.solved_values.at(DType::f32)[0].bits_dtype, DType::f32);
  EXPECT_EQ(solved.solved_values.size(), 1u);

  const CaseGroup& c = op.cases[0];
  ASSERT_EQ(c.shapes.size(), 2u);
  EXPECT_EQ(c.shapes[0].at("S"), (Shape{3, 4}));
  EXPECT_EQ(c.shapes[0].at("others.1"), Shape{});
  EXPECT_THAT(c.dtypes.at("T3.1"), ElementsAre(DType::boolean));
  EXPECT_EQ(std::get<std::int64_t>(c.attrs[0].at("alpha")), 1);
  EXPECT_EQ(std::get<bool>(c.attrs[1].at("alpha")), true);
  EXPECT_EQ(std::get<None>(c.attrs[1].at("weight")), None{});
  EXPECT_EQ(std::get<DType>(c.attrs[1].at("dtype")), DType::f16);
  EXPECT_EQ(c.inputs.at("x").kind, Generator::Kind::formula);
  EXPECT_THAT(c.inputs.at("x").formula_index, ElementsAre("j", "k", "i"));
  EXPECT_EQ(c.inputs.at("weight").kind, Generator::Kind::powers_of_two);
  EXPECT_EQ(c.inputs.at("weight").next, 1);
  EXPECT_EQ(c.layouts.size(), 5u);
  EXPECT_FALSE(c.standard);
  EXPECT_EQ(c.vacuous, 0.5);
  EXPECT_EQ(op.cases[1].vacuous, kVacuousShare);
  EXPECT_EQ(op.cases[1].scalars.at("y").size(), 4u);
  EXPECT_EQ(op.cases[1].inputs.at("x").kind, Generator::Kind::all_bits);
  EXPECT_EQ(op.cases[2].shapes[1].at("S"), (Shape{7, 2}));
  EXPECT_TRUE(op.cases[3].all_contexts);
}

TEST(Load, ProgramsAreReadOncePerCombinationOfAxes) {
  const SpecSet& specs = good_specs();
  ASSERT_EQ(specs.programs.size(), 1u);
  const ProgramSpec& p = specs.programs[0];
  EXPECT_FALSE(p.standard);
  ASSERT_EQ(p.variants.size(), 8u);
  const ProgramVariant& v = p.variants[3];
  using Axis = std::pair<std::string, std::string>;
  EXPECT_THAT(v.axes, ElementsAre(Axis{"mid", "f16"}, Axis{"heads", "4"},
                                  Axis{"layout", "transposed"}));
  EXPECT_EQ(v.inputs[0].sizes, (Shape{4, 8, 8}));
  EXPECT_EQ(v.inputs[0].layout, Layout::transposed);
  EXPECT_EQ(v.consts[0].dtype, DType::f16);
  EXPECT_EQ(v.consts[0].sizes, (Shape{4, 8, 3}));
  EXPECT_EQ(p.variants[7].consts[0].dtype, DType::bf16);
  ASSERT_EQ(v.steps.size(), 3u);
  EXPECT_EQ(v.steps[0].op, "aten.softmax.int");
  EXPECT_EQ(std::get<std::string>(v.steps[0].args[0].value), "q");
  EXPECT_EQ(std::get<std::int64_t>(std::get<Arg>(v.steps[0].args[1].value)),
            -1);
  EXPECT_EQ(std::get<StepArgList>(v.steps[2].args[0].value).size(), 2u);
  EXPECT_EQ(v.steps[2].kwargs[0].first, "dim");
  EXPECT_EQ(v.raises, "bmm/E4");
  ASSERT_EQ(specs.contexts.size(), 2u);
  EXPECT_EQ(specs.contexts[1].steps[0].op, "op");
}

// Operations by name, loaded beside what the good specs share.
std::map<std::string, std::string> models(const std::string& folder) {
  std::vector<SourceFile> files = read_testdata(folder);
  for (const SourceFile& f : read_testdata("good")) {
    if (f.role != SourceFile::Role::operation &&
        f.role != SourceFile::Role::program &&
        f.role != SourceFile::Role::contexts) {
      files.push_back(f);
    }
  }
  const LoadResult loaded = load_sources(std::move(files));
  for (const Diagnostic& d : loaded.errors) ADD_FAILURE() << to_string(d);
  std::map<std::string, std::string> out;
  for (const OpSpec& op : loaded.specs.ops) out[op.name] = text_of(op);
  return out;
}

TEST(Load, ShortFormsMeanWhatTheyAreShortFor) {
  const auto short_forms = models("spellings/short");
  const auto long_forms = models("spellings/long");
  EXPECT_GE(long_forms.size(), 6u);
  for (const auto& [name, model] : long_forms) {
    ASSERT_TRUE(short_forms.contains(name)) << name;
    EXPECT_EQ(short_forms.at(name), model);
  }
  EXPECT_EQ(short_forms.size(), long_forms.size());
}

TEST(Load, TheHashIsOfNamesAndTextsInAnyOrder) {
  std::vector<SourceFile> files = read_testdata("good");
  const std::uint64_t hash = load_sources(files).specs.hash;
  std::reverse(files.begin(), files.end());
  EXPECT_EQ(load_sources(files).specs.hash, hash);
  files[0].text += "# a remark\n";
  EXPECT_NE(load_sources(files).specs.hash, hash);
  files = read_testdata("good");
  files[0].name = "z" + files[0].name;
  EXPECT_NE(load_sources(files).specs.hash, hash);
}

TEST(Load, AnOperationsHashIsOfItsFileAndWhatFilesShare) {
  std::vector<SourceFile> files = read_testdata("good");
  const auto hashes = [&files] {
    std::map<std::string, std::uint64_t> out;
    for (const OpSpec& op : load_sources(files).specs.ops) {
      out[op.name] = op.hash;
    }
    return out;
  };
  const auto before = hashes();
  ASSERT_GT(before.size(), 2u);
  bool shared = false, own = false;
  for (SourceFile& f : files) {
    f.text += "# a remark\n";
    std::size_t changed = 0;
    for (const auto& [name, hash] : hashes()) {
      changed += hash == before.at(name) ? 0 : 1;
    }
    const bool all = f.role < SourceFile::Role::contexts;
    (all ? shared : own) = true;
    if (all) {
      EXPECT_EQ(changed, before.size()) << f.name;
    } else {
      EXPECT_LT(changed, before.size()) << f.name;
      EXPECT_EQ(changed > 0, f.role == SourceFile::Role::operation) << f.name;
    }
    f.text.resize(f.text.size() - std::string("# a remark\n").size());
  }
  EXPECT_TRUE(own);
  EXPECT_TRUE(shared);
}

// A scratch folder laid out as specs/ is.
class Folder {
 public:
  Folder() {
    dir = fs::temp_directory_path() /
          ("assay-load-test-" + std::to_string(::getpid()));
    fs::remove_all(dir);
    for (const SourceFile& f : read_testdata("good")) {
      write(fs::path(folder_of(f.role)) / f.name, f.text);
    }
  }
  ~Folder() { fs::remove_all(dir); }
  static const char* folder_of(SourceFile::Role role) {
    switch (role) {
      case SourceFile::Role::operation:
        return "ops/family";
      case SourceFile::Role::program:
        return "programs";
      case SourceFile::Role::boundaries:
      case SourceFile::Role::contexts:
        return ".";
      default:
        return "shared";
    }
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  void write(const fs::path& name, const std::string& text) const {
    fs::create_directories((dir / name).parent_path());
    std::ofstream(dir / name, std::ios::binary) << text;
  }
  fs::path dir;
};

std::vector<std::string> texts(const std::vector<Diagnostic>& errors,
                               const fs::path& dir) {
  std::vector<std::string> out;
  for (const Diagnostic& d : errors) {
    std::string s = to_string(d);
    const std::string prefix = dir.string() + "/";
    if (s.starts_with(prefix)) s.erase(0, prefix.size());
    out.push_back(s);
  }
  return out;
}

TEST(Load, Directory) {
  const Folder folder;
  const LoadResult good = load_specs(folder.dir);
  EXPECT_THAT(texts(good.errors, folder.dir), ElementsAre());
  EXPECT_EQ(good.specs.ops.size(), 10u);
  EXPECT_EQ(good.specs.programs.size(), 1u);
  EXPECT_EQ(good.specs.contexts.size(), 2u);
  EXPECT_TRUE(std::is_sorted(
      good.specs.ops.begin(), good.specs.ops.end(),
      [](const OpSpec& a, const OpSpec& b) { return a.name < b.name; }));

  folder.write("ops/family/notes.txt", "");
  fs::rename(folder.dir / "ops/family/bmm.yaml",
             folder.dir / "ops/family/bnm.yaml");
  EXPECT_THAT(
      texts(load_specs(folder.dir).errors, folder.dir),
      ElementsAre(
          "ops/family/notes.txt:1:1: only NAME.yaml files stand here; remove "
          "or rename it",
          "ops/family/bnm.yaml:1:1: the file is called 'bnm.yaml' but names "
          "'bmm'; rename one of them"));
}

TEST(Load, TwoSpecsForOneOverload) {
  const Folder folder;
  std::ifstream in(folder.dir / "ops/family/bmm.yaml");
  std::stringstream text;
  text << in.rdbuf();
  std::string other = text.str();
  other.replace(0, 7, "op: bmm2");
  folder.write("ops/family/bmm2.yaml", other);
  EXPECT_THAT(texts(load_specs(folder.dir).errors, folder.dir),
              ElementsAre("ops/family/bmm2.yaml:2:7: the overload "
                          "'aten.bmm.default' has a spec already, " +
                          (folder.dir / "ops/family/bmm.yaml").string() +
                          "; rename or remove one"));
}

TEST(Load, AMissingDirectoryOrFileIsAnError) {
  EXPECT_THAT(texts(load_specs("/nowhere").errors, "/x"),
              ElementsAre("/nowhere:1:1: no specs are here; expected a folder "
                          "with ops/*.yaml"));
  EXPECT_THAT(texts(load_spec_file("/nowhere.yaml", "").errors, "/x"),
              ElementsAre("/nowhere.yaml:1:1: the file cannot be read"));
}

TEST(Load, OneFileAloneIsCheckedAgainstItsNeighbours) {
  const Folder folder;
  const LoadResult op =
      load_spec_file(folder.dir / "ops/family/bmm.yaml", folder.dir);
  EXPECT_THAT(texts(op.errors, folder.dir), ElementsAre());
  // Contexts make programs of other operations out of its cases.
  EXPECT_GT(op.specs.ops.size(), 1u);
  const LoadResult program =
      load_spec_file(folder.dir / "programs/attention.yaml", folder.dir);
  EXPECT_THAT(texts(program.errors, folder.dir), ElementsAre());
  EXPECT_EQ(program.specs.programs.size(), 1u);
  // Another file's errors are its own, and nothing is made of it.
  folder.write("ops/family/broken.yaml", "op: broken\n");
  const LoadResult beside =
      load_spec_file(folder.dir / "ops/family/bmm.yaml", folder.dir);
  EXPECT_THAT(texts(beside.errors, folder.dir), ElementsAre());
  EXPECT_EQ(beside.specs.find_op("broken"), nullptr);
  EXPECT_EQ(beside.specs.ops.size(), op.specs.ops.size());
}

// Wherever it lies: files are read in the order of their paths.
TEST(Load, ADraftStandsForTheSpecOfItsName) {
  const Folder folder;
  const fs::path spec = folder.dir / "ops/family/bmm.yaml";
  std::ifstream in(spec);
  std::stringstream text;
  text << in.rdbuf();
  for (const char* side : {"-a", "_z"}) {
    const fs::path drafts = folder.dir.string() + side;
    fs::create_directories(drafts);
    std::ofstream(drafts / "bmm.yaml") << text.str();
    const LoadResult same = load_spec_file(drafts / "bmm.yaml", folder.dir);
    EXPECT_THAT(texts(same.errors, drafts), ElementsAre());
    ASSERT_NE(same.specs.find_op("bmm"), nullptr);
    EXPECT_EQ(same.specs.find_op("bmm")->file, (drafts / "bmm.yaml").string());
    // Under another file name it is one more spec of the same overload.
    std::string other = text.str();
    other.replace(0, 7, "op: bmm2");
    std::ofstream(drafts / "bmm2.yaml") << other;
    EXPECT_THAT(
        texts(load_spec_file(drafts / "bmm2.yaml", folder.dir).errors, drafts),
        ElementsAre("bmm2.yaml:2:7: the overload 'aten.bmm.default' has a spec "
                    "already, " +
                    spec.string() + "; rename or remove one"));
    fs::remove_all(drafts);
  }
}

TEST(Load, TheProjectsOwnSpecsAreClean) {
  const fs::path dir = fs::path(ASSAY_SOURCE_DIR) / "specs";
  const LoadResult result = load_specs(dir);
  EXPECT_THAT(texts(result.errors, dir), ElementsAre());
  EXPECT_GE(result.specs.ops.size(), 40u);
}

// The ```yaml blocks of the language's documentation.
std::vector<std::string> documented() {
  std::ifstream in(fs::path(ASSAY_SOURCE_DIR) / "docs" / "spec-language.md");
  std::vector<std::string> out;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line == "```yaml") {
      inside = true;
      out.emplace_back();
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      out.back() += line + "\n";
    }
  }
  return out;
}

// Sections of an operation by name, each with its text.
std::map<std::string, std::string> sections_of(const std::string& block) {
  std::map<std::string, std::string> out;
  std::istringstream in(block);
  std::string section;
  for (std::string line; std::getline(in, line);) {
    if (line[0] != ' ') section = line.substr(0, line.find(':'));
    out[section] += line + "\n";
  }
  return out;
}

// A part of an operation, completed to a whole one.
std::string completed(const std::string& block) {
  std::map<std::string, std::string> whole = sections_of(
      "op: example\n"
      "doc: An example.\n"
      "params: {x: \"T[S...]\"}\n"
      "dtypes: {T: floats}\n"
      "result: {dtype: T, shape: shape(x)}\n"
      "value: {V1: \"out[i...] = x[i...]\"}\n"
      "accuracy: {A1: exact}\n"
      "cases: {C1: {shapes: [[3]]}}\n");
  const std::map<std::string, std::string> given = sections_of(block);
  if (given.contains("forms") || given.contains("outputs")) {
    for (const char* name : {"result", "value", "accuracy"}) whole.erase(name);
  }
  if (given.contains("relations")) {
    for (const char* name : {"value", "accuracy"}) whole.erase(name);
  }
  for (const auto& [name, text] : given) whole[name] = text;
  std::string out;
  for (const std::string& name : operation_sections()) out += whole[name];
  return out;
}

// The block as a file; `example.yaml` unless it is one that specs share.
SourceFile example_of(const std::string& block) {
  static const std::string kShared = "# specs/shared/";
  if (block.starts_with(kShared)) {
    const std::string name =
        block.substr(kShared.size(), block.find('\n') - kShared.size());
    return {name, block, role_of(name, block)};
  }
  if (block.starts_with("producer:")) {
    return {"contexts.yaml", block, SourceFile::Role::contexts};
  }
  const std::string word = block.substr(0, block.find(':'));
  const bool whole = word == "op" || word == "ops" || word == "program";
  const std::string text = whole ? block : completed(block);
  return {"example.yaml", text, role_of("example.yaml", text)};
}

TEST(Documentation, ExamplesLoad) {
  std::vector<SourceFile> shared;
  std::vector<SourceFile> examples;
  for (const std::string& block : documented()) {
    SourceFile f = example_of(block);
    const bool is_shared = block.starts_with("# specs/shared/");
    (is_shared ? shared : examples).push_back(std::move(f));
  }
  EXPECT_GE(shared.size(), 6u);
  EXPECT_GE(examples.size(), 15u);
  const fs::path dir = fs::path(ASSAY_SOURCE_DIR) / "specs";
  for (const SourceFile& example : examples) {
    LoadResult result;
    if (example.role == SourceFile::Role::operation) {
      std::vector<SourceFile> files = shared;
      files.push_back(example);
      result = load_sources(std::move(files));
    } else {
      const fs::path folder = fs::temp_directory_path() /
                              fmt::format("assay-example-{}", ::getpid());
      fs::create_directories(folder);
      std::ofstream(folder / example.name) << example.text;
      result = load_spec_file(folder / example.name, dir);
      fs::remove_all(folder);
    }
    for (const Diagnostic& d : result.errors) {
      ADD_FAILURE() << to_string(d) << "\n" << example.text;
    }
  }
}

TEST(Documentation, NamesEveryFunction) {
  std::ifstream in(fs::path(ASSAY_SOURCE_DIR) / "docs" / "spec-language.md");
  std::ostringstream text;
  text << in.rdbuf();
  for (const Function& f : functions()) {
    const std::string name(f.name);
    const bool named = text.str().find(name + "(") != std::string::npos ||
                       text.str().find(" " + name + " ") != std::string::npos ||
                       text.str().find("`" + name + " ") != std::string::npos ||
                       text.str().find(" " + name + "`") != std::string::npos;
    EXPECT_TRUE(named) << name;
  }
}

// Each character of a scalar stands where YAML's folding and escapes left it.
TEST(YamlTree, PositionsThroughStylesOfScalars) {
  const std::string source =
      "plain: ab cd\n"
      "double: \"a\\\"b \\\n  c\"\n"
      "single: 'a''b\n  c'\n"
      "folded: >-\n  ab\n  cd\n\n  ef\n"
      "literal: |\n  ab\n    cd\n"
      "multi: ab\n  cd\n"
      "flow: {x: ${ab}, y: [ef]}\n";
  std::vector<Fault> faults;
  const auto root = parse_yaml(source, &faults);
  ASSERT_TRUE(root);
  EXPECT_TRUE(faults.empty());
  const auto check = [&source](const YamlNode& n, const std::string& wanted) {
    EXPECT_EQ(n.text.text, wanted);
    std::vector<std::string> lines;
    std::istringstream in(source);
    for (std::string l; std::getline(in, l);) lines.push_back(l);
    for (std::size_t i = 0; i < n.text.text.size(); ++i) {
      const char c = n.text.text[i];
      if (c == ' ' || c == '\n' || c == '"') continue;
      const SourcePos p = n.text.pos(i);
      EXPECT_EQ(lines[static_cast<std::size_t>(p.line - 1)]
                     [static_cast<std::size_t>(p.column - 1)],
                c)
          << wanted << " at " << i;
    }
  };
  check(root->fields[0].second, "ab cd");
  check(root->fields[1].second, "a\"b c");
  check(root->fields[2].second, "a'b c");
  check(root->fields[3].second, "ab cd\nef");
  check(root->fields[4].second, "ab\n  cd\n");
  check(root->fields[5].second, "ab cd");
  check(root->fields[6].second.fields[0].second, "${ab}");
  check(root->fields[6].second.fields[1].second.items[0], "ef");
}

TEST(YamlTree, AnAliasIsACopy) {
  std::vector<Fault> faults;
  const auto root = parse_yaml("a: &x {k: [1, 2]}\nb: *x\n", &faults);
  ASSERT_TRUE(root);
  EXPECT_TRUE(faults.empty());
  EXPECT_EQ(root->fields[1].second.fields[0].second.items[1].text.text, "2");
}

}  // namespace
}  // namespace assay::language
