// Inputs, constants, and the arguments of calls.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/operands.h"
#include "harness/reduce/passes.h"
#include "harness/reduce/weight.h"

namespace assay::harness {
namespace {

// Calls visit(candidate's argument, its name or "") for each argument of each
// call; `visit` says whether to end.
template <class Visit>
void each_argument(const Candidate& c, Visit visit) {
  for (std::size_t n = 0; n < c.nodes.size(); ++n) {
    if (further_output(c.nodes[n])) continue;
    const std::size_t positional = c.nodes[n].args.size();
    const std::size_t count = positional + c.nodes[n].kwargs.size();
    for (std::size_t a = 0; a < count; ++a) {
      if (visit(n, a)) return;
    }
  }
}

// By position, named ones last.
Arg& argument(Candidate* c, std::size_t node, std::size_t a) {
  Node& n = c->nodes[node];
  return a < n.args.size() ? n.args[a] : n.kwargs[a - n.args.size()].second;
}

const Arg& argument(const Candidate& c, std::size_t node, std::size_t a) {
  const Node& n = c.nodes[node];
  return a < n.args.size() ? n.args[a] : n.kwargs[a - n.args.size()].second;
}

std::vector<std::int64_t> simpler(std::int64_t v) {
  std::vector<std::int64_t> out = {0, 1, -1, v / 2, v > 0 ? v - 1 : v + 1};
  std::erase_if(out, [v](std::int64_t w) {
    return complexity(Arg(w)) >= complexity(Arg(v));
  });
  return out;
}

std::vector<Arg> simpler_arguments(const Arg& arg) {
  std::vector<Arg> out;
  if (const auto* i = std::get_if<std::int64_t>(&arg)) {
    for (const std::int64_t v : simpler(*i)) out.emplace_back(v);
  } else if (const auto* d = std::get_if<double>(&arg)) {
    for (const double v :
         {0.0, 1.0, -1.0, std::trunc(*d), std::round(*d * 8) / 8}) {
      out.emplace_back(v);
    }
  } else if (std::holds_alternative<bool>(arg)) {
    out.emplace_back(false);
  } else if (const auto* list = std::get_if<Shape>(&arg)) {
    for (std::size_t k = 0; k < list->size(); ++k) {
      Shape shorter = *list;
      shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(k));
      out.emplace_back(shorter);
      for (const std::int64_t v : simpler((*list)[k])) {
        Shape changed = *list;
        changed[k] = v;
        out.emplace_back(changed);
      }
    }
  }
  std::erase_if(
      out, [&arg](const Arg& a) { return complexity(a) >= complexity(arg); });
  return out;
}

}  // namespace

void offer_operands(const PassInput& in, const Offer& offer) {
  const Candidate& from = in.from;
  bool done = false;
  each_argument(from, [&](std::size_t n, std::size_t a) {
    const Arg& arg = argument(from, n, a);
    if (std::holds_alternative<ValueRef>(arg)) {
      // An operand that may be left out.
      done = offer([&] {
        Candidate c = from;
        argument(&c, n, a) = None{};
        return c;
      });
      return done;
    }
    const auto* list = std::get_if<std::vector<ValueRef>>(&arg);
    if (list == nullptr || list->size() < 2) return false;
    for (std::size_t k = 0; k < list->size() && !done; ++k) {
      done = offer([&] {
        Candidate c = from;
        auto& members = std::get<std::vector<ValueRef>>(argument(&c, n, a));
        members.erase(members.begin() + static_cast<std::ptrdiff_t>(k));
        return c;
      });
    }
    return done;
  });
  if (done) return;
  // One tensor in two places.
  for (int a = 0; a < from.given_count(); ++a) {
    for (int b = 0; b < from.given_count(); ++b) {
      const GivenTensor& x = from.given(static_cast<std::size_t>(a));
      const GivenTensor& y = from.given(static_cast<std::size_t>(b));
      if (a == b || x.dtype != y.dtype || x.sizes != y.sizes) continue;
      done = offer([&] {
        Candidate c = from;
        replace_value(&c, {b}, {a});
        return c;
      });
      if (done) return;
    }
  }
  // What is captured is given instead.
  for (std::size_t k = 0; k < from.constants.size(); ++k) {
    done = offer([&] {
      const int id = static_cast<int>(from.inputs.size() + k);
      return with_input_for(from, {id}, from.constants[k]);
    });
    if (done) return;
  }
}

void offer_arguments(const PassInput& in, const Offer& offer) {
  const Candidate& from = in.from;
  each_argument(from, [&](std::size_t n, std::size_t a) {
    const std::size_t positional = from.nodes[n].args.size();
    if (!operands(argument(from, n, a)).empty()) return false;
    // Its default: only the last one by position can be left out.
    if (a + 1 == positional || a >= positional) {
      const bool done = offer([&] {
        Candidate c = from;
        Node& node = c.nodes[n];
        if (a < positional) {
          node.args.pop_back();
        } else {
          node.kwargs.erase(node.kwargs.begin() +
                            static_cast<std::ptrdiff_t>(a - positional));
        }
        return c;
      });
      if (done) return true;
    }
    for (const Arg& value : simpler_arguments(argument(from, n, a))) {
      const bool done = offer([&] {
        Candidate c = from;
        argument(&c, n, a) = value;
        return c;
      });
      if (done) return true;
    }
    return false;
  });
}

}  // namespace assay::harness
