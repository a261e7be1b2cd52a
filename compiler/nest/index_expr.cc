#include "compiler/nest/index_expr.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::compiler {
namespace {

using Kind = IndexAtom::Kind;

void add_term(IndexExpr* e, const IndexTerm& t) {
  if (t.factor == 0) return;
  for (IndexTerm& have : e->terms) {
    if (have.atom == t.atom) {
      have.factor += t.factor;
      return;
    }
  }
  // Variables in order, then the rest: equal expressions are equal term by
  // term.
  auto at = e->terms.end();
  if (t.atom.kind == Kind::variable) {
    at = std::find_if(e->terms.begin(), e->terms.end(),
                      [&](const IndexTerm& other) {
                        return other.atom.kind != Kind::variable ||
                               other.atom.variable > t.atom.variable;
                      });
  }
  e->terms.insert(at, t);
}

// e = by * whole + rest, with every factor of rest below `by`.
struct Split {
  IndexExpr whole, rest;
};

Split split(const IndexExpr& e, std::int64_t by) {
  Split s;
  s.whole.constant = e.constant / by;
  s.rest.constant = e.constant % by;
  for (const IndexTerm& t : e.terms) {
    add_term(&s.whole, {t.factor / by, t.atom});
    add_term(&s.rest, {t.factor % by, t.atom});
  }
  return s;
}

IndexExpr of_atom(Kind kind, IndexExpr e, std::int64_t by) {
  IndexAtom atom;
  atom.kind = kind;
  atom.of = std::make_shared<const IndexExpr>(std::move(e));
  atom.by = by;
  return {0, {{1, std::move(atom)}}};
}

// Whether `rest` is x % by where `quotient` is x / by, or (x / b) % a where
// that is x / (a b); both as divide() writes them.
bool completes(const IndexAtom& rest, const IndexAtom& quotient) {
  if (quotient.by % rest.by != 0) return false;
  const std::int64_t by = quotient.by / rest.by;
  if (by == 1) return *rest.of == *quotient.of;
  Split s = split(*quotient.of, by);
  return *rest.of == s.whole + of_atom(Kind::quotient, std::move(s.rest), by);
}

// f * by * (x / by) + f * (x % by) is f * x.
bool rejoin(IndexExpr* e) {
  for (std::size_t q = 0; q < e->terms.size(); ++q) {
    const IndexTerm quotient = e->terms[q];
    if (quotient.atom.kind != Kind::quotient) continue;
    for (std::size_t r = 0; r < e->terms.size(); ++r) {
      const IndexTerm rest = e->terms[r];
      if (rest.atom.kind != Kind::remainder ||
          !completes(rest.atom, quotient.atom) ||
          quotient.factor != rest.factor * rest.atom.by) {
        continue;
      }
      IndexExpr out = *rest.atom.of * rest.factor;
      out.constant += e->constant;
      for (std::size_t i = 0; i < e->terms.size(); ++i) {
        if (i != q && i != r) add_term(&out, e->terms[i]);
      }
      *e = std::move(out);
      return true;
    }
  }
  return false;
}

Moves moves(const IndexAtom& a, int v, std::int64_t width) {
  if (a.kind == IndexAtom::Kind::variable) {
    return a.variable == v ? Moves::by_one : Moves::not_at_all;
  }
  const Moves inner = moves(*a.of, v, width);
  if (inner == Moves::otherwise || inner == Moves::not_at_all) return inner;
  if (a.by % width != 0) return Moves::otherwise;
  return a.kind == IndexAtom::Kind::remainder ? Moves::by_one
                                              : Moves::not_at_all;
}

}  // namespace

bool IndexAtom::operator==(const IndexAtom& other) const {
  if (kind != other.kind) return false;
  if (kind == Kind::variable) return variable == other.variable;
  return by == other.by && *of == *other.of;
}

IndexExpr IndexExpr::variable(int v) {
  IndexAtom atom;
  atom.variable = v;
  return {0, {{1, atom}}};
}

bool IndexExpr::is_affine() const {
  return std::all_of(terms.begin(), terms.end(), [](const IndexTerm& t) {
    return t.atom.kind == Kind::variable;
  });
}

bool IndexExpr::uses(int v) const {
  return std::any_of(terms.begin(), terms.end(), [v](const IndexTerm& t) {
    return t.atom.kind == Kind::variable ? t.atom.variable == v
                                         : t.atom.of->uses(v);
  });
}

std::int64_t IndexExpr::factor_of(int v) const {
  for (const IndexTerm& t : terms) {
    if (t.atom.kind == Kind::variable && t.atom.variable == v) return t.factor;
  }
  return 0;
}

IndexExpr operator+(const IndexExpr& a, const IndexExpr& b) {
  IndexExpr out = a;
  out.constant += b.constant;
  for (const IndexTerm& t : b.terms) add_term(&out, t);
  while (rejoin(&out)) {
  }
  return out;
}

IndexExpr operator*(const IndexExpr& a, std::int64_t factor) {
  if (factor == 0) return {};
  IndexExpr out = a;
  out.constant *= factor;
  for (IndexTerm& t : out.terms) t.factor *= factor;
  return out;
}

IndexExpr substitute(const IndexExpr& e,
                     const std::vector<IndexExpr>& variables,
                     const Shape& extents) {
  IndexExpr out = IndexExpr::number(e.constant);
  for (const IndexTerm& t : e.terms) {
    IndexExpr atom;
    if (t.atom.kind == IndexAtom::Kind::variable) {
      atom = variables[static_cast<std::size_t>(t.atom.variable)];
    } else {
      atom = substitute(*t.atom.of, variables, extents);
      atom = t.atom.kind == IndexAtom::Kind::quotient
                 ? divide(atom, t.atom.by, extents)
                 : modulo(atom, t.atom.by, extents);
    }
    out = out + atom * t.factor;
  }
  return out;
}

Moves moves(const IndexExpr& e, int v, std::int64_t width) {
  Moves total = Moves::not_at_all;
  bool multiple = e.constant % width == 0;
  for (const IndexTerm& t : e.terms) {
    const Moves m = moves(t.atom, v, width);
    if (m == Moves::otherwise) return m;
    if (m == Moves::not_at_all) {
      multiple = multiple && t.factor % width == 0;
      continue;
    }
    if (t.factor != 1 || total == Moves::by_one) return Moves::otherwise;
    total = m;
  }
  if (total == Moves::by_one && !multiple) return Moves::otherwise;
  return total;
}

std::int64_t largest(const IndexExpr& e, const Shape& extents) {
  std::int64_t sum = e.constant;
  for (const IndexTerm& t : e.terms) {
    std::int64_t most = 0;
    switch (t.atom.kind) {
      case Kind::variable:
        most = extents[static_cast<std::size_t>(t.atom.variable)] - 1;
        break;
      case Kind::quotient:
        most = largest(*t.atom.of, extents) / t.atom.by;
        break;
      case Kind::remainder:
        most = std::min(largest(*t.atom.of, extents), t.atom.by - 1);
        break;
    }
    sum += t.factor * std::max<std::int64_t>(most, 0);
  }
  return sum;
}

std::int64_t largest_inside(const IndexExpr& e, const Shape& extents) {
  std::int64_t most = largest(e, extents);
  for (const IndexTerm& t : e.terms) {
    if (t.atom.of) most = std::max(most, largest_inside(*t.atom.of, extents));
  }
  return most;
}

IndexExpr divide(const IndexExpr& e, std::int64_t by, const Shape& extents) {
  if (by == 1) return e;
  Split s = split(e, by);
  if (largest(s.rest, extents) < by) return s.whole;
  return s.whole + of_atom(Kind::quotient, std::move(s.rest), by);
}

IndexExpr modulo(const IndexExpr& e, std::int64_t by, const Shape& extents) {
  if (by == 1) return {};
  Split s = split(e, by);
  if (largest(s.rest, extents) < by) return s.rest;
  return of_atom(Kind::remainder, std::move(s.rest), by);
}

std::int64_t evaluate(const IndexExpr& e, const Shape& variables) {
  std::int64_t sum = e.constant;
  for (const IndexTerm& t : e.terms) {
    std::int64_t v = 0;
    switch (t.atom.kind) {
      case Kind::variable:
        v = variables[static_cast<std::size_t>(t.atom.variable)];
        break;
      case Kind::quotient:
        v = evaluate(*t.atom.of, variables) / t.atom.by;
        break;
      case Kind::remainder:
        v = evaluate(*t.atom.of, variables) % t.atom.by;
        break;
    }
    sum += t.factor * v;
  }
  return sum;
}

std::string to_text(const IndexExpr& e, const std::vector<std::string>& names) {
  return to_text(e, names,
                 [](std::int64_t v, IndexNumber) { return std::to_string(v); });
}

std::string to_text(const IndexExpr& e, const std::vector<std::string>& names,
                    const WriteNumber& number) {
  const WriteNumber within = [&number](std::int64_t v, IndexNumber) {
    return number(v, IndexNumber::inner);
  };
  std::string text;
  for (const IndexTerm& t : e.terms) {
    std::string one;
    if (t.atom.kind == Kind::variable) {
      one = names[static_cast<std::size_t>(t.atom.variable)];
    } else {
      one = fmt::format("({}) {} ", to_text(*t.atom.of, names, within),
                        t.atom.kind == Kind::quotient ? "/" : "%");
      one += number(t.atom.by, IndexNumber::divisor);
      if (t.factor != 1) one = "(" + one + ")";
    }
    if (t.factor != 1) one += " * " + number(t.factor, IndexNumber::factor);
    text += text.empty() ? one : " + " + one;
  }
  if (text.empty()) return number(e.constant, IndexNumber::offset);
  if (e.constant != 0) text += " + " + number(e.constant, IndexNumber::offset);
  return text;
}

}  // namespace assay::compiler
