// assay schemas: records the schemas of a release of PyTorch, or what its
// OpInfo calls, as data, so that specs are checked and drafted without a torch.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "core/process.h"
#include "core/torch_version.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/subject/places.h"
#include "suite/language/schema/coverage.h"
#include "suite/language/schema/schema.h"

namespace assay::harness {
namespace {

struct SchemasOptions {
  std::string torch = "2.11.0";
  bool opinfo = false;
  std::filesystem::path specs;
};

int record_schemas(const SchemasOptions& o) {
  const auto version = parse_torch_version(o.torch);
  if (!version) return complain("no version of torch: " + o.torch);
  const Result<std::string> python = find_python(o.torch, "");
  if (!python) return complain(python.error().message);
  const Result<std::string> script =
      find_source(o.opinfo ? "harness/workers/python/list_opinfo.py"
                           : "harness/workers/python/list_schemas.py");
  if (!script) return complain(script.error().message);
  const std::filesystem::path file =
      o.opinfo ? language::opinfo_file(o.specs, *version)
               : language::schema_file(o.specs, *version);
  const std::filesystem::path fresh = file.string() + ".new";
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  const Finished ran = run_process({*python, *script, fresh.string()});
  if (ran.exit_code == 0) std::filesystem::rename(fresh, file, error);
  if (ran.exit_code != 0 || error) {
    std::filesystem::remove(fresh, error);
    return complain(
        fmt::format("{} was not written\n{}", file.string(), ran.output));
  }
  std::vector<language::Diagnostic> faults;
  const std::size_t count = o.opinfo
                                ? language::load_opinfo(file, &faults).size()
                                : language::load_schemas(file, &faults).size();
  if (!faults.empty()) return complain(language::to_string(faults.front()));
  return print(fmt::format("{}: {} {}\n", file.string(), count,
                           o.opinfo ? "entries of OpInfo" : "overloads"));
}

}  // namespace

void add_schemas_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<SchemasOptions>();
  CLI::App* c = app.add_subcommand(
      "schemas", "Record ATen's schemas in specs/schemas, by torch version.");
  c->add_option("--torch", o->torch, "version of torch")
      ->capture_default_str()
      ->type_name("VERSION");
  c->add_flag("--opinfo", o->opinfo,
              "instead, what the entries of PyTorch's OpInfo take and call, of "
              "which `assay lint` says how much is specified; needs the Python "
              "package expecttest");
  add_specs_option(c, &o->specs);
  c->callback([=] { *exit_code = record_schemas(*o); });
}

}  // namespace assay::harness
