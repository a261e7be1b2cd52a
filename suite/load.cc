#include "suite/load.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "core/program_text.h"
#include "suite/check.h"
#include "suite/element_reads.h"
#include "suite/read_op.h"
#include "suite/yaml_tree.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using Role = SourceFile::Role;

class Loader {
 public:
  LoadResult run(std::vector<SourceFile> files) {
    std::sort(files.begin(), files.end(),
              [](const SourceFile& a, const SourceFile& b) {
                return a.name < b.name;
              });
    std::string everything;
    for (const SourceFile& f : files) {
      everything += f.name + '\0' + f.text + '\0';
    }
    result_.specs.hash = fnv1a(everything);
    // Operations name the sets of shapes, programs name operations.
    for (const Role role : {Role::sweeps, Role::boundaries, Role::contexts,
                            Role::operation, Role::program}) {
      for (const SourceFile& f : files) {
        if (f.role == role) read(f);
      }
    }
    check_set(result_.specs, places_, &result_.errors);
    result_.specs.solved = std::move(shared_.solved);
    finish();
    return std::move(result_);
  }

 private:
  void read(const SourceFile& f) {
    Faults faults;
    const std::optional<YamlNode> root = parse_yaml(f.text, &faults);
    if (root) {
      switch (f.role) {
        case Role::sweeps:
          shared_.sweeps = read_sweeps(*root, &faults);
          break;
        case Role::boundaries:
          shared_.solved = read_solved(*root, &faults);
          shared_.solved.file = f.name;
          break;
        case Role::contexts:
          read_context_file(f, *root, &faults);
          break;
        case Role::operation:
          read_operation(f, *root, &faults);
          break;
        case Role::program:
          read_program_file(f, *root, &faults);
          break;
      }
    }
    for (Fault& fault : faults) {
      result_.errors.push_back({f.name, fault.pos, std::move(fault.message)});
    }
  }

  void read_context_file(const SourceFile& f, const YamlNode& root,
                         Faults* faults) {
    result_.specs.contexts = read_contexts(root, faults);
    for (const auto& [key, body] : root.fields) {
      places_.context[key.text.text] = {f.name, key.pos};
    }
  }

  void read_operation(const SourceFile& f, const YamlNode& root,
                      Faults* faults) {
    OpSpec op = read_op(root, shared_, faults);
    op.file = f.name;
    mark_element_reads(&op);
    check_op(op, faults);
    note(f, root, {"op", "aten"});
    result_.specs.ops.push_back(std::move(op));
  }

  void read_program_file(const SourceFile& f, const YamlNode& root,
                         Faults* faults) {
    ProgramSpec program = read_program(root, faults);
    program.file = f.name;
    note(f, root, {"program", "returns", "raises"});
    result_.specs.programs.push_back(std::move(program));
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
  Places places_;
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
  files->push_back({file.string(), text.str(), role});
}

void add_directory(const fs::path& dir, Role role,
                   std::vector<SourceFile>* files,
                   std::vector<Diagnostic>* errors) {
  std::error_code error;
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(dir, error)) {
    const fs::path& path = entry.path();
    if (path.filename().string().starts_with(".")) continue;
    if (path.extension() == ".yaml") {
      found.push_back(path);
    } else {
      errors->push_back(at_file(path,
                                "only NAME.yaml files stand here; "
                                "remove or rename it"));
    }
  }
  std::sort(found.begin(), found.end());
  for (const fs::path& path : found) add_file(path, role, files, errors);
}

void add_shared(const fs::path& dir, std::vector<SourceFile>* files,
                std::vector<Diagnostic>* errors) {
  for (const char* name : {"sweeps.yaml", "boundaries.yaml", "contexts.yaml"}) {
    const fs::path file = dir / name;
    if (fs::exists(file)) add_file(file, role_of(file, ""), files, errors);
  }
}

void check_names(const std::vector<SourceFile>& files, const SpecSet& specs,
                 std::vector<Diagnostic>* errors) {
  const auto check = [errors](const std::string& file,
                              const std::string& name) {
    const std::string stem = fs::path(file).stem().string();
    if (!name.empty() && name != stem) {
      errors->push_back({file,
                         {1, 1},
                         "the file is called '" + stem + ".yaml' but names '" +
                             name + "'; rename one of them"});
    }
  };
  (void)files;
  for (const OpSpec& op : specs.ops) check(op.file, op.name);
  for (const ProgramSpec& p : specs.programs) check(p.file, p.name);
}

}  // namespace

std::string to_string(const Diagnostic& d) {
  return d.file + ":" + std::to_string(d.pos.line) + ":" +
         std::to_string(d.pos.column) + ": " + d.message;
}

LoadResult load_sources(std::vector<SourceFile> files) {
  return Loader().run(std::move(files));
}

LoadResult load_specs(const fs::path& dir) {
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
  add_shared(dir, &files, &errors);
  LoadResult result = load_sources(files);
  check_names(files, result.specs, &errors);
  result.errors.insert(result.errors.begin(), errors.begin(), errors.end());
  return result;
}

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
  std::erase_if(files, [&](const SourceFile& f) {
    return fs::equivalent(f.name, file, error);
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
  const std::string own_name = own.name;
  result = load_sources(std::move(files));
  std::erase_if(result.errors,
                [&](const Diagnostic& d) { return d.file != own_name; });
  result.errors.insert(result.errors.begin(), errors.begin(), errors.end());
  return result;
}

Role role_of(const fs::path& file, const std::string& text) {
  const std::string name = file.filename().string();
  if (name == "sweeps.yaml") return Role::sweeps;
  if (name == "boundaries.yaml") return Role::boundaries;
  if (name == "contexts.yaml") return Role::contexts;
  const bool program = text.starts_with("program:") ||
                       text.find("\nprogram:") != std::string::npos;
  return program ? Role::program : Role::operation;
}

}  // namespace assay
