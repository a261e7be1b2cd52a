#include "suite/language/functions/operators.h"

#include <array>

namespace assay::language {
namespace {

constexpr std::array<std::string_view, 17> kSpellings = {
    "+",  "-",  "*",  "/", "//", "%", "-",  "not", "and",
    "or", "==", "!=", "<", "<=", ">", ">=", "in"};
static_assert(kSpellings.size() == static_cast<std::size_t>(Operator::in) + 1);

constexpr std::array<std::string_view, 9> kReductions = {
    "sum", "prod", "max", "min", "mean", "any", "all", "count", "which"};
static_assert(kReductions.size() ==
              static_cast<std::size_t>(Reduction::which) + 1);

}  // namespace

std::string_view spelling(Operator op) {
  return kSpellings[static_cast<std::size_t>(op)];
}

std::optional<Operator> find_binary_operator(std::string_view text) {
  for (std::size_t i = 0; i < kSpellings.size(); ++i) {
    const auto op = static_cast<Operator>(i);
    const bool unary = op == Operator::neg || op == Operator::logical_not;
    if (kSpellings[i] == text && !unary) return op;
  }
  return std::nullopt;
}

std::optional<Comparison> comparison_of(Operator op) {
  if (op < Operator::eq || op > Operator::ge) return std::nullopt;
  return static_cast<Comparison>(static_cast<int>(op) -
                                 static_cast<int>(Operator::eq));
}

bool orders(Operator op) { return op >= Operator::lt && op <= Operator::ge; }

std::string_view reduction_name(Reduction r) {
  return kReductions[static_cast<std::size_t>(r)];
}

std::optional<Reduction> find_reduction(std::string_view name) {
  for (std::size_t i = 0; i < kReductions.size(); ++i) {
    if (kReductions[i] == name) return static_cast<Reduction>(i);
  }
  return std::nullopt;
}

bool is_logical(Reduction r) {
  return r == Reduction::any || r == Reduction::all || r == Reduction::count;
}

}  // namespace assay::language
