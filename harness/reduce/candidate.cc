#include "harness/reduce/candidate.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/operands.h"
#include "core/program_text.h"
#include "core/writes.h"
#include "suite/cases/inputs/layouts.h"

namespace assay::harness {
namespace {

using language::Layout;

// Every value that a node or an output names, renamed.
template <class Rename>
void rename(Candidate* c, Rename rename) {
  for (Node& node : c->nodes) {
    for_each_operand(&node, [&](ValueRef& v) { v = rename(v); });
  }
  for (ValueRef& v : c->outputs) v = rename(v);
}

// Operands are live with what reads them, and calls that wrote what is read. A
// call is live with each of its outputs and they with it: a program names all
// outputs of a call.
std::vector<bool> live_values(const Candidate& c) {
  const Storages storages(program_of(c));
  const auto count = static_cast<std::size_t>(c.given_count());
  std::vector<bool> live(count + c.nodes.size(), false);
  const auto mark = [&live](ValueRef v) {
    live[static_cast<std::size_t>(v.id)] = true;
  };
  for (const ValueRef v : c.outputs) {
    mark(v);
    mark({storages.written(v.id)});
  }
  for (std::size_t n = c.nodes.size(); n-- > 0;) {
    if (!live[count + n]) continue;
    for (const ValueRef v : operands(c.nodes[n])) {
      mark(v);
      mark({storages.written(v.id, c.node_value(n).id)});
    }
  }
  for (std::size_t n = 0; n < c.nodes.size(); ++n) {
    if (const auto further = further_output(c.nodes[n])) {
      live[count + n] = live[static_cast<std::size_t>(further->call.id)];
    }
  }
  return live;
}

}  // namespace

GivenTensor& Candidate::given(std::size_t k) {
  return k < inputs.size() ? inputs[k] : constants[k - inputs.size()];
}

const GivenTensor& Candidate::given(std::size_t k) const {
  return k < inputs.size() ? inputs[k] : constants[k - inputs.size()];
}

Tensor tensor_of(const GivenTensor& given) {
  return cases::lay_out(given.dtype, given.sizes, given.layout, given.bits);
}

GivenTensor given_of(const Tensor& tensor) {
  GivenTensor out;
  out.dtype = tensor.dtype();
  out.sizes = tensor.sizes();
  const Tensor parts = components(tensor);
  const std::int64_t n = parts.numel();
  for (std::int64_t i = 0; i < n; ++i) out.bits.push_back(parts.bits(i));
  return out;
}

Program program_of(const Candidate& c) {
  Program program;
  for (const GivenTensor& g : c.inputs) {
    program.inputs.push_back(cases::layout_type(g.dtype, g.sizes, g.layout));
  }
  for (const GivenTensor& g : c.constants) {
    program.constants.push_back(tensor_of(g).contiguous());
  }
  program.nodes = c.nodes;
  program.outputs = c.outputs;
  program.device = c.device;
  return program;
}

std::vector<Tensor> inputs_of(const Candidate& c) {
  std::vector<Tensor> tensors;
  for (const GivenTensor& g : c.inputs) tensors.push_back(tensor_of(g));
  return tensors;
}

cases::Case case_of(const Candidate& c, const std::string& path) {
  cases::Case out;
  out.path = path;
  out.spec = path;
  out.program = program_of(c);
  out.must_raise = c.must_raise;
  const auto inputs =
      std::make_shared<const std::vector<GivenTensor>>(c.inputs);
  out.make_inputs = [inputs] {
    std::vector<Tensor> tensors;
    for (const GivenTensor& g : *inputs) tensors.push_back(tensor_of(g));
    return tensors;
  };
  return out;
}

Result<Candidate> candidate_of(const cases::Case& source) {
  Candidate c;
  const std::vector<Tensor> inputs = source.make_inputs();
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const Tensor& t = inputs[k];
    GivenTensor given = given_of(t);
    constexpr Layout kLayouts[] = {Layout::contiguous,   Layout::transposed,
                                   Layout::offset,       Layout::strided,
                                   Layout::expanded,     Layout::permuted,
                                   Layout::channels_last};
    const auto fits = [&](Layout layout) {
      given.layout = layout;
      const Tensor made = tensor_of(given);
      return made.type == t.type && made.offset == t.offset;
    };
    if (!std::any_of(std::begin(kLayouts), std::end(kLayouts), fits)) {
      return Error{fmt::format(
          "input {} of {} lies in memory as no spec can say", k, source.path)};
    }
    c.inputs.push_back(std::move(given));
  }
  for (const Tensor& t : source.program.constants) {
    c.constants.push_back(given_of(t));
  }
  c.nodes = source.program.nodes;
  c.outputs = source.program.outputs;
  c.device = source.program.device;
  c.must_raise = source.must_raise;
  return c;
}

std::string text_of(const Candidate& c) {
  std::string text = to_text(program_of(c));
  for (const GivenTensor& g : c.inputs) {
    fmt::format_to(std::back_inserter(text), "{} {:x}\n",
                   cases::layout_name(g.layout), fmt::join(g.bits, ","));
  }
  return text + c.must_raise;
}

Candidate pruned(const Candidate& c) {
  const std::vector<bool> live = live_values(c);
  std::vector<int> id(live.size(), -1);
  Candidate out = c;
  out.inputs.clear();
  out.constants.clear();
  out.nodes.clear();
  int next = 0;
  const auto take = [&](std::size_t n) {
    if (live[n]) id[n] = next++;
    return live[n];
  };
  std::size_t n = 0;
  for (const GivenTensor& g : c.inputs) {
    if (take(n++)) out.inputs.push_back(g);
  }
  for (const GivenTensor& g : c.constants) {
    if (take(n++)) out.constants.push_back(g);
  }
  for (const Node& node : c.nodes) {
    if (take(n++)) out.nodes.push_back(node);
  }
  rename(&out, [&id](ValueRef v) {
    return ValueRef{id[static_cast<std::size_t>(v.id)]};
  });
  return out;
}

void replace_value(Candidate* c, ValueRef from, ValueRef to) {
  for (Node& node : c->nodes) {
    if (further_output(node)) continue;
    for_each_operand(&node, [&](ValueRef& v) {
      if (v == from) v = to;
    });
  }
  for (ValueRef& v : c->outputs) {
    if (v == from) v = to;
  }
}

Candidate with_input_for(const Candidate& c, ValueRef v, GivenTensor given) {
  Candidate out = c;
  const int at = static_cast<int>(c.inputs.size());
  out.inputs.push_back(std::move(given));
  rename(&out, [at](ValueRef r) { return r.id < at ? r : ValueRef{r.id + 1}; });
  replace_value(&out, {v.id + 1}, {at});
  return out;
}

std::size_t count_steps(const Candidate& c) {
  return static_cast<std::size_t>(
      std::count_if(c.nodes.begin(), c.nodes.end(),
                    [](const Node& node) { return !further_output(node); }));
}

}  // namespace assay::harness
