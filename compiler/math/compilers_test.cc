// Every scalar operation, at numbers where compilers err: signed zeros, NaN,
// infinities, subnormals, ends and borders of formats. What each compiler makes
// of the text at each level, and the functions that were compiled ahead, must
// give the bits that the interpreter gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "compiler/blocks/blocks.h"
#include "compiler/graph/builder.h"
#include "compiler/graph/interpret.h"
#include "compiler/library/target.h"
#include "compiler/library/toolchain.h"
#include "compiler/nest/build.h"
#include "compiler/text/cpp/render.h"
#include "core/float_bits.h"

namespace assay::compiler {
namespace {

constexpr std::int64_t kCount = 4099;

// Borders first, then patterns of any magnitude, ordinary numbers and whole
// ones in turn.
Tensor numbers(DType t, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> borders = {
      0, 1, 0.5, 2, std::nan(""), std::numeric_limits<double>::infinity()};
  for (const int e : {-1074, -1022, -149, -133, -126, -30, -24, -14, 15, 23, 24,
                      31, 52, 53, 63, 127}) {
    borders.push_back(std::ldexp(1.0, e));
    borders.push_back(std::ldexp(1.5, e));
  }
  Tensor x = Tensor::zeros(t, {kCount});
  for (std::int64_t i = 0; i < kCount; ++i) {
    const auto place = static_cast<std::size_t>(i) / 2;
    const double sign = i % 2 == 0 ? 1 : -1;
    const double ordinary = std::ldexp(static_cast<double>(random()), -60);
    if (place < borders.size()) {
      x.set_bits(i, encode_float(t, sign * borders[place]));
    } else if (i % 3 == 0) {
      x.set_bits(i, random() & (t == DType::f32 ? 0xffffffffU : ~0ULL));
    } else {
      x.set_number(i, sign * (i % 3 == 1 ? ordinary : std::floor(ordinary)));
    }
  }
  return x;
}

// One output for each operation on floats of type `t`, and for each that has
// another expression where the text holds an operand. For e8m0_encode there is
// no block function.
struct Table {
  Body body;
  std::vector<ScalarOp> ops;
};
Table table_of(DType t, bool of_blocks) {
  Builder b;
  const TensorType type = TensorType::contiguous(t, {kCount});
  const std::vector<NodeId> x = {b.input(type), b.input(type), b.input(type)};
  const NodeId first_less = b.map(ScalarOp::lt, {x[0], x[1]});
  Table table;
  for (int i = 0; i < kScalarOpCount; ++i) {
    const auto op = static_cast<ScalarOp>(i);
    const ScalarOpInfo& row = info(op);
    if (!accepts(row.domain, t)) continue;
    if (of_blocks && op == ScalarOp::e8m0_encode) continue;
    std::vector<NodeId> args(x.begin(), x.begin() + row.arity);
    if (op == ScalarOp::select) args[0] = first_less;
    b.body.outputs.push_back(b.map(op, args));
    table.ops.push_back(op);
  }
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double limit :
       {0.0, -0.0, 1.0, -1.5, infinity, -infinity, std::nan("")}) {
    for (const ScalarOp op : {ScalarOp::maximum, ScalarOp::minimum}) {
      for (const bool first : {false, true}) {
        std::vector<NodeId> args = {x[0], b.scalar(t, limit)};
        if (first) std::swap(args[0], args[1]);
        b.body.outputs.push_back(b.map(op, args));
        table.ops.push_back(op);
      }
    }
  }
  table.body = b.body;
  return table;
}

// Of the interpreter and of all others. NaN has no sign and no payload.
bool agree(DType t, std::uint64_t a, std::uint64_t b) {
  const bool both_nan = is_float(t) && std::isnan(decode_float(t, a)) &&
                        std::isnan(decode_float(t, b));
  return a == b || both_nan;
}

class Compilers : public testing::TestWithParam<DType> {
 protected:
  void SetUp() override {
    inputs_ = {numbers(GetParam(), 1), numbers(GetParam(), 2),
               numbers(GetParam(), 3)};
    // Pairs of any two, and of equals.
    const Tensor others = numbers(GetParam(), 2);
    for (std::int64_t i = 0; i < kCount; i += 3) {
      inputs_[1].set_bits(i, others.bits(i * 577 % kCount));
    }
  }

  void ask(Table table) {
    table_ = std::move(table);
    nest_ = build_nest(table_.body);
    expected_ = interpret(table_.body, inputs_);
  }

  // Runs with the addresses of the nest's buffers, and compares.
  template <class F>
  void compare(const std::string& way, const F& run) {
    std::vector<Tensor> outputs;
    for (const Tensor& e : expected_) {
      outputs.push_back(Tensor::zeros(e.dtype(), e.sizes()));
    }
    std::vector<void*> addresses;
    for (const Buffer& b : nest_.buffers) {
      ASSERT_NE(b.kind, Buffer::Kind::temporary);
      const auto place = static_cast<std::size_t>(b.position);
      Tensor& t =
          b.kind == Buffer::Kind::input ? inputs_[place] : outputs[place];
      addresses.push_back(t.storage->data());
    }
    run(addresses.data());
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const std::string_view name = info(table_.ops[o]).name;
      for (std::int64_t i = 0; i < kCount; ++i) {
        const DType t = outputs[o].dtype();
        ASSERT_TRUE(agree(t, outputs[o].bits(i), expected_[o].bits(i)))
            << way << ": " << name << "(" << inputs_[0].number(i) << ", "
            << inputs_[1].number(i) << ", " << inputs_[2].number(i) << ") is "
            << outputs[o].number(i) << ", by the interpreter "
            << expected_[o].number(i);
      }
    }
  }

  Table table_;
  Nest nest_;
  std::vector<Tensor> inputs_;
  std::vector<Tensor> expected_;
};

TEST_P(Compilers, GiveTheInterpretersBits) {
  using Size = ToolchainOptions::Program;
  ask(table_of(GetParam(), false));
  const CppText text = render(nest_, FixedSizes::short_loops, {});
  std::vector<std::int64_t> sizes;
  for (const SizeParameter& p : text.sizes) sizes.push_back(p.value);
  const std::string cache = (std::filesystem::temp_directory_path() /
                             ("assay-compilers-" + std::to_string(getpid())))
                                .string();
  for (const std::string& compiler : system_compilers()) {
    for (const Target& target : machine_targets()) {
      for (const Size size : {Size::small, Size::large}) {
        // Other targets differ in little but the widths of vectors.
        const bool first = &target == &machine_targets().front();
        if (!first && size == Size::large) continue;
        ToolchainOptions options;
        options.compiler = compiler;
        options.march = target.march;
        options.program = size;
        options.cache = cache;
        const auto library = load_kernels(text.text, options);
        ASSERT_TRUE(library.ok()) << library.error().message;
        const std::string way =
            compiler + (size == Size::small ? " -O1 " : " -O3 ") + target.name;
        compare(way, [&](void** addresses) {
          const KernelFunction* kernel = (*library)->kernels();
          for (const KernelRange& r : text.kernels) {
            (*kernel++)(addresses, sizes.data() + r.first_size, 0, r.parts);
          }
        });
      }
    }
  }
  std::filesystem::remove_all(cache);
}

TEST_P(Compilers, BlockFunctionsGiveTheInterpretersBits) {
  ask(table_of(GetParam(), true));
  for (const Target& target : machine_targets()) {
    const BlockFunctions* functions = block_functions(target.march);
    if (functions == nullptr) continue;
    for (const ScalarOp op : table_.ops) {
      EXPECT_NE(functions->apply(op, GetParam()), nullptr) << info(op).name;
    }
    const auto blocks = Blocks::make(nest_, *functions);
    ASSERT_NE(blocks, nullptr) << target.name;
    compare("blocks " + target.name,
            [&](void** addresses) { blocks->run(addresses); });
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Compilers,
                         testing::Values(DType::f32, DType::f64),
                         [](const auto& tested) {
                           return std::string(dtype_name(tested.param));
                         });

}  // namespace
}  // namespace assay::compiler
