#include "compiler/nest/interpret.h"

#include <array>

#include "compiler/graph/accumulate.h"
#include "compiler/graph/apply.h"
#include "compiler/graph/interpret.h"
#include "compiler/graph/step.h"
#include "compiler/nest/needed.h"
#include "kit/cast_bits.h"

namespace assay::compiler {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

class NestInterpreter {
 public:
  NestInterpreter(const Nest& nest, const std::vector<Tensor>& constants,
                  const std::vector<Tensor>& inputs)
      : nest_(nest) {
    for (const Buffer& b : nest.buffers) {
      const auto place = at(b.position);
      if (b.kind == Buffer::Kind::input) {
        buffers_.push_back(inputs[place]);
      } else if (b.kind == Buffer::Kind::constant) {
        buffers_.push_back(constants[place].contiguous());
      } else {
        buffers_.push_back(Tensor::strided(b.type));
      }
    }
  }

  std::vector<Tensor> run() {
    for (const Kernel& k : nest_.kernels) {
      if (const auto* loops = std::get_if<LoopKernel>(&k)) {
        run(*loops);
      } else {
        run(std::get<NodeKernel>(k));
      }
    }
    std::vector<Tensor> out;
    for (const int o : nest_.outputs) out.push_back(buffers_[at(o)]);
    return out;
  }

 private:
  // A buffer's elements by their place in storage.
  Tensor flat(int buffer) const {
    Tensor t = buffers_[at(buffer)];
    t.type.sizes = {t.type.span()};
    t.type.strides = {1};
    return t;
  }

  // The bits of values at a point, by number.
  using Bits = std::vector<std::uint64_t>;

  // Value `v` of `k`, whose operands are in `bits`.
  std::uint64_t evaluate(const LoopKernel& k, const Value& v,
                         const Shape& point, const Bits& reduced,
                         const Bits& bits) const {
    std::array<std::uint64_t, kMostRows> args{};
    static_assert(kMostRows >= 3);  // as a choice has
    for (std::size_t i = 0; i < v.args.size(); ++i) {
      args[i] = bits[at(v.args[i])];
    }
    switch (v.kind) {
      case Value::Kind::load:
        return flat(v.buffer).bits(assay::compiler::evaluate(v.at, point));
      case Value::Kind::gather: {
        std::int64_t place = assay::compiler::evaluate(v.at, point);
        for (std::size_t d = 0; d < v.rows.size(); ++d) {
          const auto row = static_cast<std::int64_t>(args[d]);
          if (row >= 0 && row < v.rows[d]) place += row * v.row_strides[d];
        }
        return flat(v.buffer).bits(place);
      }
      case Value::Kind::scalar:
        return v.bits;
      case Value::Kind::apply:
        return apply(v.op, k.values[at(v.args.back())].dtype, args.data());
      case Value::Kind::index:
        return static_cast<std::uint64_t>(
            assay::compiler::evaluate(v.at, point));
      case Value::Kind::cast:
      case Value::Kind::convert:
        return kit::cast_bits(k.values[at(v.args[0])].dtype, args[0], v.dtype);
      case Value::Kind::reduced:
        return reduced[at(v.stage)];
    }
    return 0;
  }

  void run(const LoopKernel& k) {
    for (const std::int64_t e : k.outer) {
      if (e == 0) return;
    }
    std::vector<std::vector<bool>> needed;
    for (const Stage& s : k.stages) needed.push_back(needed_by(k, s));
    Shape point(k.outer.size() + 1, 0);
    do {
      Bits reduced(k.stages.size(), 0);
      for (std::size_t s = 0; s < k.stages.size(); ++s) {
        run_stage(k, s, needed[s], &point, &reduced);
      }
    } while (advance(&point, k.outer));
  }

  void run_stage(const LoopKernel& k, std::size_t s,
                 const std::vector<bool>& needed, Shape* point, Bits* reduced) {
    const Stage& stage = k.stages[s];
    Bits bits(k.values.size(), 0);
    const std::int64_t row =
        stage.kind == Stage::Kind::row || !k.has_row ? 1 : k.row;
    Accumulator sum(stage.combiner, stage.order,
                    k.values[at(stage.value)].dtype);
    std::int64_t& r = point->back();
    for (r = 0; r < row; ++r) {
      for (std::size_t i = 0; i < bits.size(); ++i) {
        if (!needed[i]) continue;
        bits[i] = evaluate(k, k.values[i], *point, *reduced, bits);
      }
      const std::uint64_t v = bits[at(stage.value)];
      if (stage.kind == Stage::Kind::reduce) {
        sum.add(v);
      } else {
        flat(stage.buffer)
            .set_bits(assay::compiler::evaluate(stage.at, *point), v);
      }
    }
    r = 0;
    if (stage.kind != Stage::Kind::reduce) return;
    (*reduced)[s] = sum.result();
    if (stage.buffer >= 0) {
      flat(stage.buffer)
          .set_bits(assay::compiler::evaluate(stage.at, *point), (*reduced)[s]);
    }
  }

  // A contraction is the graph's own node over the operands as they lie.
  void run(const NodeKernel& k) {
    Body body;
    std::vector<Tensor> inputs;
    GraphNode node = k.node;
    for (std::size_t i = 0; i < k.operands.size(); ++i) {
      Tensor t = buffers_[at(k.operands[i].buffer)];
      t.offset += k.operands[i].offset;
      t.type.sizes = k.operand_sizes[i];
      t.type.strides = k.operands[i].strides;
      GraphNode in;
      in.type = {t.dtype(), t.sizes()};
      in.attr = {static_cast<std::int64_t>(i)};
      body.inputs.push_back(t.type);
      body.nodes.push_back(in);
      node.args[i] = static_cast<NodeId>(body.nodes.size()) - 1;
      if (widens(k.node.op) && t.dtype() != node.type.dtype) {
        GraphNode wide;
        wide.op = Op::widen;
        wide.args = {node.args[i]};
        wide.type = {node.type.dtype, t.sizes()};
        body.nodes.push_back(wide);
        node.args[i] = static_cast<NodeId>(body.nodes.size()) - 1;
      }
      inputs.push_back(std::move(t));
    }
    body.nodes.push_back(node);
    body.outputs = {static_cast<NodeId>(body.nodes.size()) - 1};
    const Tensor out = interpret(body, inputs)[0];
    Tensor result = flat(k.result);
    for (std::int64_t i = 0; i < out.numel(); ++i) {
      result.set_bits(i, out.bits(i));
    }
  }

  const Nest& nest_;
  std::vector<Tensor> buffers_;
};

}  // namespace

std::vector<Tensor> interpret(const Nest& nest,
                              const std::vector<Tensor>& constants,
                              const std::vector<Tensor>& inputs) {
  return NestInterpreter(nest, constants, inputs).run();
}

}  // namespace assay::compiler
