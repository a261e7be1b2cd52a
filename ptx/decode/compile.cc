// Puts an entry together: control flow, calls (which are inlined), the layout
// of its variables. compile_kernel of decode.h.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ptx/decode/calls.h"
#include "ptx/decode/decode.h"
#include "ptx/decode/predicates.h"
#include "ptx/lanes/scalar_lanes.h"
#include "ptx/machine/block.h"

namespace assay::ptx {
namespace {

std::size_t aligned(std::size_t at, std::size_t to) {
  return (at + to - 1) / to * to;
}

const std::map<std::string_view, void (*)(Emitter&)>& decoders() {
  static const auto all = [] {
    std::map<std::string_view, void (*)(Emitter&)> table;
    for (auto part : {approximate_decoders(), arithmetic_decoders(),
                      atomic_decoders(), bit_decoders(), carry_decoders(),
                      compare_decoders(), convert_decoders(), copy_decoders(),
                      matrix_decoders(), memory_decoders(), mma_decoders(),
                      move_decoders(), thread_decoders()})
      for (const Decoder& d : part) table.emplace(d.opcode, d.decode);
    return table;
  }();
  return all;
}

class Compiler {
 public:
  Compiler(const CompiledModule& module, Kernel& kernel)
      : module_(module), kernel_(kernel), e_(module, kernel) {}

  void entry(const Function& f) {
    kernel_.name = f.name;
    auto bound = [&](const char* name) {
      auto known = f.directives.find(name);
      if (known == f.directives.end()) return 0U;
      return known->second[0] * known->second[1] * known->second[2];
    };
    kernel_.required_threads = bound("reqntid");
    kernel_.max_threads = bound("maxntid");
    module_shared();
    Emitter::Frame frame;
    for (const Variable& p : f.parameters) {
      kernel_.parameter_bytes = aligned(kernel_.parameter_bytes, p.align);
      frame.variables[p.name] = {Emitter::Binding::Kind::parameter,
                                 kernel_.parameter_bytes};
      kernel_.parameter_bytes += p.bytes;
    }
    body(f, frame);
    // What runs off the end returns.
    kernel_.code.push_back(exit_operation());
    auto end = static_cast<std::uint32_t>(kernel_.code.size() - 1);
    for (std::size_t at : frame.returns) kernel_.code[at].target = end;
    place_dynamic_shared();
  }

 private:
  static Operation exit_operation() {
    Operation op;
    op.kind = OperationKind::exit;
    op.taint = Taint::none;
    return op;
  }

  // Shared variables of the module belong to every kernel. Those without a
  // size begin where the others end.
  void module_shared() {
    for (const Variable& v : module_.module.variables) {
      if (v.space != Space::shared) continue;
      if (v.bytes == 0) {
        dynamic_align_ = std::max(dynamic_align_, v.align);
        continue;
      }
      shared_[v.name] = reserve_shared(v);
    }
  }

  std::uint64_t reserve_shared(const Variable& v) {
    kernel_.static_shared = aligned(kernel_.static_shared, v.align);
    std::uint64_t at = kernel_.static_shared;
    kernel_.static_shared += v.bytes;
    return at;
  }

  // Function-scope shared variables must be known before the dynamic part's
  // place is, and their uses are decoded by then: so they are laid out first.
  void reserve_called(const Function& f, std::vector<const Function*>& path) {
    if (std::find(path.begin(), path.end(), &f) != path.end()) return;
    path.push_back(&f);
    for (const Variable& v : f.variables)
      if (v.space == Space::shared && v.bytes > 0 &&
          function_shared_.count(&v) == 0)
        function_shared_[&v] = reserve_shared(v);
    for (const Instruction& i : f.body) {
      if (i.opcode != "call") continue;
      for (const Operand& o : i.operands) {
        if (o.kind != Operand::Kind::symbol) continue;
        const Function* callee = module_.module.find(o.name);
        if (callee != nullptr) reserve_called(*callee, path);
      }
    }
  }

  void place_dynamic_shared() {
    kernel_.static_shared = aligned(kernel_.static_shared, dynamic_align_);
  }

  void bind_variables(const Function& f, Emitter::Frame& frame) {
    for (const auto& [name, offset] : shared_)
      frame.variables.insert({name, {Emitter::Binding::Kind::shared, offset}});
    for (const Variable& v : module_.module.variables)
      if (v.space == Space::shared && v.bytes == 0)
        frame.variables.insert(
            {v.name, {Emitter::Binding::Kind::shared, dynamic_}});
    for (const Variable& v : f.variables) {
      if (v.space == Space::shared) {
        std::uint64_t at = v.bytes == 0 ? dynamic_ : function_shared_.at(&v);
        frame.variables[v.name] = {Emitter::Binding::Kind::shared, at};
      } else if (v.space == Space::local || v.space == Space::param) {
        frame.variables[v.name] = {Emitter::Binding::Kind::local,
                                   reserve_local(v)};
      } else {
        throw Unsupported{"unsupported: the variable " + v.name +
                          " inside of " + f.name + " (PTX line " +
                          std::to_string(v.line) + ")"};
      }
    }
  }

  std::uint64_t reserve_local(const Variable& v) {
    // Sixteen bytes keep every thread's part aligned.
    kernel_.local_bytes =
        aligned(kernel_.local_bytes, std::max<std::size_t>(v.align, 1));
    std::uint64_t at = kernel_.local_bytes;
    kernel_.local_bytes = aligned(at + v.bytes, 16);
    return at;
  }

  void body(const Function& f, Emitter::Frame& frame) {
    if (path_.empty()) {
      std::vector<const Function*> seen;
      reserve_called(f, seen);
      std::size_t align = dynamic_align_;
      for (const Function* g : seen)
        for (const Variable& v : g->variables)
          if (v.space == Space::shared && v.bytes == 0)
            align = std::max(align, v.align);
      dynamic_align_ = align;
      dynamic_ = aligned(kernel_.static_shared, align);
    }
    path_.push_back(&f);
    frame.function = &f;
    frame.slots.assign(f.registers.size(), 0);
    bind_variables(f, frame);
    e_.set_frame(&frame);
    for (const Instruction& i : f.body) {
      frame.starts.push_back(static_cast<std::uint32_t>(kernel_.code.size()));
      e_.begin(i);
      instruction(i, frame);
      e_.set_frame(&frame);
    }
    frame.starts.push_back(static_cast<std::uint32_t>(kernel_.code.size()));
    for (const auto& [at, label] : frame.branches)
      kernel_.code[at].target = frame.starts[f.labels[label]];
    for (const auto& [at, label] : indexed_)
      kernel_.lists[at] = frame.starts[f.labels[label]];
    indexed_.clear();
    path_.pop_back();
  }

  void instruction(const Instruction& i, Emitter::Frame& frame) {
    if (i.opcode == "bra") return branch(i, frame);
    if (i.opcode == "brx") return branch_indexed(i, frame);
    if (i.opcode == "ret" || (i.opcode == "exit")) return leave(i, frame);
    if (i.opcode == "call") return call(i);
    auto known = decoders().find(i.opcode);
    if (known == decoders().end()) e_.refuse();
    known->second(e_);
  }

  void branch(const Instruction& i, Emitter::Frame& frame) {
    if (i.operands.size() != 1 || i.operands[0].kind != Operand::Kind::label)
      e_.refuse("a label is needed");
    Operation& op = e_.emit_warp(nullptr, OperationKind::branch);
    op.target = 0;
    frame.branches.emplace_back(kernel_.code.size() - 1, i.operands[0].index);
  }

  void branch_indexed(const Instruction&, Emitter::Frame& frame) {
    auto targets = frame.function->branch_targets.find(e_.operand(1).name);
    if (targets == frame.function->branch_targets.end())
      e_.refuse("no .branchtargets of that name");
    std::uint32_t index = e_.source(0, 32);
    Operation& op = e_.emit_warp(nullptr, OperationKind::branch_indexed);
    op.a = index;
    op.list = static_cast<std::uint32_t>(kernel_.lists.size());
    op.imm = targets->second.size();
    for (std::uint32_t label : targets->second) {
      indexed_.emplace_back(kernel_.lists.size(), label);
      kernel_.lists.push_back(0);
    }
  }

  void leave(const Instruction& i, Emitter::Frame& frame) {
    if (i.opcode == "exit" || path_.size() == 1) {
      e_.emit_warp(nullptr, OperationKind::exit);
      return;
    }
    Operation& op = e_.emit_warp(nullptr, OperationKind::branch);
    op.target = 0;
    frame.returns.push_back(kernel_.code.size() - 1);
  }

  // call (results), function, (arguments);
  void call(const Instruction& i) {
    std::vector<const Operand*> lists;
    const Operand* name = nullptr;
    std::size_t before = 0;
    for (const Operand& o : i.operands) {
      if (o.kind == Operand::Kind::list) {
        lists.push_back(&o);
        if (name == nullptr) ++before;
      } else if (name == nullptr) {
        name = &o;
      } else {
        e_.refuse("indirect calls");
      }
    }
    if (name == nullptr || name->kind != Operand::Kind::symbol)
      e_.refuse("indirect calls");
    const Operand* results = before == 1 ? lists[0] : nullptr;
    const Operand* arguments = lists.size() > before ? lists[before] : nullptr;
    if (decode_system_call(e_, name->name, results, arguments)) return;
    const Function* callee = module_.module.find(name->name);
    if (callee == nullptr || !callee->is_defined)
      e_.refuse("the function " + name->name + " is not defined");
    if (std::find(path_.begin(), path_.end(), callee) != path_.end())
      e_.refuse("the function " + name->name + " calls itself");
    inline_call(i, *callee, results, arguments);
  }

  void inline_call(const Instruction& i, const Function& callee,
                   const Operand* results, const Operand* arguments) {
    // Threads whose guard is false pass the body by.
    std::size_t skip = 0;
    if (i.guard) {
      Operation& op = e_.emit_warp(nullptr, OperationKind::branch);
      op.guard_negated = !op.guard_negated;
      skip = kernel_.code.size() - 1;
    }
    Emitter::Frame inner;
    inner.function = &callee;
    auto bind = [&](const std::vector<Variable>& formal,
                    const Operand* actual) {
      std::size_t given = actual == nullptr ? 0 : actual->elements.size();
      if (given != formal.size())
        e_.refuse(callee.name + " takes " + std::to_string(formal.size()) +
                  " values");
      for (std::size_t k = 0; k < formal.size(); ++k) {
        const Operand& a = actual->elements[k];
        auto variable = a.kind == Operand::Kind::symbol
                            ? e_.find_variable(a.name)
                            : std::nullopt;
        if (formal[k].space != Space::param || !variable)
          e_.refuse("parameters in registers");
        inner.variables[formal[k].name] = *variable;
      }
    };
    bind(callee.results, results);
    bind(callee.parameters, arguments);
    body(callee, inner);
    auto end = static_cast<std::uint32_t>(kernel_.code.size());
    for (std::size_t at : inner.returns) kernel_.code[at].target = end;
    if (i.guard) kernel_.code[skip].target = end;
  }

  const CompiledModule& module_;
  Kernel& kernel_;
  Emitter e_;
  std::vector<const Function*> path_;
  std::map<std::string, std::uint64_t> shared_;
  std::map<const Variable*, std::uint64_t> function_shared_;
  std::vector<std::pair<std::size_t, std::uint32_t>> indexed_;
  std::size_t dynamic_align_ = 16;
  std::uint64_t dynamic_ = 0;
};

}  // namespace

Result<Kernel> compile_kernel(const CompiledModule& module,
                              const Function& entry) {
  Kernel kernel;
  try {
    Compiler(module, kernel).entry(entry);
  } catch (const Unsupported& e) {
    return Error{e.message};
  }
  return kernel;
}

}  // namespace assay::ptx
