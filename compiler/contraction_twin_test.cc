// Products and convolutions of shapes that meet every way in which a CPU cuts
// them: each compiler's text for each target gives the graph's bits.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <random>

#include "compiler/artifact.h"
#include "compiler/graph/interpret.h"
#include "compiler/random_program.h"
#include "compiler/testing/programs.h"

namespace assay::compiler {
namespace {

// Of one call: the graph's interpreter takes its time.
constexpr std::int64_t kMostTerms = 200000;

class Contractions {
 public:
  explicit Contractions(unsigned seed) : random_(seed) {}

  // Several calls on inputs of their own, all of them returned.
  Program program(int calls) {
    for (int i = 0; i < calls; ++i) {
      const std::int64_t kind = pick(5);
      if (kind < 2) {
        product();
      } else if (kind < 4) {
        convolution();
      } else {
        pooling();
      }
    }
    program_.nodes = std::move(calls_);
    for (int i = 0; i < calls; ++i) {
      program_.outputs.push_back({program_.first_node_id() + i});
    }
    return std::move(program_);
  }

  // Numbers that cancel, few enough of the special ones that most sums are
  // finite.
  std::vector<Tensor> inputs(const Program& program) {
    std::normal_distribution<double> normal(0, 1);
    const double inf = std::numeric_limits<double>::infinity();
    const double special[] = {0.0, -0.0, inf, -inf, std::nan(""), 1e-42};
    std::vector<Tensor> out;
    for (const TensorType& t : program.inputs) {
      out.push_back(Tensor::strided(t));
      Tensor& x = out.back();
      for (std::int64_t i = 0; i < x.numel(); ++i) {
        x.set_number(i, is_float(t.dtype) ? normal(random_) : pick(1 << 20));
      }
      if (x.numel() == 0 || !is_float(t.dtype)) continue;
      for (const double s : special) x.set_number(pick(x.numel()), s);
    }
    return out;
  }

 private:
  std::int64_t pick(std::int64_t n) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n));
  }
  std::int64_t one_of(std::initializer_list<std::int64_t> values) {
    return values.begin()[pick(static_cast<std::int64_t>(values.size()))];
  }

  // Row-major, or with dimensions in another order, with gaps, or expanded.
  ValueRef input(DType t, const Shape& sizes) {
    TensorType type = TensorType::contiguous(t, sizes);
    const std::size_t last = sizes.size() - 1;
    switch (pick(5)) {
      case 0:
        std::swap(type.sizes[last], type.sizes[last - 1]);
        type = TensorType::contiguous(t, type.sizes);
        std::swap(type.sizes[last], type.sizes[last - 1]);
        std::swap(type.strides[last], type.strides[last - 1]);
        break;
      case 1:
        for (std::int64_t& s : type.strides) s *= 2;
        break;
      case 2:
        type.strides[0] = 0;
        break;
      default:
        break;
    }
    program_.inputs.push_back(std::move(type));
    return {static_cast<int>(program_.inputs.size()) - 1};
  }

  DType dtype() {
    constexpr DType kChoices[] = {DType::f32, DType::f32, DType::f32,
                                  DType::f64, DType::f16, DType::bf16,
                                  DType::i32};
    return kChoices[pick(7)];
  }

  void product() {
    const DType t = dtype();
    std::int64_t batch = 0, m = 0, n = 0, k = 0;
    do {
      batch = one_of({1, 1, 2, 5});
      m = one_of({1, 2, 3, 4, 6, 7, 13, 14, 15, 29, 64});
      // Within a vector, a tile, a block of packed panels; several of these.
      n = one_of({1, 2, 8, 15, 16, 17, 33, 47, 70, 150, 600});
      // Within a block of the order, several; and several packed depths.
      k = one_of({0, 1, 16, 63, 64, 65, 130, 257, 300, 520});
    } while (batch * m * n * k > kMostTerms);
    const ValueRef a = input(t, {batch, m, k});
    const ValueRef b = input(t, {batch, k, n});
    calls_.push_back({"aten.bmm.default", {a, b}, {}});
  }

  void convolution() {
    DType t = dtype();
    if (!is_float(t)) t = DType::f32;
    std::int64_t groups = 0, channels = 0, outs = 0, images = 0;
    Shape taps, stride, pad, dilation, extent;
    std::int64_t terms = 0;
    do {
      groups = one_of({1, 1, 2, 3});
      channels = one_of({1, 1, 3, 8, 37, 90});
      outs = one_of({1, 1, 2, 5, 16});
      images = 1 + pick(2);
      taps = {one_of({1, 2, 3, 5}), one_of({1, 3, 3, 4})};
      stride = {one_of({1, 1, 2, 3}), one_of({1, 1, 2, 3})};
      pad = {pick(4), pick(4)};
      dilation = {one_of({1, 1, 2, 3}), one_of({1, 1, 2, 4})};
      // Some are cut into bands across, and some down.
      extent = {one_of({0, 3, 9, 20, 90}), one_of({0, 7, 16, 21, 700})};
      terms = images * groups * outs * channels;
      for (const std::size_t d : {0U, 1U}) {
        terms *= taps[d] * ((extent[d] + 2 * pad[d]) / stride[d] + 1);
        extent[d] += dilation[d] * (taps[d] - 1) + 1;
      }
    } while (terms > kMostTerms);
    const ValueRef x =
        input(t, {images, groups * channels, extent[0], extent[1]});
    const ValueRef w = input(t, {groups * outs, channels, taps[0], taps[1]});
    calls_.push_back({"aten.conv2d.default",
                      {x, w, None{}, stride, pad, dilation, groups},
                      {}});
  }

  void pooling() {
    DType t = dtype();
    if (!is_float(t)) t = DType::f32;
    const Shape sizes = {1 + pick(2), 1 + pick(3), 1 + pick(30), 1 + pick(30)};
    const Shape windows = {1 + pick(8), 1 + pick(8)};
    calls_.push_back(
        {"aten.adaptive_avg_pool2d.default", {input(t, sizes), windows}, {}});
  }

  std::mt19937_64 random_;
  Program program_;
  std::vector<Node> calls_;
};

// Each compiler, fast to compile and fast to run, for each target.
std::vector<CompileOptions> ways(const std::string& cache) {
  std::vector<CompileOptions> out;
  for (const Target& target : machine_targets()) {
    for (const std::string& compiler : system_compilers()) {
      using Kind = ToolchainOptions::Program;
      for (const Kind kind : {Kind::small, Kind::large}) {
        CompileOptions o;
        o.target = target;
        o.compiler = compiler;
        o.program = kind;
        o.threads = kind == Kind::large ? 2 : 1;
        o.cache = cache;
        out.push_back(std::move(o));
      }
    }
  }
  return out;
}

void expect_the_bits_of_the_graph(const Program& program,
                                  const std::vector<Tensor>& inputs,
                                  const CompileOptions& way) {
  const Result<Imported> imported = import_program(program);
  ASSERT_TRUE(imported.ok()) << imported.error().message;
  ASSERT_FALSE(imported->refusal) << imported->refusal->message << "\n"
                                  << to_text(program);
  const std::vector<Tensor> expected = interpret(imported->body, inputs);
  const auto artifact = compiled(program, way);
  const std::vector<Tensor> got = launched(artifact.get(), inputs);
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(same_elements(got[i], expected[i]))
        << "output " << i << " by " << way.compiler << " for "
        << way.target.name << (way.threads > 1 ? ", large" : "") << "\n"
        << to_text(program);
  }
}

int programs_to_try() {
  const char* n = std::getenv("ASSAY_TWIN_PROGRAMS");
  return n != nullptr ? std::atoi(n) : 12;
}

TEST(ContractionTwin, EveryShapeGivesTheBitsOfTheGraph) {
  const std::string cache = (std::filesystem::temp_directory_path() /
                             ("assay-products-" + std::to_string(getpid())))
                                .string();
  const std::vector<CompileOptions> all = ways(cache);
  for (int seed = 0; seed < programs_to_try(); ++seed) {
    // Each program takes one of the ways.
    const auto way = static_cast<std::size_t>(seed) % all.size();
    Contractions random(static_cast<unsigned>(seed));
    const Program program = random.program(4);
    expect_the_bits_of_the_graph(program, random.inputs(program), all[way]);
  }
  std::filesystem::remove_all(cache);
}

// Some types are widened where a product reads them, others before.
TEST(ContractionTwin, OperandsAreWidenedFromEveryType) {
  std::mt19937_64 random(3);
  for (const char* t : {"bool", "u8", "i8", "i16", "f16", "bf16"}) {
    const Program program =
        parsed(fmt::format("%0 = input {}[3, 20]\n%1 = input f32[20, 40]\n"
                           "%2 = aten._to_copy.default(%0, dtype=f32)\n"
                           "%3 = aten.mm.default(%2, %1)\nreturn %3\n",
                           t));
    expect_the_bits_of_the_graph(program, random_inputs(&random, program), {});
  }
}

}  // namespace
}  // namespace assay::compiler
