#include "suite/cases/rows.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "core/writes.h"
#include "suite/language/bind/bind_program.h"
#include "suite/language/nest/compile_nest.h"
#include "suite/language/nest/row_cuts.h"

namespace assay::cases {
namespace {

using language::RowCuts;
using Nests = std::vector<std::unique_ptr<language::Nest>>;

std::size_t at(int n) { return static_cast<std::size_t>(n); }

// The nests of all outputs of the program's call; none where one cannot be
// bound, is refused, or has no nest.
Nests compile(const language::SpecSet& specs, const Program& program,
              const std::vector<Tensor>& inputs) {
  Nests out;
  language::ProgramBinder binder(specs, program, inputs);
  while (!binder.done()) {
    Result<language::BoundNode> node = binder.next();
    if (!node || node->broken != nullptr) return {};
    Result<std::unique_ptr<language::Nest>> nest = language::compile_nest(
        std::move(node->binding), node->type, node->value, node->output);
    if (!nest) return {};
    out.push_back(std::move(*nest));
  }
  return out;
}

// Of the result; the parts of complex numbers are no dimension of theirs.
int rank_of(const language::Nest& nest) {
  return static_cast<int>(nest.type.sizes.size()) - (nest.is_complex ? 1 : 0);
}

// Adds `more` to `cuts`; false where they contradict.
bool merge(const RowCuts& more, RowCuts* cuts) {
  return std::all_of(more.begin(), more.end(), [&](const auto& one) {
    const auto [found, fresh] = cuts->insert(one);
    return fresh || found->second == one.second;
  });
}

// All outputs of a call and its operands, cut along dimensions that belong
// together.
struct Cut {
  RowCuts operands;
  std::vector<int> results;  // per nest
};
std::optional<Cut> cut_along(const Nests& nests, int dimension) {
  const auto first = row_cuts(*nests[0], dimension);
  if (!first) return std::nullopt;
  Cut cut{*first, {dimension}};
  // Later outputs may read the first.
  cut.operands[nests[0]->value] = dimension;
  for (std::size_t n = 1; n < nests.size(); ++n) {
    const int rank = rank_of(*nests[n]);
    const std::int64_t rows = nests[0]->type.sizes[at(dimension)];
    bool found = false;
    for (int d = 0; d < rank && !found; ++d) {
      const auto cuts = row_cuts(*nests[n], d);
      RowCuts all = cut.operands;
      found = cuts && nests[n]->type.sizes[at(d)] == rows && merge(*cuts, &all);
      if (!found) continue;
      cut.operands = std::move(all);
      cut.results.push_back(d);
    }
    if (!found) return std::nullopt;
  }
  return cut;
}

// Are the operands that are cut row-major, and have they all the rows? A row by
// itself is: where it lay otherwise, more than the number of rows would differ.
// An index that leaves rows out (scatter) has no such row of its own.
bool can_be_cut(const std::vector<Tensor>& inputs, const Cut& cut,
                std::int64_t rows) {
  return std::all_of(
      cut.operands.begin(), cut.operands.end(), [&](const auto& one) {
        if (one.second == language::kWhole || at(one.first) >= inputs.size()) {
          return true;
        }
        const TensorType& t = inputs[at(one.first)].type;
        return at(one.second) < t.sizes.size() && t.is_contiguous() &&
               t.sizes[at(one.second)] == rows;
      });
}

// The program for operands that have `rows` rows.
Program with_rows(const Program& program, const RowCuts& cuts,
                  std::int64_t rows) {
  Program out = program;
  for (const auto& [id, dimension] : cuts) {
    if (!out.is_input({id}) || dimension == language::kWhole) continue;
    TensorType& t = out.inputs[at(id)];
    t.sizes[at(dimension)] = rows;
    t = TensorType::contiguous(t.dtype, t.sizes);
  }
  return out;
}

bool has_rows(const language::Nest& nest, const TensorType& whole,
              int dimension, std::int64_t rows) {
  Shape due = whole.sizes;
  due[at(dimension)] = rows;
  return nest.type.dtype == whole.dtype && nest.type.sizes == due;
}

// Is the call for another number of rows the same but for that?
bool scales(const language::SpecSet& specs, const Program& program,
            const Nests& nests, const Cut& cut) {
  const std::int64_t more = nests[0]->type.sizes[at(cut.results[0])] + 1;
  const Nests other =
      compile(specs, with_rows(program, cut.operands, more), {});
  if (other.size() != nests.size()) return false;
  for (std::size_t n = 0; n < nests.size(); ++n) {
    if (!has_rows(*other[n], nests[n]->type, cut.results[n], more) ||
        !same_but_for_sizes(*other[n], *nests[n])) {
      return false;
    }
  }
  return true;
}

bool is_one_call(const Program& program) {
  if (program.nodes.empty() || !program.constants.empty()) return false;
  const auto calls = std::count_if(
      program.nodes.begin(), program.nodes.end(),
      [](const Node& n) { return !further_output(n).has_value(); });
  const bool nodes_only =
      std::all_of(program.outputs.begin(), program.outputs.end(),
                  [&](ValueRef v) { return program.is_node(v); });
  const Node& call = program.nodes[0];
  return calls == 1 && nodes_only && !writes_operand(call) &&
         !changes_metadata(call);
}

std::optional<RowQuestion> question(const language::SpecSet& specs,
                                    const Program& program,
                                    const std::vector<Tensor>& inputs,
                                    const Nests& nests, int dimension) {
  const std::int64_t rows = nests[0]->type.sizes[at(dimension)];
  if (rows < 2) return std::nullopt;
  const auto cut = cut_along(nests, dimension);
  if (!cut || !can_be_cut(inputs, *cut, rows) ||
      !scales(specs, program, nests, *cut)) {
    return std::nullopt;
  }
  RowQuestion q;
  q.program = with_rows(program, cut->operands, 1);
  // A vector's row as a rule, and not one of the tail that it would be alone.
  q.row = rows / 2;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const auto found = cut->operands.find(static_cast<int>(k));
    const bool whole =
        found == cut->operands.end() || found->second == language::kWhole;
    q.inputs.push_back(whole ? inputs[k]
                             : row_of(inputs[k], found->second, q.row));
  }
  const Nests alone = compile(specs, q.program, q.inputs);
  if (alone.size() != nests.size()) return std::nullopt;
  for (std::size_t n = 0; n < nests.size(); ++n) {
    if (!has_rows(*alone[n], nests[n]->type, cut->results[n], 1)) {
      return std::nullopt;
    }
  }
  for (const ValueRef v : program.outputs) {
    q.dimensions.push_back(cut->results[at(v.id - program.first_node_id())]);
  }
  return q;
}

}  // namespace

std::vector<RowQuestion> row_questions(const language::SpecSet& specs,
                                       const Program& program,
                                       const std::vector<Tensor>& inputs) {
  std::vector<RowQuestion> out;
  if (!is_one_call(program)) return out;
  const Nests nests = compile(specs, program, inputs);
  if (nests.empty()) return out;
  const int rank = rank_of(*nests[0]);
  for (int d = 0; d < rank; ++d) {
    auto q = question(specs, program, inputs, nests, d);
    if (q) out.push_back(std::move(*q));
  }
  return out;
}

Tensor row_of(const Tensor& t, int dimension, std::int64_t row) {
  Tensor view = t;
  view.type.sizes[at(dimension)] = 1;
  view.offset += row * t.type.strides[at(dimension)];
  return view.contiguous();
}

}  // namespace assay::cases
