// What is read at computed indices alone is computed where it is read: of
// gather(log_softmax(x)) one element of each row. A nest cannot see that, since
// a computed index needs a buffer that is filled.
#include <algorithm>
#include <optional>

#include "compiler/graph/passes.h"

namespace assay::compiler {
namespace {

using Kind = Term::Kind;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Places of terms in the text, where each term stands as often as it is used.
constexpr int kMostPlaces = 256;

bool has_folds(const Formula& f) {
  return std::any_of(f.terms.begin(), f.terms.end(),
                     [](const Term& t) { return t.kind == Kind::fold; });
}

// work_of() counts ranges between numbers alone.
bool has_known_work(const Formula& f) {
  const auto is_number = [&](int id) { return f.at(id).kind == Kind::number; };
  return std::all_of(f.terms.begin(), f.terms.end(), [&](const Term& t) {
    return std::all_of(t.ranges.begin(), t.ranges.end(), [&](const auto& r) {
      return is_number(r.from) && is_number(r.to);
    });
  });
}

bool hangs_on_elements(const Formula& f, int id) {
  const Term& t = f.at(id);
  return t.kind == Kind::load ||
         std::any_of(t.args.begin(), t.args.end(),
                     [&](int a) { return hangs_on_elements(f, a); });
}

int places(const Formula& f) {
  std::vector<int> count;
  for (const Term& t : f.terms) {
    int n = 1;
    const auto add = [&](int a) {
      n = std::min(n + count[at(a)], kMostPlaces + 1);
    };
    for (const int a : t.args) add(a);
    for (const Term::Range& r : t.ranges) {
      add(r.from);
      add(r.to);
    }
    count.push_back(n);
  }
  return count.back();
}

class Inlining {
 public:
  // `producer` is operand number `operand` of `user`; both are formulas.
  Inlining(const GraphNode& user, int operand, const GraphNode& producer)
      : user_(user), operand_(operand), producer_(producer), node_(user) {}

  // `user` without that operand; nothing where it would not pay.
  std::optional<GraphNode> run() {
    if (!pays()) return std::nullopt;
    name_operands();
    std::vector<int> renamed;
    for (const Term& t : user_.formula->terms) {
      renamed.push_back(reads(t) ? computed(t, renamed)
                                 : append(t, renamed, user_operands_));
    }
    formula_.variables = user_.formula->variables;
    if (places(formula_) > kMostPlaces) return std::nullopt;
    node_.formula = std::make_shared<const Formula>(std::move(formula_));
    return std::move(node_);
  }

 private:
  bool reads(const Term& t) const {
    return t.kind == Kind::load && t.operand == operand_;
  }

  // No element is computed more often than it was.
  bool pays() const {
    const Formula& f = *user_.formula;
    if (has_folds(*producer_.formula) || !has_known_work(f)) return false;
    std::int64_t loads = 0;
    for (const Term& t : f.terms) {
      if (!reads(t)) continue;
      ++loads;
      if (std::none_of(t.args.begin(), t.args.end(),
                       [&](int a) { return hangs_on_elements(f, a); })) {
        return false;  // a nest does better
      }
    }
    return loads > 0 && loads * work_of(f) * element_count(user_.type.sizes) <=
                            element_count(producer_.type.sizes);
  }

  void name_operands() {
    node_.args.erase(node_.args.begin() + operand_);
    for (int i = 0; i < static_cast<int>(user_.args.size()); ++i) {
      user_operands_.push_back(i < operand_ ? i : i - 1);
    }
    for (const NodeId a : producer_.args) {
      const auto found = std::find(node_.args.begin(), node_.args.end(), a);
      producer_operands_.push_back(
          static_cast<int>(found - node_.args.begin()));
      if (found == node_.args.end()) node_.args.push_back(a);
    }
  }

  int push(Term t) {
    formula_.terms.push_back(std::move(t));
    return static_cast<int>(formula_.terms.size()) - 1;
  }

  int append(Term t, const std::vector<int>& renamed,
             const std::vector<int>& operands) {
    for (int& a : t.args) a = renamed[at(a)];
    for (Term::Range& r : t.ranges) {
      r.from = renamed[at(r.from)];
      r.to = renamed[at(r.to)];
    }
    if (t.kind == Kind::load) t.operand = operands[at(t.operand)];
    return push(std::move(t));
  }

  // The element that `load` reads. The only index of a dimension of size 1 is
  // known, whatever computes it.
  int computed(const Term& load, const std::vector<int>& renamed) {
    std::vector<int> indices;
    for (std::size_t d = 0; d < load.args.size(); ++d) {
      Term zero;
      zero.dtype = DType::i64;
      indices.push_back(producer_.type.sizes[d] == 1
                            ? push(std::move(zero))
                            : renamed[at(load.args[d])]);
    }
    std::vector<int> made;
    for (const Term& t : producer_.formula->terms) {
      made.push_back(t.kind == Kind::variable
                         ? indices[at(t.variable)]
                         : append(t, made, producer_operands_));
    }
    return made.back();
  }

  const GraphNode& user_;
  int operand_;
  const GraphNode& producer_;
  GraphNode node_;
  Formula formula_;
  // The new number of each operand of the two.
  std::vector<int> user_operands_, producer_operands_;
};

std::vector<int> uses_of(const Body& body) {
  std::vector<int> uses(body.nodes.size(), 0);
  for (const NodeId o : body.outputs) ++uses[at(o)];
  for (const GraphNode& n : body.nodes) {
    for (const NodeId a : n.args) ++uses[at(a)];
  }
  return uses;
}

}  // namespace

Body inline_gathered(const Body& body, Ledger*) {
  Body out = body;
  const std::vector<int> uses = uses_of(body);
  for (GraphNode& n : out.nodes) {
    if (n.op != Op::formula) continue;
    // From the last: what comes in is appended, and was itself looked at.
    for (auto k = static_cast<int>(n.args.size()); k-- > 0;) {
      const NodeId a = n.args[at(k)];
      if (out.at(a).op != Op::formula || uses[at(a)] != 1) continue;
      if (auto inlined = Inlining(n, k, out.at(a)).run()) {
        n = *std::move(inlined);
      }
    }
  }
  return out;
}

}  // namespace assay::compiler
