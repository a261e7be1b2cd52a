#include "suite/language/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "core/program_text.h"
#include "suite/language/bind/element_reads.h"
#include "suite/language/check/check_op.h"
#include "suite/language/check/check_set.h"
#include "suite/language/read/read_faults.h"
#include "suite/language/read/read_kernels.h"
#include "suite/language/read/read_op.h"
#include "suite/language/read/read_profile.h"
#include "suite/language/read/read_program.h"
#include "suite/language/read/read_solved.h"
#include "suite/language/sugar/operations.h"
#include "suite/language/sugar/yaml_edit.h"
#include "suite/language/syntax/suggest.h"
#include "suite/language/syntax/yaml_tree.h"

namespace assay::language {
namespace {

namespace fs = std::filesystem;
using Role = SourceFile::Role;

// Of what decides about cases and answers. The same specs have the same hash
// in any folder.
std::uint64_t hash_of(const std::vector<SourceFile>& files,
                      const fs::path& dir) {
  std::map<std::string, const std::string*> texts;
  for (const SourceFile& f : files) {
    if (f.role == Role::faults) continue;
    const fs::path name = f.name;
    texts[dir.empty() ? f.name : name.lexically_relative(dir).string()] =
        &f.text;
  }
  std::string everything;
  for (const auto& [name, text] : texts) {
    everything += name + '\0' + *text + '\0';
  }
  return fnv1a(everything);
}

class Loader {
 public:
  LoadResult run(std::vector<SourceFile> files) {
    std::sort(files.begin(), files.end(),
              [](const SourceFile& a, const SourceFile& b) {
                return std::tie(a.last, a.name) < std::tie(b.last, b.name);
              });
    for (const SourceFile& f : files) {
      keep_trees_ = keep_trees_ || f.role == Role::faults;
    }
    result_.specs.hash = hash_of(files, "");
    for (const SourceFile& f : files) {
      if (f.role <= Role::boundaries) shared_text_ += f.text + '\0';
    }
    // Operations name what is shared, programs name operations.
    for (const Role role :
         {Role::lets, Role::clauses, Role::dtypes, Role::inputs, Role::shapes,
          Role::cases, Role::kernels, Role::boundaries, Role::contexts,
          Role::profile, Role::operation, Role::program, Role::faults}) {
      for (const SourceFile& f : files) {
        if (f.role == role) read(f);
      }
    }
    refuse_unknown_kernels();
    check_set(result_.specs, places_, &result_.errors);
    result_.specs.solved = std::move(shared_.solved);
    finish();
    return std::move(result_);
  }

 private:
  void read(const SourceFile& f) {
    Faults faults;
    std::optional<YamlNode> root = parse_yaml(f.text, &faults);
    if (root) {
      switch (f.role) {
        case Role::boundaries:
          shared_.solved = read_solved(*root, &faults);
          shared_.solved.file = f.name;
          break;
        case Role::contexts:
          read_context_file(f, *root, &faults);
          break;
        case Role::profile:
          result_.specs.quick = read_profile(*root, &faults);
          result_.specs.quick.file = f.name;
          break;
        case Role::operation:
          read_operations(f, *root, &faults);
          break;
        case Role::program:
          read_program_file(f, *root, &faults);
          break;
        case Role::faults:
          shared_files_.push_back(f.name);
          set_file(&*root, static_cast<int>(shared_files_.size()));
          read_fault_file(f, *root, &faults);
          break;
        default:
          shared_files_.push_back(f.name);
          set_file(&*root, static_cast<int>(shared_files_.size()));
          read_shared(f.role, *root, &faults);
      }
    }
    report(f, faults);
  }

  // Faults in what is shared, as far as an operation's use of it brings them to
  // light, are reported once, with that operation.
  void report(const SourceFile& f, const Faults& faults) {
    for (const Fault& fault : faults) {
      if (fault.message.empty()) continue;  // marks a place alone
      const int file = fault.pos.file;
      if (file == 0) {
        result_.errors.push_back({f.name, fault.pos, fault.message});
        continue;
      }
      const std::string& name =
          shared_files_[static_cast<std::size_t>(file) - 1];
      const bool fresh =
          seen_.emplace(file, fault.pos.line, fault.pos.column, fault.message)
              .second;
      if (!fresh) continue;
      const std::string user =
          name == f.name ? "" : fmt::format(" (as {} uses it)", f.name);
      result_.errors.push_back({name, fault.pos, fault.message + user});
    }
  }

  void read_shared(Role role, const YamlNode& root, Faults* faults) {
    switch (role) {
      case Role::lets:
        return shared_.lets.read_shared(root, faults);
      case Role::clauses:
        return read_shared_clauses(root, &shared_, faults);
      case Role::dtypes:
        return read_shared_dtypes(root, &shared_, faults);
      case Role::inputs:
        return read_shared_inputs(root, &shared_, faults);
      case Role::cases:
        return read_shared_cases(root, &shared_, faults);
      case Role::kernels:
        kernels_file_ = shared_files_.back();
        kernels_ = read_kernels(root, faults);
        return;
      default:
        return read_shared_shapes(root, &shared_, faults);
    }
  }

  void read_context_file(const SourceFile& f, const YamlNode& root,
                         Faults* faults) {
    result_.specs.contexts = read_contexts(root, faults);
    for (const auto& [key, body] : root.fields) {
      places_.context[key.text.text] = {f.name, key.pos};
    }
  }

  using Place = std::tuple<int, int, int>;
  static Place place(const Fault& f) {
    return {f.pos.file, f.pos.line, f.pos.column};
  }

  void read_operations(const SourceFile& f, const YamlNode& root,
                       Faults* faults) {
    std::vector<YamlNode> ops = write_out_operations(root, shared_, faults);
    std::set<Place> told;
    for (const Fault& fault : *faults) told.insert(place(fault));
    drop_told({}, faults);
    Readings readings;
    const std::uint64_t hash = fnv1a(f.text + '\0' + shared_text_);
    for (YamlNode& op : ops) {
      readings.push_back(read_operation(f, op));
      readings.back().read.op.hash = hash;
      drop_told(told, &readings.back().faults);
      if (const YamlNode* name = keep_trees_ ? field(op, "op") : nullptr) {
        trees_[name->text.text] = std::move(op);
      }
    }
    add_faults(readings, faults);
    if (faults->empty()) refuse_unused_lets(readings, faults);
    for (Reading& r : readings) {
      result_.specs.ops.push_back(std::move(r.read.op));
    }
  }

  struct Reading {
    OpReading read;
    Faults faults;
  };
  using Readings = std::vector<Reading>;

  Reading read_operation(const SourceFile& f, const YamlNode& root) {
    Reading r;
    r.read = read_op(root, shared_, &r.faults);
    require_kernels(kernels_, &r.read.op);
    r.read.op.file = f.name;
    mark_reads(&r.read.op);
    check_op(r.read.op, &r.faults);
    note(f, root, {"op", "aten"});
    return r;
  }

  // Drops faults at places of which enough was said, and the faults without a
  // message that mark such places for those after them.
  static void drop_told(std::set<Place> told, Faults* faults) {
    std::erase_if(*faults, [&told](const Fault& f) {
      if (!f.message.empty()) return told.contains(place(f));
      told.insert(place(f));
      return true;
    });
  }

  // What not all operations of a file share names the first that has it.
  static void add_faults(const Readings& readings, Faults* faults) {
    std::map<std::tuple<int, int, int, std::string>, std::size_t> count;
    const auto key = [](const Fault& f) {
      return std::tuple(f.pos.file, f.pos.line, f.pos.column, f.message);
    };
    for (const Reading& r : readings) {
      std::set<std::tuple<int, int, int, std::string>> own;
      for (const Fault& f : r.faults) own.insert(key(f));
      for (const auto& k : own) ++count[k];
    }
    for (const Reading& r : readings) {
      for (Fault f : r.faults) {
        std::size_t& n = count[key(f)];
        if (n == 0) continue;  // told by another one
        if (n < readings.size()) {
          f.message += fmt::format(" (in operation '{}')", r.read.op.name);
        }
        n = 0;
        faults->push_back(std::move(f));
      }
    }
  }

  // At least one of several operations must name each let.
  static void refuse_unused_lets(const Readings& readings, Faults* faults) {
    if (readings.empty()) return;
    for (const auto& [name, pos] : readings[0].read.unused_lets) {
      if (std::all_of(readings.begin(), readings.end(),
                      [&n = name](const Reading& r) {
                        return r.read.unused_lets.contains(n);
                      })) {
        faults->push_back(
            {pos, fmt::format("let '{}' is never used; remove it", name)});
      }
    }
  }

  void read_program_file(const SourceFile& f, const YamlNode& root,
                         Faults* faults) {
    ProgramSpec program = read_program(root, faults);
    program.file = f.name;
    note(f, root, {"program", "returns", "raises"});
    result_.specs.programs.push_back(std::move(program));
  }

  void read_fault_file(const SourceFile& f, const YamlNode& root,
                       Faults* faults) {
    for (FaultSpec& fault : read_faults(root, trees_, shared_, faults)) {
      fault.file = f.name;
      const std::string id = fault.row + " " + fault.name;
      const auto [at, fresh] = fault_files_.emplace(id, f.name);
      if (fresh) {
        result_.faults.push_back(std::move(fault));
      } else {
        faults->push_back(
            {fault.pos, fmt::format("{} has a fault '{}' in {} already",
                                    fault.row, fault.name, at->second)});
      }
    }
  }

  // What the table of kernels names, and is no operation with operands. Where a
  // spec has an error, it may be missing for that.
  void refuse_unknown_kernels() {
    if (!result_.errors.empty()) return;
    std::map<std::string, const OpSpec*> ops;
    std::vector<std::string> names;
    for (const OpSpec& op : result_.specs.ops) {
      ops.emplace(op.name, &op);
      names.push_back(op.name);
    }
    for (const KernelClause& clause : kernels_) {
      const auto is_clause = [&clause](const Requirement& r) {
        return r.id == clause.requirement.id;
      };
      for (const auto& [name, pos] : clause.ops) {
        const auto op = ops.find(name);
        if (op == ops.end()) {
          result_.errors.push_back(
              {kernels_file_, pos,
               fmt::format("no operation is called '{}'{}", name,
                           did_you_mean(name, names))});
        } else if (std::none_of(op->second->requires_.begin(),
                                op->second->requires_.end(), is_clause)) {
          result_.errors.push_back(
              {kernels_file_, pos,
               fmt::format("'{}' has no operand that holds numbers", name)});
        }
      }
    }
  }

  void note(const SourceFile& f, const YamlNode& root,
            const std::vector<std::string>& fields) {
    for (const auto& [key, body] : root.fields) {
      if (std::find(fields.begin(), fields.end(), key.text.text) !=
          fields.end()) {
        places_.field[{f.name, key.text.text}] = body.pos;
      }
    }
  }

  void finish() {
    std::sort(result_.specs.ops.begin(), result_.specs.ops.end(),
              [](const OpSpec& a, const OpSpec& b) { return a.name < b.name; });
    result_.specs.index();
    std::sort(result_.specs.programs.begin(), result_.specs.programs.end(),
              [](const ProgramSpec& a, const ProgramSpec& b) {
                return a.name < b.name;
              });
    const auto key = [](const Diagnostic& d) {
      return std::tie(d.file, d.pos.line, d.pos.column, d.message);
    };
    std::vector<Diagnostic>& errors = result_.errors;
    std::sort(errors.begin(), errors.end(),
              [&key](const Diagnostic& a, const Diagnostic& b) {
                return key(a) < key(b);
              });
    errors.erase(std::unique(errors.begin(), errors.end(),
                             [&key](const Diagnostic& a, const Diagnostic& b) {
                               return key(a) == key(b);
                             }),
                 errors.end());
  }

  Shared shared_;
  std::vector<KernelClause> kernels_;
  std::string kernels_file_;
  std::string shared_text_;                // of the files that operations share
  std::vector<std::string> shared_files_;  // by SourcePos::file - 1
  std::set<std::tuple<int, int, int, std::string>> seen_;  // in those files
  Places places_;
  bool keep_trees_ = false;
  std::map<std::string, YamlNode> trees_;  // operations written out, by name
  std::map<std::string, std::string> fault_files_;
  LoadResult result_;
};

Diagnostic at_file(const fs::path& file, std::string message) {
  return {file.string(), {1, 1}, std::move(message)};
}

void add_file(const fs::path& file, Role role, std::vector<SourceFile>* files,
              std::vector<Diagnostic>* errors) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  if (!in || in.bad()) {
    errors->push_back(at_file(file, "the file cannot be read"));
    return;
  }
  files->push_back({file.string(), text.str(), role, false});
}

// The NAME.yaml files of a folder and of those in it.
void add_directory(const fs::path& dir, Role role,
                   std::vector<SourceFile>* files,
                   std::vector<Diagnostic>* errors) {
  std::error_code error;
  std::vector<fs::path> found;
  fs::recursive_directory_iterator it(dir, error);
  for (; it != fs::recursive_directory_iterator(); it.increment(error)) {
    const fs::path& path = it->path();
    if (path.filename().string().starts_with(".")) {
      it.disable_recursion_pending();
    } else if (path.extension() == ".yaml" && !it->is_directory()) {
      found.push_back(path);
    } else if (!it->is_directory()) {
      errors->push_back(at_file(path,
                                "only NAME.yaml files stand here; "
                                "remove or rename it"));
    }
  }
  std::sort(found.begin(), found.end());
  for (const fs::path& path : found) add_file(path, role, files, errors);
}

const std::map<std::string, Role>& shared_roles() {
  static const std::map<std::string, Role> kRoles = {
      {"lets.yaml", Role::lets},      {"clauses.yaml", Role::clauses},
      {"dtypes.yaml", Role::dtypes},  {"inputs.yaml", Role::inputs},
      {"shapes.yaml", Role::shapes},  {"cases.yaml", Role::cases},
      {"kernels.yaml", Role::kernels}};
  return kRoles;
}

void add_shared(const fs::path& dir, std::vector<SourceFile>* files,
                std::vector<Diagnostic>* errors) {
  for (const auto& [name, role] : shared_roles()) {
    const fs::path file = dir / "shared" / name;
    if (fs::exists(file)) add_file(file, role, files, errors);
  }
  for (const auto& [name, role] :
       {std::pair("sweeps.yaml", Role::shapes),
        std::pair("boundaries.yaml", Role::boundaries),
        std::pair("profile.yaml", Role::profile),
        std::pair("contexts.yaml", Role::contexts)}) {
    if (fs::exists(dir / name)) add_file(dir / name, role, files, errors);
  }
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(dir / "shared", error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(".") || shared_roles().contains(name)) continue;
    std::vector<std::string> names;
    for (const auto& known : shared_roles()) names.push_back(known.first);
    errors->push_back(
        at_file(entry.path(), fmt::format("expected {} here", join(names))));
  }
}

// A file is named after the one operation or program that it holds.
void check_names(const SpecSet& specs, std::vector<Diagnostic>* errors) {
  std::map<std::string, std::vector<std::string>> names;
  for (const OpSpec& op : specs.ops) names[op.file].push_back(op.name);
  for (const ProgramSpec& p : specs.programs) names[p.file].push_back(p.name);
  for (const auto& [file, held] : names) {
    const std::string stem = fs::path(file).stem().string();
    if (held.size() != 1 || held[0].empty() || held[0] == stem) continue;
    errors->push_back({file,
                       {1, 1},
                       fmt::format("the file is called '{}.yaml' but names "
                                   "'{}'; rename one of them",
                                   stem, held[0])});
  }
}

}  // namespace

LoadResult load_sources(std::vector<SourceFile> files) {
  return Loader().run(std::move(files));
}

namespace {

LoadResult load_folder(const fs::path& dir, bool with_faults) {
  std::vector<SourceFile> files;
  std::vector<Diagnostic> errors;
  std::error_code error;
  if (!fs::is_directory(dir / "ops", error)) {
    LoadResult result;
    result.errors.push_back(
        at_file(dir, "no specs are here; expected a folder with ops/*.yaml"));
    return result;
  }
  add_directory(dir / "ops", Role::operation, &files, &errors);
  if (fs::is_directory(dir / "programs", error)) {
    add_directory(dir / "programs", Role::program, &files, &errors);
  }
  if (with_faults && fs::is_directory(dir / "faults", error)) {
    add_directory(dir / "faults", Role::faults, &files, &errors);
  }
  add_shared(dir, &files, &errors);
  LoadResult result = load_sources(files);
  result.specs.hash = hash_of(files, dir);
  check_names(result.specs, &errors);
  result.errors.insert(result.errors.begin(), errors.begin(), errors.end());
  return result;
}

}  // namespace

LoadResult load_specs(const fs::path& dir) { return load_folder(dir, false); }

LoadResult load_specs_and_faults(const fs::path& dir) {
  return load_folder(dir, true);
}

namespace {

bool is_below(const fs::path& file, const fs::path& folder) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(file, error);
  const fs::path above = fs::weakly_canonical(folder, error);
  return std::mismatch(above.begin(), above.end(), whole.begin(), whole.end())
             .first == above.end();
}

}  // namespace

LoadResult load_spec_file(const fs::path& file, const fs::path& specs_dir) {
  std::vector<SourceFile> files;
  std::vector<Diagnostic> errors;
  std::vector<Diagnostic> ignored;
  if (!specs_dir.empty()) {
    add_shared(specs_dir, &files, &errors);
    // The operations that a program or a context calls.
    add_directory(specs_dir / "ops", Role::operation, &files, &ignored);
  }
  std::error_code error;
  const bool draft = !is_below(file, specs_dir);
  std::erase_if(files, [&](const SourceFile& f) {
    return fs::equivalent(f.name, file, error) ||
           (draft && fs::path(f.name).filename() == file.filename());
  });
  const std::size_t before = files.size();
  add_file(file, Role::operation, &files, &errors);
  LoadResult result;
  if (files.size() == before) {
    result.errors = std::move(errors);
    return result;
  }
  SourceFile& own = files.back();
  own.role = role_of(file, own.text);
  own.last = true;
  const std::string own_name = own.name;
  result = load_sources(std::move(files));
  // What another file got wrong is not told, and not used either.
  std::set<std::string> broken;
  std::erase_if(result.errors, [&](const Diagnostic& d) {
    const bool foreign = d.file != own_name &&
                         fs::path(d.file).parent_path().filename() != "shared";
    if (foreign) broken.insert(d.file);
    return foreign;
  });
  std::erase_if(result.specs.ops,
                [&](const OpSpec& op) { return broken.contains(op.file); });
  result.specs.index();
  result.errors.insert(result.errors.begin(), errors.begin(), errors.end());
  return result;
}

Role role_of(const fs::path& file, const std::string& text) {
  const std::string name = file.filename().string();
  const auto shared = shared_roles().find(name);
  if (shared != shared_roles().end()) return shared->second;
  if (name == "sweeps.yaml") return Role::shapes;
  if (name == "boundaries.yaml") return Role::boundaries;
  if (name == "contexts.yaml") return Role::contexts;
  if (name == "profile.yaml") return Role::profile;
  if (file.parent_path().filename() == "faults") return Role::faults;
  const bool program = text.starts_with("program:") ||
                       text.find("\nprogram:") != std::string::npos;
  return program ? Role::program : Role::operation;
}

}  // namespace assay::language
