#include "compiler/nest/verify.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::compiler {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

class NestRules {
 public:
  explicit NestRules(const Nest& nest) : nest_(nest) {
    for (const Buffer& b : nest.buffers) {
      written_.push_back(b.kind == Buffer::Kind::input ||
                         b.kind == Buffer::Kind::constant ||
                         element_count(b.type.sizes) == 0);
    }
  }

  std::string check() {
    for (std::size_t k = 0; k < nest_.kernels.size(); ++k) {
      const Kernel& kernel = nest_.kernels[k];
      const std::string fault = std::holds_alternative<LoopKernel>(kernel)
                                    ? loops(std::get<LoopKernel>(kernel))
                                    : contraction(std::get<NodeKernel>(kernel));
      if (!fault.empty()) return fmt::format("kernel {}: {}", k, fault);
    }
    for (const int o : nest_.outputs) {
      if (o < 0 || at(o) >= nest_.buffers.size() || !written_[at(o)]) {
        return "an output is not written";
      }
    }
    return "";
  }

 private:
  std::string access(int buffer, std::int64_t most, bool store) {
    if (buffer < 0 || at(buffer) >= nest_.buffers.size()) {
      return "no such buffer";
    }
    const Buffer& b = nest_.buffers[at(buffer)];
    if (most >= b.type.span()) {
      return fmt::format("reaches element {} of a buffer of {}", most,
                         b.type.span());
    }
    if (store &&
        (b.kind == Buffer::Kind::input || b.kind == Buffer::Kind::constant)) {
      return "writes to an input";
    }
    if (!store && !written_[at(buffer)]) return "reads before the write";
    return "";
  }

  std::string value(const LoopKernel& k, const Value& v, int id) {
    for (const int a : v.args) {
      if (a < 0 || a >= id) return "an operand that is not defined before it";
    }
    const auto dtype = [&](std::size_t i) {
      return k.values[at(v.args[i])].dtype;
    };
    switch (v.kind) {
      case Value::Kind::load:
      case Value::Kind::gather:
        if (nest_.buffers[at(v.buffer)].type.dtype != v.dtype) {
          return "loads another dtype";
        }
        return v.kind == Value::Kind::gather ? rows(k, v) : "";
      case Value::Kind::scalar:
        return v.args.empty() ? "" : "a scalar has no operands";
      case Value::Kind::apply: {
        const ScalarOpInfo& op = info(v.op);
        if (v.args.size() != at(op.arity)) return "operand count";
        const std::size_t from = v.op == ScalarOp::select ? 1 : 0;
        for (std::size_t i = from; i < v.args.size(); ++i) {
          if (dtype(i) != dtype(from) || !accepts(op.domain, dtype(i))) {
            return fmt::format("{} of {}", op.name, dtype_name(dtype(i)));
          }
        }
        const DType result = result_of(v.op, dtype(from));
        return v.dtype == result ? "" : "another result dtype";
      }
      case Value::Kind::cast:
        if (v.args.size() != 1 || !is_cast(v.cast)) return "not a cast";
        return is_lossy_cast(v.cast) == (v.cast_id > 0) ? "" : "cast id";
      case Value::Kind::convert:
        return v.args.size() == 1 ? "" : "operand count";
      case Value::Kind::index:
        return v.dtype == DType::i64 ? "" : "an index is an i64";
      case Value::Kind::reduced:
        return v.stage >= 0 && at(v.stage) < k.stages.size() &&
                       k.stages[at(v.stage)].kind == Stage::Kind::reduce
                   ? ""
                   : "no such reduction";
    }
    return "";
  }

  static std::string rows(const LoopKernel& k, const Value& v) {
    if (v.args.empty() || v.args.size() > kMostRows ||
        v.rows.size() != v.args.size() ||
        v.row_strides.size() != v.args.size()) {
      return "a row, a limit and a stride go together";
    }
    for (const int a : v.args) {
      if (k.values[at(a)].dtype != DType::i64)
        return "a row is named by an i64";
    }
    return "";
  }

  // Accesses of value `id` and its operands, as read in stage `s`.
  std::string reads(const LoopKernel& k, int id, std::size_t s,
                    std::vector<bool>* seen) {
    if ((*seen)[at(id)]) return "";
    (*seen)[at(id)] = true;
    const Value& v = k.values[at(id)];
    const bool row_stage = k.stages[s].kind == Stage::Kind::row;
    if (row_stage && v.at.uses(static_cast<int>(k.outer.size()))) {
      return "a per-row stage looks into the row";
    }
    if (v.kind == Value::Kind::load || v.kind == Value::Kind::gather) {
      std::int64_t most = largest(v.at, k.extents());
      if (v.kind == Value::Kind::gather) {
        for (std::size_t d = 0; d < v.rows.size(); ++d) {
          most += std::max<std::int64_t>(v.rows[d] - 1, 0) * v.row_strides[d];
        }
      }
      const std::string fault = access(v.buffer, most, false);
      if (!fault.empty()) return fault;
    }
    if (v.kind == Value::Kind::reduced && at(v.stage) >= s) {
      return "reads a later reduction";
    }
    for (const int a : v.args) {
      const std::string fault = reads(k, a, s, seen);
      if (!fault.empty()) return fault;
    }
    return "";
  }

  std::string loops(const LoopKernel& k) {
    const Shape extents = k.extents();
    const bool empty =
        std::find(extents.begin(), extents.end(), 0) != extents.end();
    for (std::size_t i = 0; i < k.values.size(); ++i) {
      const std::string fault = value(k, k.values[i], static_cast<int>(i));
      if (!fault.empty()) return fmt::format("value {}: {}", i, fault);
    }
    for (std::size_t s = 0; s < k.stages.size(); ++s) {
      const Stage& stage = k.stages[s];
      if (stage.kind != Stage::Kind::point && !k.has_row) return "no row";
      std::vector<bool> seen(k.values.size(), false);
      std::string fault = empty ? "" : reads(k, stage.value, s, &seen);
      if (fault.empty() && stage.buffer >= 0) {
        fault = access(stage.buffer, largest(stage.at, extents), true);
        if (nest_.buffers[at(stage.buffer)].type.dtype !=
            k.values[at(stage.value)].dtype) {
          fault = "stores another dtype";
        }
        written_[at(stage.buffer)] = true;
      }
      if (stage.kind != Stage::Kind::reduce && stage.buffer < 0) {
        fault = "a value that goes nowhere";
      }
      if (!fault.empty()) return fmt::format("stage {}: {}", s, fault);
    }
    return "";
  }

  std::string contraction(const NodeKernel& k) {
    for (std::size_t i = 0; i < k.operands.size(); ++i) {
      const BufferView& v = k.operands[i];
      std::int64_t most = v.offset;
      bool empty = false;
      for (std::size_t d = 0; d < v.strides.size(); ++d) {
        empty = empty || k.operand_sizes[i][d] == 0;
        most += v.strides[d] * (k.operand_sizes[i][d] - 1);
      }
      if (empty) continue;
      const std::string fault = access(v.buffer, most, false);
      if (!fault.empty()) return fault;
      const DType read = nest_.buffers[at(v.buffer)].type.dtype;
      const DType wide = k.node.type.dtype;
      if (widens(k.node.op) && read != wide && !is_lossless(read, wide)) {
        return "an operand that would be narrowed";
      }
    }
    written_[at(k.result)] = true;
    return "";
  }

  const Nest& nest_;
  std::vector<bool> written_;
};

}  // namespace

Status verify(const Nest& nest) {
  const std::string fault = NestRules(nest).check();
  if (fault.empty()) return success();
  return Error{"nest: " + fault};
}

}  // namespace assay::compiler
