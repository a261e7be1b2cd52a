// Generators of inputs, and layouts.
#include <algorithm>
#include <cmath>

#include "suite/check_expr.h"
#include "suite/read_literal.h"
#include "suite/suggest.h"

namespace assay {
namespace {

struct GeneratorName {
  const char* name;
  Generator::Kind kind;
  const char* numbers;  // what its two numbers mean
};

constexpr GeneratorName kTwoNumbers[] = {
    {"uniform", Generator::Kind::uniform, "[lo, hi]"},
    {"normal", Generator::Kind::normal, "[mean, sd]"},
    {"log_uniform", Generator::Kind::log_uniform, "[lo_exponent, hi_exponent]"},
    {"integers", Generator::Kind::integers, "[lo, hi]"},
    {"arange", Generator::Kind::arange, "[start, step]"},
    {"linspace", Generator::Kind::linspace, "[lo, hi]"},
};

void check_numbers(const Generator& g, SourcePos pos, const char* numbers,
                   Faults* faults) {
  const auto wrong = [&](const std::string& what) {
    faults->push_back({pos, std::string(numbers) + " " + what});
  };
  if (!std::isfinite(g.a) || !std::isfinite(g.b)) {
    return wrong("must be finite");
  }
  const bool whole = std::trunc(g.a) == g.a && std::trunc(g.b) == g.b &&
                     std::abs(g.a) <= 0x1p53 && std::abs(g.b) <= 0x1p53;
  switch (g.kind) {
    case Generator::Kind::normal:
      if (g.b < 0) wrong("needs a standard deviation that is not negative");
      break;
    case Generator::Kind::integers:
    case Generator::Kind::log_uniform:
      if (!whole) {
        wrong("must be integers");
        break;
      }
      [[fallthrough]];
    case Generator::Kind::uniform:
    case Generator::Kind::linspace:
      if (g.a > g.b) wrong("must rise");
      break;
    default:
      break;
  }
}

void read_formula(const YamlNode& n, const Fields& fields, Generator* g,
                  Faults* faults) {
  g->kind = Generator::Kind::formula;
  g->formula = read_expr(n, faults);
  const YamlNode* index = fields.required("index");
  if (index == nullptr) return;
  Names names;
  for (const YamlNode& item :
       read_list(*index, "a list of index names, [i, j]", faults)) {
    if (auto name = read_identifier(item, "the name of an index", faults)) {
      g->formula_index.push_back(*name);
      names.indices[*name] = false;
    }
  }
  if (g->formula) {
    ExprChecker(names, faults)
        .expect(*g->formula, ValueKind::number, false, "a formula");
  }
}

}  // namespace

std::optional<Generator> read_generator(const YamlNode& n, Faults* faults) {
  static const std::vector<std::string> kNames = {
      "uniform", "normal",  "log_uniform",   "integers", "arange", "linspace",
      "values",  "formula", "powers_of_two", "index",    "next"};
  Generator g;
  if (n.is_scalar()) {
    if (n.text.text == "special") {
      g.kind = Generator::Kind::special;
      return g;
    }
    if (n.text.text == "all_bits") {
      g.kind = Generator::Kind::all_bits;
      return g;
    }
    std::vector<std::string> all = kNames;
    all.insert(all.end(), {"special", "all_bits"});
    faults->push_back({n.pos, "unknown generator " + n.describe() +
                                  did_you_mean(n.text.text, all) +
                                  "; expected special, all_bits or a mapping "
                                  "such as {uniform: [0, 1]}"});
    return std::nullopt;
  }
  const std::size_t before = faults->size();
  const Fields fields(n, "a generator", kNames, faults);
  if (faults->size() != before) return std::nullopt;
  const bool formula = fields.find("formula") != nullptr;
  const YamlNode* next = fields.find("next");
  const std::size_t count = (formula ? 2u : 1u) + (next ? 1u : 0u);
  if (n.fields.size() != count) {
    faults->push_back({n.pos,
                       "expected exactly one generator, such as "
                       "{uniform: [0, 1]}"});
    return std::nullopt;
  }
  if (formula) {
    read_formula(*fields.find("formula"), fields, &g, faults);
  } else if (const YamlNode* values = fields.find("values")) {
    g.kind = Generator::Kind::values;
    g.values = read_literals(*values, faults);
  } else if (fields.find("index") != nullptr) {
    faults->push_back({n.pos, "'index' belongs to a 'formula'"});
  }
  if (const YamlNode* first = fields.find("powers_of_two")) {
    g.kind = Generator::Kind::powers_of_two;
    const auto e = read_integer(*first, "the first exponent", faults);
    g.a = static_cast<double>(e.value_or(0));
  }
  if (next != nullptr) {
    g.next = read_integer(*next, "a number of places", faults).value_or(0);
  }
  for (const GeneratorName& name : kTwoNumbers) {
    const YamlNode* body = fields.find(name.name);
    if (body == nullptr) continue;
    g.kind = name.kind;
    if (!body->is_sequence() || body->items.size() != 2) {
      faults->push_back({body->pos, std::string("expected ") + name.numbers +
                                        ", found " + body->describe()});
      continue;
    }
    const auto a = read_number(body->items[0], "a number", faults);
    const auto b = read_number(body->items[1], "a number", faults);
    if (!a || !b) continue;
    g.a = *a;
    g.b = *b;
    check_numbers(g, body->pos, name.numbers, faults);
  }
  if (faults->size() != before) return std::nullopt;
  return g;
}

std::optional<Layout> read_layout(const YamlNode& n, Faults* faults) {
  static const std::vector<std::string> kNames = {
      "contiguous", "transposed", "offset", "strided", "expanded"};
  const auto name = read_choice(n, "layout", kNames, faults);
  if (!name) return std::nullopt;
  const auto it = std::find(kNames.begin(), kNames.end(), *name);
  return static_cast<Layout>(it - kNames.begin());
}

}  // namespace assay
