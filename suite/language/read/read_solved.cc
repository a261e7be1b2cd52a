#include "suite/language/read/read_solved.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/float_bits.h"
#include "suite/language/functions/functions.h"
#include "suite/language/syntax/suggest.h"

namespace assay::language {
namespace {

bool is_real_function(const std::string& name) {
  const FunctionId f = find_function(name);
  return f != FunctionId::unknown && function(f).args == "n" &&
         function(f).result == ValueKind::number;
}

// "exp/f32/overflow"; a message where it is none.
std::string read_key(const std::string& key, SolvedLine* line) {
  const std::size_t first = key.find('/');
  const std::size_t last = key.rfind('/');
  if (first == std::string::npos || first == last) {
    return "expected FUNCTION/DTYPE/KIND, such as exp/f32/overflow, found '" +
           key + "'";
  }
  line->function = key.substr(0, first);
  const std::string dtype = key.substr(first + 1, last - first - 1);
  line->kind = key.substr(last + 1);
  if (!is_real_function(line->function)) {
    return "there is no function '" + line->function + "' of one real number";
  }
  const auto t = parse_dtype(dtype);
  if (!t || !is_float(*t)) return "'" + dtype + "' is no float dtype";
  line->dtype = *t;
  const std::vector<std::string>& kinds = solved_kinds();
  if (std::find(kinds.begin(), kinds.end(), line->kind) != kinds.end()) {
    return "";
  }
  return "unknown kind of boundary '" + line->kind + "'" +
         did_you_mean(line->kind, kinds) + "; expected " + join(kinds);
}

void read_pattern(const YamlNode& n, SolvedLine* line, Faults* faults) {
  const std::string& s = n.text.text;
  const int digits = 2 * size_bytes(line->dtype);
  SolvedPattern p;
  p.pos = n.pos;
  bool good = n.is_scalar() && s.starts_with("0x") &&
              s.size() == static_cast<std::size_t>(digits) + 2;
  if (good) {
    const char* end = s.data() + s.size();
    const auto r = std::from_chars(s.data() + 2, end, p.bits, 16);
    good = r.ec == std::errc() && r.ptr == end &&
           !is_nan_bits(line->dtype, p.bits);
  }
  if (!good) {
    faults->push_back({n.pos, "expected bits of " +
                                  std::string(dtype_name(line->dtype)) +
                                  ", 0x and " + std::to_string(digits) +
                                  " digits, no NaN; found " + n.describe()});
    return;
  }
  line->patterns.push_back(p);
}

void read_hardest(const YamlNode& n, SolvedLine* line, Faults* faults) {
  if (!n.is_map()) {
    faults->push_back({n.pos,
                       "expected patterns and log2 of their distances, "
                       "{0x412e8e39: -31.48}, found " +
                           n.describe()});
    return;
  }
  for (const auto& [key, body] : n.fields) {
    const std::size_t before = line->patterns.size();
    read_pattern(key, line, faults);
    const auto distance = read_number(body, "log2 of a distance", faults);
    if (distance && line->patterns.size() > before) {
      line->patterns.back().distance = *distance;
    }
  }
}

}  // namespace

SolvedSet read_solved(const YamlNode& root, Faults* faults) {
  SolvedSet out;
  if (!root.is_map()) {
    faults->push_back({root.pos,
                       "expected boundaries, exp/f32/overflow: [0x42b17217], "
                       "found " +
                           root.describe()});
    return out;
  }
  for (const auto& [key, body] : root.fields) {
    SolvedLine line;
    const std::string wrong = read_key(key.text.text, &line);
    if (!wrong.empty()) {
      faults->push_back({key.pos, wrong});
      continue;
    }
    if (line.kind == kHardest) {
      read_hardest(body, &line, faults);
    } else {
      for (const YamlNode& item :
           read_list(body, "a list of patterns", faults)) {
        read_pattern(item, &line, faults);
      }
    }
    if (line.patterns.empty() && (body.is_sequence() || body.is_map()) &&
        body.items.empty() && body.fields.empty()) {
      faults->push_back({body.pos, "expected at least one pattern"});
    }
    out.lines.push_back(std::move(line));
  }
  return out;
}

}  // namespace assay::language
