#include "reference/certify/real_function.h"

namespace assay::reference {

std::optional<RealFunction> RealFunction::find(std::string_view name) {
  if (name == "rsqrt") return rsqrt();
  if (const auto f = find_elementary(name)) return RealFunction(*f);
  return std::nullopt;
}

std::vector<RealFunction> RealFunction::all() {
  std::vector<RealFunction> all;
  for (int i = 0; i < kElementaryFunctions; ++i) {
    all.emplace_back(static_cast<Elementary>(i));
  }
  all.push_back(rsqrt());
  return all;
}

std::string_view RealFunction::name() const {
  return elementary_ ? elementary_name(*elementary_) : "rsqrt";
}

Set<Mp> RealFunction::operator()(const Set<Mp>& x) const {
  return elementary_ ? apply(*elementary_, x) : reciprocal_root(x);
}

bool RealFunction::is_symmetric() const {
  return elementary_ && language::describe(*elementary_).symmetry !=
                            language::ElementaryFunction::Symmetry::none;
}

}  // namespace assay::reference
