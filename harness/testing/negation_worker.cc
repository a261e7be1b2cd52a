// A subject for the tests of the command line: negates f32 and f64, refuses
// bool, and fails where it is told to.
//
//   --wrong N     the first element is wrong in tensors of N elements
//   --crash N     dies on them
//   --slow MS     takes so long for every run
//   --gpu         says that its device is a GPU, and is right on the first one
//                 only
//   --flush HOW   subnormal results become zero: `all` of them, those at `even`
//                 positions, those of tensors of `seven` elements, or all with
//                 the `wrong` sign
//   --pack        says that it compiles slowly, so that cases are packed
#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "core/program_text.h"
#include "harness/workers/serve.h"

namespace assay::harness::worker {
namespace {

struct Options {
  std::int64_t wrong = -1;
  std::int64_t crash = -1;
  int slow_ms = 0;
  bool gpu = false;
  std::string flush;
  bool pack = false;
};

template <class T>
T flushed(T value, std::int64_t position, std::int64_t count,
          const std::string& how) {
  if (std::fpclassify(value) != FP_SUBNORMAL || how.empty()) return value;
  if (how == "even" && position % 2 != 0) return value;
  if (how == "seven" && count != 7) return value;
  return std::copysign(T{0}, how == "wrong" ? -value : value);
}

template <class T>
std::vector<std::byte> negated(const Region& r, bool wrong,
                               const std::string& flush) {
  const std::int64_t n = element_count(r.type.sizes);
  std::vector<T> out(static_cast<std::size_t>(n));
  Tensor places;
  places.type = r.type;
  for (std::int64_t i = 0; i < n; ++i) {
    T value;
    std::memcpy(
        &value,
        r.data + static_cast<std::size_t>(places.position(i)) * sizeof value,
        sizeof value);
    out[static_cast<std::size_t>(i)] =
        flushed(wrong && i == 0 ? value : -value, i, n, flush);
  }
  std::vector<std::byte> bytes(out.size() * sizeof(T));
  if (!out.empty()) std::memcpy(bytes.data(), out.data(), bytes.size());
  return bytes;
}

class Negations : public Executable {
 public:
  Negations(Program program, const Options& options)
      : program_(std::move(program)), options_(options) {}

  Outcome<std::vector<Produced>> run(const std::vector<Region>& inputs,
                                     const std::vector<Region>&) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(options_.slow_ms));
    std::vector<Produced> out;
    for (const ValueRef v : program_.outputs) {
      const ValueRef x = operands(program_.node(v).args[0])[0];
      const Region& r = inputs.at(static_cast<std::size_t>(x.id));
      const std::int64_t n = element_count(r.type.sizes);
      if (n == options_.crash) std::abort();
      const bool wrong = n == options_.wrong || program_.device != 0;
      auto bytes = r.type.dtype == DType::f64
                       ? negated<double>(r, wrong, options_.flush)
                       : negated<float>(r, wrong, options_.flush);
      out.push_back({TensorType::contiguous(r.type.dtype, r.type.sizes),
                     [bytes = std::move(bytes)](std::byte* to) {
                       std::memcpy(to, bytes.data(), bytes.size());
                     }});
    }
    return out;
  }

 private:
  Program program_;
  Options options_;
};

class NegationHandler : public Handler {
 public:
  explicit NegationHandler(const Options& options) : options_(options) {}

  Outcome<Hello> hello(const std::string&, const Json&) override {
    Hello h;
    h.name = "negation";
    h.version = "1";
    h.device = options_.gpu ? "cuda-sm_90" : "cpu";
    h.identity = {{"kind", "test"}};
    h.slow_compile = options_.pack;
    return h;
  }

  Outcome<std::unique_ptr<Executable>> compile(const std::string& text,
                                               const std::string&,
                                               const Json&) override {
    auto program = parse_program(text);
    if (!program) return Failure{"internal", program.error().message};
    for (const Node& node : program->nodes) {
      const ValueRef x = operands(node.args[0])[0];
      if (node.op != "aten.neg.default" || !program->is_input(x)) {
        return Failure{"unsupported", "only negation of inputs"};
      }
      if (!is_float(program->inputs[static_cast<std::size_t>(x.id)].dtype)) {
        return Failure{
            "refused", "no negative of bool", "RuntimeError", {"RuntimeError"}};
      }
    }
    return std::unique_ptr<Executable>(
        std::make_unique<Negations>(std::move(*program), options_));
  }

 private:
  Options options_;
};

int start(std::vector<std::string> args) {
  const auto descriptors = take_descriptors(&args);
  if (!descriptors) return 2;
  Options o;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const bool more = i + 1 < args.size();
    if (args[i] == "--gpu") o.gpu = true;
    if (args[i] == "--pack") o.pack = true;
    if (args[i] == "--wrong" && more) o.wrong = std::stoll(args[++i]);
    if (args[i] == "--crash" && more) o.crash = std::stoll(args[++i]);
    if (args[i] == "--flush" && more) o.flush = args[++i];
    if (args[i] == "--slow" && more) o.slow_ms = std::stoi(args[++i]);
  }
  NegationHandler handler(o);
  return serve(*descriptors, handler);
}

}  // namespace
}  // namespace assay::harness::worker

int main(int argc, char** argv) {
  return assay::harness::worker::start({argv + 1, argv + argc});
}
