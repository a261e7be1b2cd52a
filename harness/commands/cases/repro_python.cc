#include "harness/commands/cases/repro_python.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/program_text.h"
#include "core/text.h"
#include "harness/commands/cases/repro_library_template.h"
#include "harness/commands/cases/repro_template.h"
#include "reference/golden/element_ranges.h"

namespace assay::harness {
namespace {

// Up to here bit patterns are written one by one; beyond, as one hex string.
constexpr std::size_t kListed = 64;

const char* torch_dtype(DType t) {
  switch (t) {
    case DType::f64:
      return "torch.float64";
    case DType::f32:
      return "torch.float32";
    case DType::f16:
      return "torch.float16";
    case DType::bf16:
      return "torch.bfloat16";
    case DType::f8e4m3fn:
      return "torch.float8_e4m3fn";
    case DType::f8e5m2:
      return "torch.float8_e5m2";
    case DType::f8e4m3fnuz:
      return "torch.float8_e4m3fnuz";
    case DType::f8e5m2fnuz:
      return "torch.float8_e5m2fnuz";
    case DType::f8e8m0fnu:
      return "torch.float8_e8m0fnu";
    case DType::u8:
      return "torch.uint8";
    case DType::i8:
      return "torch.int8";
    case DType::i16:
      return "torch.int16";
    case DType::i32:
      return "torch.int32";
    case DType::i64:
      return "torch.int64";
    case DType::u16:
      return "torch.uint16";
    case DType::u32:
      return "torch.uint32";
    case DType::u64:
      return "torch.uint64";
    case DType::boolean:
      return "torch.bool";
    case DType::c64:
      return "torch.complex64";
    case DType::c128:
      return "torch.complex128";
  }
  return "?";
}

// Of numpy, or of ml_dtypes, which has those that numpy lacks.
std::string numpy_dtype(DType t) {
  if (t == DType::boolean) return "np.bool_";
  const std::string name =
      std::string(torch_dtype(t)).substr(sizeof "torch." - 1);
  const bool lacking = t == DType::bf16 || name.starts_with("float8");
  return (lacking ? "ml_dtypes." : "np.") + name;
}

std::string python_string(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true,
                                   nlohmann::json::error_handler_t::replace);
}

std::string python_float(double value) {
  if (std::isnan(value)) return "float('nan')";
  if (std::isinf(value)) return value < 0 ? "float('-inf')" : "float('inf')";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

// `from` is a word of Python: aten.random_.from is no name there.
std::string python_overload(const std::string& op) {
  const std::size_t dot = op.rfind('.');
  if (op.substr(dot + 1) != "from") return "torch.ops." + op;
  return fmt::format("getattr(torch.ops.{}, 'from')", op.substr(0, dot));
}

std::string python_value(ValueRef v, const Program& program) {
  const char* kind = program.is_input(v)      ? "x"
                     : program.is_constant(v) ? "c"
                                              : "v";
  return fmt::format("{}{}", kind, v.id);
}

// `count` bit patterns of `width` bytes each: a list of integers, or one
// string of little-endian bytes.
template <class BitsAt>
std::string python_bits(std::size_t count, std::size_t width, BitsAt bits_at) {
  if (count <= kListed) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < count; ++i) {
      words.push_back(fmt::format("{:#0{}x}", bits_at(i), 2 + 2 * width));
    }
    return fmt::format("[{}]", fmt::join(words, ", "));
  }
  std::string hex;
  hex.reserve(2 * count * width);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = bits_at(i);
    for (std::size_t b = 0; b < width; ++b) {
      fmt::format_to(std::back_inserter(hex), "{:02x}",
                     (bits >> (8 * b)) & 0xff);
    }
  }
  return "\"" + hex + "\"";
}

// The whole storage, so that strides, offsets and overlaps are as they were.
std::string python_tensor(const Tensor& t, const std::string& dtype) {
  const auto width = static_cast<std::size_t>(size_bytes(component(t.dtype())));
  const std::size_t count = t.storage->size() / width;
  const std::string bits = python_bits(count, width, [&](std::size_t i) {
    std::uint64_t value = 0;
    for (std::size_t b = 0; b < width; ++b) {
      const auto byte =
          std::to_integer<std::uint64_t>((*t.storage)[i * width + b]);
      value |= byte << (8 * b);
    }
    return value;
  });
  return fmt::format("tensor({}, {}, {}, {}, {})", dtype, shape_text(t.sizes()),
                     shape_text(t.type.strides), t.offset, bits);
}

std::string elements(const Tensor& whole) {
  const Tensor t = components(whole);
  return python_bits(
      static_cast<std::size_t>(t.numel()),
      static_cast<std::size_t>(size_bytes(t.dtype())),
      [&](std::size_t i) { return t.bits(static_cast<std::int64_t>(i)); });
}

// Flags of an element's set, as repro_template.h reads them.
std::uint64_t flags(const reference::ElementSet& e) {
  return (e.has_values ? 1u : 0u) | (e.nan ? 2u : 0u) |
         (e.any_zero_sign ? 4u : 0u) | (e.unspecified ? 8u : 0u);
}

std::string python_sets(const ReproSets& sets) {
  const reference::GoldenOutput& g = sets.golden;
  const auto width = static_cast<std::size_t>(size_bytes(g.type.dtype));
  const std::size_t n = g.elements.size();
  std::string given;
  for (const auto& [k, t] : sets.given) {
    given += fmt::format("{}: {}, ", k, elements(t));
  }
  std::string pieces;
  for (std::size_t i = 0; i < n; ++i) {
    if (!g.elements[i].pieces) continue;
    const auto ranges = reference::ranges_of(g.elements[i]);
    const auto end = [&ranges](std::size_t k) {
      return k % 2 == 0 ? ranges[k / 2].lo : ranges[k / 2].hi;
    };
    pieces +=
        fmt::format("{}: {}, ", i, python_bits(2 * ranges.size(), width, end));
  }
  return fmt::format(
      "    dict(given={{{}}},\n         pieces={{{}}},\n         lo={},\n"
      "         hi={},\n         flags={}),\n",
      given, pieces,
      python_bits(n, width, [&](std::size_t i) { return g.elements[i].lo; }),
      python_bits(n, width, [&](std::size_t i) { return g.elements[i].hi; }),
      python_bits(n, 1, [&](std::size_t i) { return flags(g.elements[i]); }));
}

// A function within a function, so that constants are captured.
std::string python_function(const ReproInput& in) {
  const Program& p = in.source->program;
  std::vector<std::string> inputs, constants;
  for (int i = 0; i < p.first_node_id(); ++i) {
    const ValueRef v{i};
    (p.is_input(v) ? inputs : constants).push_back(python_value(v, p));
  }
  std::string out =
      fmt::format("def make({}):\n    def program({}):\n",
                  fmt::join(constants, ", "), fmt::join(inputs, ", "));
  for (std::size_t n = 0; n < p.nodes.size(); ++n) {
    const Node& node = p.nodes[n];
    const int id = p.first_node_id() + static_cast<int>(n);
    if (const auto further = further_output(node)) {
      out += fmt::format("        v{} = r{}[{}]\n", id, further->call.id,
                         further->output);
      continue;
    }
    std::vector<std::string> args;
    for (const Arg& a : node.args) args.push_back(python_arg(a, p));
    for (const auto& [name, a] : node.kwargs) {
      // Python has objects for these, not names; what is none stays as it is.
      const auto* word = std::get_if<std::string>(&a);
      const bool object = word != nullptr && *word != "unknown" &&
                          (name == "memory_format" || name == "layout");
      args.push_back(name + "=" +
                     (object ? "torch." + *word : python_arg(a, p)));
    }
    const bool several =
        output_count(p, {id}) > 1 || in.lists.contains(node.op);
    out += fmt::format("        {}{} = {}({})\n", several ? "r" : "v", id,
                       python_overload(node.op), fmt::join(args, ", "));
    if (several) out += fmt::format("        v{} = r{}[0]\n", id, id);
  }
  std::vector<std::string> results;
  for (const ValueRef v : p.outputs) results.push_back(python_value(v, p));
  return out + fmt::format("        return ({},)\n\n    return program\n",
                           fmt::join(results, ", "));
}

std::string comment(const std::string& text) {
  std::string out = "# ";
  for (const char c : text)
    out += c == '\n' ? std::string("\n# ") : std::string(1, c);
  return out + "\n";
}

}  // namespace

const ReproLibrary* repro_library(const std::string& spelling) {
  static constexpr ReproLibrary kLibraries[] = {
      {"jax", "JAX", "XLA", kReproJaxHead},
      {"onnxruntime", "ONNX Runtime", "ONNX Runtime", kReproOnnxRuntimeHead}};
  const std::string head = spelling.substr(0, spelling.find('{'));
  for (const ReproLibrary& one : kLibraries) {
    if (head == one.subject) return &one;
  }
  return nullptr;
}

std::string python_arg(const Arg& arg, const Program& program) {
  struct Visitor {
    const Program& program;
    std::string operator()(None) const { return "None"; }
    std::string operator()(ValueRef v) const {
      return python_value(v, program);
    }
    std::string operator()(bool v) const { return v ? "True" : "False"; }
    std::string operator()(std::int64_t v) const {
      return fmt::format("{}", v);
    }
    std::string operator()(double v) const { return python_float(v); }
    std::string operator()(DType t) const { return torch_dtype(t); }
    std::string operator()(const std::string& s) const {
      return python_string(s);
    }
    std::string operator()(const std::vector<std::int64_t>& v) const {
      return shape_text(v);
    }
    std::string operator()(const Numbers& v) const {
      std::vector<std::string> texts;
      for (const double x : v) texts.push_back(python_float(x));
      return fmt::format("[{}]", fmt::join(texts, ", "));
    }
    std::string operator()(const std::vector<ValueRef>& v) const {
      std::vector<std::string> names;
      for (const ValueRef r : v) names.push_back(python_value(r, program));
      return fmt::format("[{}]", fmt::join(names, ", "));
    }
  };
  return std::visit(Visitor{program}, arg);
}

std::string repro_python(const ReproInput& in) {
  const Program& p = in.source->program;
  const ReproLibrary* library = in.library;
  const auto dtype = [library](DType t) {
    return library ? numpy_dtype(t) : std::string(torch_dtype(t));
  };
  std::string out = "#!/usr/bin/env python3\n";
  out += comment(fmt::format("Case {}, in plain {}.", in.source->path,
                             library ? library->name : "torch"));
  for (const std::string& note : in.notes) out += comment(note);
  out += comment(
      fmt::format("Exits 1 if {} breaks the promise here, else 0.",
                  library ? library->judged : "eager or compiled torch"));
  out +=
      library ? std::string(library->head) + kReproLibraryTensors : kReproHead;
  out += "INPUTS = [\n";
  for (const Tensor& t : in.inputs) {
    out += "    " + python_tensor(t, dtype(t.dtype())) + ",\n";
  }
  out += "]\nCONSTANTS = [\n";
  for (const Tensor& t : p.constants) {
    out += "    " + python_tensor(t, dtype(t.dtype())) + ",\n";
  }
  out += "]\n\n\n" + (in.program.empty() ? python_function(in) : in.program);
  if (!library && !in.program.empty()) {
    out += "\n\nmake = functools.partial(make, torch, math)\n";
  }
  out += "\n\nprogram = make(*CONSTANTS)\n";
  if (in.error) {
    std::vector<std::string> names;
    for (const std::string& r : in.error->raises) {
      names.push_back(python_string(r));
    }
    out += comment("It must be refused: " + in.error->clause);
    out +=
        fmt::format("MUST_RAISE = [{}]\nMESSAGE = {}\nOUTPUTS = None\n",
                    fmt::join(names, ", "), python_string(in.error->message));
  } else {
    out += "MUST_RAISE = None\nMESSAGE = ''\n";
    out += comment(
        "Per output: dtype, sizes and what is admissible for each element, "
        "in row-major\norder: every value from lo to hi in the order of "
        "values, if flags & 1;\nNaN if flags & 2; either zero if flags & 4; "
        "anything if flags & 8. An element\nin members has these alone. Where "
        "an output is computed from another "
        "one, that one must have been as given.");
    out += "OUTPUTS = [\n";
    for (const auto& alternatives : in.sets) {
      const TensorType type = alternatives.front().golden.returned();
      out += fmt::format("  ({}, {}, [\n", dtype(type.dtype),
                         shape_text(type.sizes));
      for (const ReproSets& s : alternatives) out += python_sets(s);
      out += "  ]),\n";
    }
    out += "]\n";
  }
  if (library) return out + kReproLibraryTail;
  out += fmt::format("BACKEND = {}\nOPTIONS = json.loads({})\n",
                     python_string(in.backend), python_string(in.options));
  return out + kReproTail;
}

}  // namespace assay::harness
