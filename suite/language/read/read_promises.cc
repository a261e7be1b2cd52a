#include "suite/language/read/read_promises.h"

#include <regex>

#include "suite/language/syntax/suggest.h"

namespace assay::language {
namespace {

const std::vector<std::string> kErrorClasses = {"RuntimeError", "IndexError",
                                                "ValueError", "TypeError",
                                                "NotImplementedError"};
constexpr std::size_t kMaxPattern = 400;

void check_pattern(const YamlNode& n, const std::string& pattern,
                   Faults* faults) {
  if (pattern.size() > kMaxPattern) {
    faults->push_back({n.pos, "the pattern is longer than " +
                                  std::to_string(kMaxPattern) +
                                  " characters; match a part of the message"});
    return;
  }
  try {
    const std::regex compiled(pattern, std::regex::ECMAScript);
  } catch (const std::regex_error&) {
    faults->push_back({n.pos, n.describe() +
                                  " is no regular expression; put a "
                                  "backslash before characters such as ( [ "
                                  "* that stand for themselves"});
  }
}

void read_bound(const Fields& f, Accuracy* a, Faults* faults) {
  static const std::vector<std::pair<std::string, Accuracy::Bound>> kBounds = {
      {"exact", Accuracy::Bound::exact},
      {"correctly_rounded", Accuracy::Bound::correctly_rounded},
      {"cast", Accuracy::Bound::cast},
      {"dot", Accuracy::Bound::dot}};
  const YamlNode* bound = f.find("bound");
  const bool tolerance = f.find("ulp") || f.find("abs");
  if (bound == nullptr) {
    if (!tolerance && f.is_map()) {
      faults->push_back({f.pos(), "accuracy " + a->id +
                                      " needs a 'bound', or 'ulp' or 'abs'"});
    }
    a->bound = Accuracy::Bound::tolerance;
    return;
  }
  if (tolerance) {
    faults->push_back({bound->pos, "accuracy " + a->id +
                                       " has a 'bound' and "
                                       "a tolerance; remove one of them"});
  }
  std::vector<std::string> names;
  for (const auto& b : kBounds) names.push_back(b.first);
  const auto name = read_choice(*bound, "bound", names, faults);
  for (const auto& b : kBounds) {
    if (name && b.first == *name) a->bound = b.second;
  }
}

void only_with(const Fields& f, const char* field, bool allowed,
               const char* with, Faults* faults) {
  const YamlNode* n = f.find(field);
  if (n != nullptr && !allowed) {
    faults->push_back({n->pos, std::string("'") + field +
                                   "' has a meaning "
                                   "only with " +
                                   with + "; remove it"});
  }
}

void read_measure(const YamlNode& n, Accuracy* a, Faults* faults) {
  std::vector<std::string> known = {"opmath", "result"};
  for (const DType t : kAllDTypes) {
    if (is_float(t)) known.emplace_back(dtype_name(t));
  }
  a->measured_in = read_choice(n, "measure", known, faults).value_or("opmath");
}

}  // namespace

Requirement read_refusal(const std::string& id, const YamlNode& key,
                         const Fields& f, Faults* faults) {
  Requirement r;
  r.id = id;
  r.pos = key.pos;
  if (f.is_map() && !f.has("raises")) r.raises = {"RuntimeError"};
  if (const YamlNode* n = f.find("raises")) {
    const bool list = n->is_sequence();
    for (const YamlNode& item : list ? n->items : std::vector{*n}) {
      if (auto c = read_choice(item, "error class", kErrorClasses, faults)) {
        r.raises.push_back(*c);
      }
    }
    if (list && n->items.empty()) {
      faults->push_back({n->pos, "expected at least one error class of " +
                                     join(kErrorClasses) + ", found []"});
    }
  }
  if (const YamlNode* n = f.find("source")) {
    r.source =
        read_text(*n, "where the rule is documented", faults).value_or("");
  }
  return r;
}

Requirement read_requirement(const std::string& id, const YamlNode& key,
                             const YamlNode& body, Faults* faults) {
  const Fields f(
      body, "requirement " + id,
      {"that", "raises", "message", "phase", "source", "derive", "why"},
      faults);
  Requirement r = read_refusal(id, key, f, faults);
  if (const YamlNode* n = f.required("that")) r.that = read_expr(*n, faults);
  if (const YamlNode* n = f.find("message")) {
    r.message = read_text(*n, "a regular expression", faults).value_or("");
    check_pattern(*n, r.message, faults);
  }
  if (const YamlNode* n = f.find("phase")) {
    r.phase = read_choice(*n, "phase", {"compile", "run"}, faults).value_or("");
  }
  if (const YamlNode* n = f.find("derive")) {
    r.derive = read_bool(*n, faults).value_or(true);
    if (!r.derive && f.find("why") == nullptr) {
      faults->push_back({n->pos, "'derive: false' needs a 'why'"});
    }
  }
  if (const YamlNode* n = f.find("why")) {
    (void)read_text(*n, "a reason", faults);
  }
  return r;
}

namespace {

std::optional<Overflow> read_overflow(const YamlNode& n, Faults* faults) {
  const auto name = read_choice(
      n, "overflow", {"standard", "saturate", "saturate_finite", "nan", "any"},
      faults);
  if (name == "any") return std::nullopt;
  if (name == "saturate") return Overflow::saturate;
  if (name == "saturate_finite") return Overflow::saturate_finite;
  if (name == "nan") return Overflow::nan;
  return Overflow::standard;
}

std::optional<std::pair<double, double>> read_range(const YamlNode& n,
                                                    Faults* faults) {
  const std::vector<YamlNode>& ends =
      read_list(n, "[least, greatest], such as [-1, 1]", faults);
  if (ends.empty()) return std::nullopt;
  if (ends.size() != 2) {
    faults->push_back({n.pos, "a range has two ends, such as [-1, 1]"});
    return std::nullopt;
  }
  const auto least = read_number(ends[0], "the least result", faults);
  const auto greatest = read_number(ends[1], "the greatest result", faults);
  if (!least || !greatest) return std::nullopt;
  if (!(*least < *greatest)) {
    faults->push_back({n.pos, "the least result is not below the greatest"});
    return std::nullopt;
  }
  return std::make_pair(*least, *greatest);
}

std::optional<TorchRange> read_releases(const YamlNode& n, Faults* faults) {
  const auto text = read_text(n, "releases of PyTorch", faults);
  if (!text) return std::nullopt;
  auto range = parse_torch_range(*text);
  if (!range) {
    faults->push_back({n.pos, n.describe() +
                                  " names no releases of PyTorch; write "
                                  "'< 2.12' or '>= 2.12'"});
  }
  return range;
}

}  // namespace

Accuracy read_accuracy(const std::string& id, const YamlNode& key,
                       const YamlNode& body, Faults* faults) {
  Accuracy a;
  a.id = id;
  a.pos = key.pos;
  const Fields f(body, "accuracy " + id,
                 {"for", "when", "bound", "ulp", "abs", "subnormal_ulp", "in",
                  "accumulate", "height", "tree", "range", "zero_sign",
                  "overflow", "torch", "source", "why"},
                 faults);
  if (const YamlNode* n = f.find("for")) {
    a.for_dtypes = read_dtypes(*n, faults);
  }
  read_bound(f, &a, faults);
  const bool dot = a.bound == Accuracy::Bound::dot;
  const bool tolerance = a.bound == Accuracy::Bound::tolerance;
  const auto expr = [&](const char* field, ExprPtr* target) {
    if (const YamlNode* n = f.find(field)) *target = read_expr(*n, faults);
  };
  expr("when", &a.when);
  expr("ulp", &a.ulp);
  expr("abs", &a.abs);
  expr("subnormal_ulp", &a.subnormal_ulp);
  expr("height", &a.height);
  expr("tree", &a.tree);
  only_with(f, "subnormal_ulp", a.ulp != nullptr, "'ulp'", faults);
  only_with(f, "height", dot, "'bound: dot'", faults);
  only_with(f, "tree", dot, "'bound: dot'", faults);
  only_with(f, "accumulate", dot, "'bound: dot'", faults);
  only_with(f, "in", tolerance, "'ulp' or 'abs'", faults);
  if (const YamlNode* n = f.find("in")) read_measure(*n, &a, faults);
  if (const YamlNode* n = f.find("accumulate")) read_measure(*n, &a, faults);
  only_with(f, "range", dot || tolerance, "'ulp', 'abs' or 'bound: dot'",
            faults);
  if (const YamlNode* n = f.find("range")) a.range = read_range(*n, faults);
  if (const YamlNode* n = f.find("zero_sign")) {
    a.any_zero_sign = read_choice(*n, "zero_sign", {"any"}, faults).has_value();
  }
  const bool rounds = a.bound == Accuracy::Bound::cast ||
                      a.bound == Accuracy::Bound::correctly_rounded;
  only_with(f, "overflow", rounds, "'bound: cast' or 'correctly_rounded'",
            faults);
  if (const YamlNode* n = f.find("overflow")) {
    a.overflow = read_overflow(*n, faults);
  }
  if (const YamlNode* n = f.find("torch")) a.torch = read_releases(*n, faults);
  for (const char* field : {"source", "why"}) {
    if (const YamlNode* n = f.find(field)) (void)read_text(*n, "text", faults);
  }
  return a;
}

}  // namespace assay::language
