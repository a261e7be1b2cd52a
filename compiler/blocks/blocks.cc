#include "compiler/blocks/blocks.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "compiler/graph/accumulate.h"
#include "compiler/graph/step.h"
#include "compiler/nest/needed.h"

namespace assay::compiler {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// Measured on a slow machine: of a call, of an element of a cheap function, of
// a costly one, and of an index that is computed for each element.
constexpr std::int64_t kCallCost = 20;
constexpr double kElementCost = 0.5;
constexpr double kCostlyCost = 5;
constexpr double kIndexCost = 60;

}  // namespace

Blocks::Access Blocks::access_of(const IndexExpr& e, const Loops& loops) {
  Access a;
  if (!e.is_affine()) {
    a.general = &e;
    return a;
  }
  a.at = e.constant;
  a.along.assign(loops.outer.size(), 0);
  for (const IndexTerm& t : e.terms) {
    const std::size_t v = at(t.atom.variable);
    if (v == loops.inner) {
      a.stride = t.factor;
    } else if (v < a.along.size()) {
      a.along[v] = t.factor;
    }  // else it is the row of a kernel without rows
  }
  return a;
}

bool Blocks::add_step(const Value& v, const BlockFunctions& f, Loops* loops) {
  Step s;
  s.value = &v;
  s.size = size_bytes(v.dtype);
  s.load = f.load(v.dtype);
  if (s.load == nullptr) return false;
  const auto operand = [&](int a) {
    return loops->kernel->values[at(a)].dtype;
  };
  switch (v.kind) {
    case Value::Kind::load:
    case Value::Kind::gather:
    case Value::Kind::index:
      s.access = access_of(v.at, *loops);
      break;
    case Value::Kind::apply:
      s.function = f.apply(v.op, operand(v.args.back()));
      if (s.function == nullptr) return false;
      break;
    case Value::Kind::cast:
    case Value::Kind::convert:
      s.function = f.cast(operand(v.args[0]), v.dtype);
      if (s.function == nullptr) return false;
      break;
    case Value::Kind::scalar:
    case Value::Kind::reduced:
      break;
  }
  loops->steps.push_back(std::move(s));
  return true;
}

bool Blocks::add_stage(const Stage& s, const BlockFunctions& f, Loops* loops) {
  StageStep step;
  step.stage = &s;
  const std::vector<bool> needed = needed_by(*loops->kernel, s);
  for (std::size_t i = 0; i < needed.size(); ++i) {
    if (needed[i]) step.needed.push_back(static_cast<int>(i));
  }
  const DType t = loops->kernel->values[at(s.value)].dtype;
  if (s.buffer >= 0) {
    step.access = access_of(s.at, *loops);
    step.store = f.store(t);
    if (step.store == nullptr) return false;
  }
  if (s.kind == Stage::Kind::reduce) {
    step.reduce = f.reduce(s.combiner, s.order, t);
    step.identity = identity_of(s.combiner, t);
    if (step.reduce.add == nullptr) return false;
  }
  loops->stages.push_back(std::move(step));
  return true;
}

bool Blocks::add(const LoopKernel& k, const Nest& nest,
                 const BlockFunctions& f) {
  Loops loops;
  loops.kernel = &k;
  loops.outer = k.outer;
  loops.inner = k.outer.size();
  if (k.has_row) {
    loops.extent = k.row;
  } else if (!k.outer.empty()) {
    --loops.inner;
    loops.extent = k.outer.back();
    loops.outer.pop_back();
  }
  for (const Value& v : k.values) {
    if (!add_step(v, f, &loops)) return false;
    if (v.buffer >= 0 && nest.buffers[at(v.buffer)].type.dtype != v.dtype) {
      return false;
    }
  }
  for (const Stage& s : k.stages) {
    if (!add_stage(s, f, &loops)) return false;
  }
  count(loops);
  kernels_.push_back(std::move(loops));
  return true;
}

void Blocks::count(const Loops& loops) {
  const std::int64_t rows = element_count(loops.outer);
  const std::int64_t calls = (loops.extent + kBlock - 1) / kBlock;
  for (const StageStep& stage : loops.stages) {
    const bool once = stage.stage->kind == Stage::Kind::row;
    double element = kElementCost;
    for (const int id : stage.needed) {
      const Step& s = loops.steps[at(id)];
      const Value& v = *s.value;
      const bool general = s.access.general != nullptr;
      const bool costly = v.kind == Value::Kind::gather ||
                          (v.kind == Value::Kind::apply && info(v.op).costly) ||
                          s.access.stride > 1;
      element += general ? kIndexCost : costly ? kCostlyCost : kElementCost;
    }
    const double all =
        element * static_cast<double>(once ? 1 : loops.extent) +
        static_cast<double>(kCallCost * (once ? 1 : calls) *
                            static_cast<std::int64_t>(stage.needed.size() + 1));
    nanoseconds_ += static_cast<std::int64_t>(all * static_cast<double>(rows));
  }
}

std::unique_ptr<const Blocks> Blocks::make(const Nest& nest,
                                           const BlockFunctions& functions) {
  std::unique_ptr<Blocks> b(new Blocks);
  for (const Buffer& buffer : nest.buffers) {
    b->sizes_.push_back(size_bytes(buffer.type.dtype));
  }
  for (const Kernel& k : nest.kernels) {
    const auto* loops = std::get_if<LoopKernel>(&k);
    if (loops == nullptr || !b->add(*loops, nest, functions)) return nullptr;
  }
  return b;
}

// One run of one kernel.
class Blocks::Run {
 public:
  Run(const Loops& loops, const std::vector<int>& sizes, void* const* addresses)
      : loops_(loops),
        sizes_(sizes),
        addresses_(addresses),
        places_(loops.steps.size()),
        point_(loops.kernel->outer.size() + 1, 0),
        reduced_(loops.stages.size(), 0) {
    const std::size_t bytes = kBlock * sizeof(std::uint64_t);
    room_ = std::make_unique<std::byte[]>(bytes * loops.steps.size());
    for (std::size_t i = 0; i < loops.steps.size(); ++i) {
      own_.push_back(room_.get() + i * bytes);
      const Step& s = loops.steps[i];
      if (s.value->kind != Value::Kind::scalar) continue;
      s.load(&s.value->bits, 0, own_[i], kBlock);
      places_[i] = own_[i];
    }
  }

  void run() {
    if (element_count(loops_.kernel->outer) == 0) return;
    Shape outer(loops_.outer.size(), 0);
    do {
      std::copy(outer.begin(), outer.end(), point_.begin());
      if (loops_.kernel->has_row) {
        for (std::size_t s = 0; s < loops_.stages.size(); ++s) run_row(s);
      } else {
        each_block([&](std::int64_t from, long n) {
          for (const StageStep& s : loops_.stages) {
            compute(s, from, n);
            store(s, from, places_[at(s.stage->value)], n);
          }
        });
      }
    } while (advance(&outer, loops_.outer));
  }

 private:
  template <class F>
  void each_block(const F& f) {
    for (std::int64_t from = 0; from < loops_.extent; from += kBlock) {
      f(from, static_cast<long>(
                  std::min<std::int64_t>(kBlock, loops_.extent - from)));
    }
  }

  void run_row(std::size_t i) {
    const StageStep& s = loops_.stages[i];
    const void* const& value = places_[at(s.stage->value)];
    switch (s.stage->kind) {
      case Stage::Kind::row:
        compute(s, 0, 1);
        store(s, 0, value, 1);
        break;
      case Stage::Kind::point:
        each_block([&](std::int64_t from, long n) {
          compute(s, from, n);
          store(s, from, value, n);
        });
        break;
      case Stage::Kind::reduce:
        s.reduce.begin(state_.data(), &s.identity);
        each_block([&](std::int64_t from, long n) {
          compute(s, from, n);
          s.reduce.add(state_.data(), value, n);
        });
        s.reduce.end(state_.data(), &reduced_[i]);
        if (s.store != nullptr) store(s, 0, &reduced_[i], 1);
        break;
    }
  }

  // The place of the block's first element.
  std::int64_t place(const Access& a, std::int64_t from) {
    if (a.general != nullptr) {
      point_[loops_.inner] = from;
      return evaluate(*a.general, point_);
    }
    std::int64_t p = a.at + a.stride * from;
    for (std::size_t d = 0; d < a.along.size(); ++d)
      p += a.along[d] * point_[d];
    return p;
  }

  std::byte* address(int buffer, std::int64_t place) const {
    return static_cast<std::byte*>(addresses_[at(buffer)]) +
           place * sizes_[at(buffer)];
  }

  // Where the block's elements are, one after another.
  void compute(const StageStep& stage, std::int64_t from, long n) {
    for (const int id : stage.needed) {
      const Step& s = loops_.steps[at(id)];
      const Value& v = *s.value;
      void* const own = own_[at(id)];
      if (v.kind != Value::Kind::scalar) places_[at(id)] = own;
      switch (v.kind) {
        case Value::Kind::load:
          load(s, id, from, n);
          break;
        case Value::Kind::gather:
          gather(s, own, from, n);
          break;
        case Value::Kind::index:
          index(s.access, static_cast<std::int64_t*>(own), from, n);
          break;
        case Value::Kind::reduced:
          s.load(&reduced_[at(v.stage)], 0, own, n);
          break;
        case Value::Kind::scalar:
          break;
        case Value::Kind::apply:
        case Value::Kind::cast:
        case Value::Kind::convert: {
          std::array<const void*, 3> args{};
          for (std::size_t i = 0; i < v.args.size(); ++i) {
            args[i] = places_[at(v.args[i])];
          }
          s.function(args.data(), own, n);
          break;
        }
      }
    }
  }

  void load(const Step& s, int id, std::int64_t from, long n) {
    const Value& v = *s.value;
    std::byte* const own = own_[at(id)];
    if (s.access.general != nullptr) {
      index(s.access, indices_.data(), from, n);
      for (long i = 0; i < n; ++i) {
        s.load(address(v.buffer, indices_[at(i)]), 0, own + i * s.size, 1);
      }
      return;
    }
    const std::byte* const first = address(v.buffer, place(s.access, from));
    // What is in order is read where it is; of a bool any byte may be there.
    if (s.access.stride == 1 && v.dtype != DType::boolean) {
      places_[at(id)] = first;
    } else {
      s.load(first, s.access.stride, own, n);
    }
  }

  void gather(const Step& s, void* own, std::int64_t from, long n) {
    const Value& v = *s.value;
    index(s.access, indices_.data(), from, n);
    for (std::size_t d = 0; d < v.rows.size(); ++d) {
      const auto* rows =
          static_cast<const std::int64_t*>(places_[at(v.args[d])]);
      for (long i = 0; i < n; ++i) {
        const bool inside = rows[i] >= 0 && rows[i] < v.rows[d];
        indices_[at(i)] += inside ? rows[i] * v.row_strides[d] : 0;
      }
    }
    for (long i = 0; i < n; ++i) {
      s.load(address(v.buffer, indices_[at(i)]), 0,
             static_cast<std::byte*>(own) + i * s.size, 1);
    }
  }

  void index(const Access& a, std::int64_t* out, std::int64_t from, long n) {
    if (a.general == nullptr) {
      const std::int64_t first = place(a, from);
      for (long i = 0; i < n; ++i) out[i] = first + a.stride * i;
    } else if (!a.general->uses(static_cast<int>(loops_.inner))) {
      std::fill_n(out, n, place(a, from));
    } else {
      for (long i = 0; i < n; ++i) out[i] = place(a, from + i);
    }
  }

  void store(const StageStep& s, std::int64_t from, const void* value, long n) {
    const int b = s.stage->buffer;
    if (s.access.general == nullptr) {
      s.store(value, address(b, place(s.access, from)), s.access.stride, n);
      return;
    }
    const int size = sizes_[at(b)];
    for (long i = 0; i < n; ++i) {
      s.store(static_cast<const std::byte*>(value) + i * size,
              address(b, place(s.access, from + i)), 1, 1);
    }
  }

  const Loops& loops_;
  const std::vector<int>& sizes_;
  void* const* addresses_;
  std::unique_ptr<std::byte[]> room_;
  std::vector<std::byte*> own_;      // of each value, a block of room
  std::vector<const void*> places_;  // of each value: there, or in a buffer
  Shape point_;
  std::vector<std::uint64_t> reduced_;
  std::array<std::int64_t, kBlock> indices_{};
  alignas(kReductionAlignment) std::array<std::byte, kReductionBytes> state_{};
};

void Blocks::run(void* const* addresses) const {
  for (const Loops& k : kernels_) Run(k, sizes_, addresses).run();
}

}  // namespace assay::compiler
