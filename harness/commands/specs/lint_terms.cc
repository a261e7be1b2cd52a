#include "harness/commands/specs/lint_terms.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <set>
#include <tuple>

#include "harness/commands/common.h"
#include "harness/run/interrupt.h"
#include "reference/oracle/term_use.h"
#include "suite/language/load.h"

namespace assay::harness {
namespace {

// Where an entry is written: operations of one file may share it.
using Place = std::tuple<std::string, int, int>;

struct Entry {
  std::string clause;  // of the first operation
  const language::OpSpec* op = nullptr;
  const language::Accuracy* spec = nullptr;
  reference::TermUse use;
  std::string overflow_in, beside_zero_in;  // a case
};

// What the cases that are made of the operations alone need: beside another
// operation, that one's tolerance would excuse this one's.
class Entries {
 public:
  Entries(const language::SpecSet& specs, const std::set<std::string>& names) {
    for (const language::OpSpec& op : specs.ops) {
      if (names.count(op.name) == 0) continue;
      for (const language::Form& form : op.forms) {
        for (std::size_t k = 0; k < form.output_count(); ++k) {
          for (const auto& a : form.output(k).accuracy) add(op, a);
        }
      }
    }
  }

  void count(const reference::TermUses& uses, const std::string& path) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [spec, use] : uses) {
      const auto at = by_spec_.find(spec);
      if (at == by_spec_.end()) continue;
      Entry& e = *at->second;
      e.use.add(use);
      const auto keep_least = [&](std::size_t n, std::string* in) {
        if (n > 0 && (in->empty() || path < *in)) *in = path;
      };
      keep_least(use.overflow, &e.overflow_in);
      keep_least(use.beside_zero, &e.beside_zero_in);
    }
  }

  std::vector<std::string> faults() const {
    std::vector<std::string> out;
    for (const auto& entry : by_place_) {
      const Entry& e = entry.second;
      // What other releases of PyTorch promise, these cases do not show.
      if (e.use.elements == 0) continue;
      const auto fault = [&](const std::string& what) {
        out.push_back(language::to_string(
            {e.op->file, e.spec->pos, fmt::format("{}: {}", e.clause, what)}));
      };
      if (e.spec->any_zero_sign && e.use.zero_sign == 0) {
        fault(
            "`zero_sign: any`, but no case has a zero of one sign; leave it "
            "out, or add the case that it is for");
      }
      if (e.spec->ulp && e.spec->abs && e.use.abs == 0) {
        fault(
            "`abs` is nowhere larger than `ulp`; leave it out, or add the case "
            "that it is for");
      }
      if (e.use.overflow > 0) {
        fault(fmt::format(
            "its bound reaches the end of the format from values below the "
            "last binade, in {} elements, of {} for one; bound it by the value",
            e.use.overflow, e.overflow_in));
      }
      if (e.use.beside_zero > 0) {
        fault(fmt::format(
            "`abs` admits other numbers where the value is zero and nothing "
            "cancels, in {} elements, of {} for one; make it 0 there",
            e.use.beside_zero, e.beside_zero_in));
      }
    }
    return out;
  }

 private:
  void add(const language::OpSpec& op, const language::Accuracy& a) {
    Entry& e = by_place_[{op.file, a.pos.line, a.pos.column}];
    if (e.op == nullptr) {
      e.op = &op;
      e.spec = &a;
      e.clause = op.name + "/" + a.id;
    }
    by_spec_[&a] = &e;
  }

  std::map<Place, Entry> by_place_;
  std::map<const language::Accuracy*, Entry*> by_spec_;
  std::mutex mutex_;
};

}  // namespace

std::vector<std::string> check_terms(
    const language::SpecSet& specs,
    const std::vector<const cases::Case*>& cases, int jobs) {
  std::set<std::string> names;
  for (const cases::Case* c : cases) names.insert(c->spec);
  Entries entries(specs, names);
  in_parallel(cases.size(), jobs, [&](std::size_t i) {
    const cases::Case& c = *cases[i];
    const bool alone = c.context.empty() && c.must_raise.empty() &&
                       specs.find_op(c.spec) != nullptr;
    if (interrupt_flag() || !alone) return;
    // Of a case without a golden lint has said so.
    const Result<reference::TermUses> uses =
        reference::term_uses(specs, c.program, c.make_inputs());
    if (uses) entries.count(*uses, c.path);
  });
  if (interrupt_flag()) return {};
  return entries.faults();
}

}  // namespace assay::harness
