// assay certify-oracle: MPFR against Arb, function by function.
#include <fmt/format.h>

#include <memory>
#include <thread>

#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/report/gate.h"
#include "harness/run/interrupt.h"
#include "reference/certify/certify.h"

namespace assay::harness {
namespace {

using reference::Certificate;
using reference::Elementary;

struct CertifyOptions {
  std::vector<std::string> functions;
  std::uint64_t samples = std::uint64_t{1} << 22;
  int jobs = 0;
};

std::string bits_text(const std::optional<std::uint64_t>& bits) {
  return bits ? fmt::format("0x{:x}", *bits) : "undecided";
}

std::string row(const Certificate& c) {
  std::string out =
      fmt::format("{:<7} {:<5} {:>9} inputs, {} disagreements\n",
                  reference::elementary_name(c.function), dtype_name(c.dtype),
                  c.compared, c.disagreements);
  for (const auto& d : c.examples) {
    out += fmt::format("  0x{:x}: MPFR {}, Arb {}\n", d.input,
                       bits_text(d.mpfr), bits_text(d.arb));
  }
  return out;
}

int certify_oracle(CertifyOptions o) {
  if (o.jobs == 0) {
    o.jobs =
        static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  }
  std::vector<Elementary> functions;
  for (const std::string& name : o.functions) {
    const auto f = reference::find_elementary(name);
    if (!f)
      return complain(fmt::format("there is no elementary function {}", name));
    functions.push_back(*f);
  }
  if (functions.empty()) {
    for (int i = 0; i < reference::kElementaryFunctions; ++i) {
      functions.push_back(static_cast<Elementary>(i));
    }
  }
  std::uint64_t compared = 0, wrong = 0;
  for (const Elementary f : functions) {
    for (const DType t : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
      const Certificate c =
          reference::certify(f, t, o.samples, o.jobs, &interrupt_flag());
      if (interrupt_flag()) {
        return complain("interrupted; name the functions that are left",
                        kIncomplete);
      }
      compared += c.compared;
      wrong += c.disagreements;
      if (print(row(c)) != 0) return kIncomplete;
    }
  }
  return print(
      fmt::format("{} inputs compared, {} disagreements\n", compared, wrong),
      wrong == 0 ? 0 : 1);
}

}  // namespace

void add_certify_oracle_command(CLI::App& app, int* exit_code) {
  auto o = std::make_shared<CertifyOptions>();
  CLI::App* c = app.add_subcommand(
      "certify-oracle",
      "Compare the oracle's elementary functions with Arb's: every input of "
      "16 bits, random and boundary inputs in f32 and f64.");
  c->add_option("FUNCTION", o->functions, "by name; default all");
  c->add_option("--samples", o->samples, "random inputs of f32 and of f64")
      ->capture_default_str()
      ->type_name("N");
  c->add_option("--jobs,-j", o->jobs, "threads, default all cores")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  c->callback([=] { *exit_code = certify_oracle(*o); });
}

}  // namespace assay::harness
