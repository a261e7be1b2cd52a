#include "suite/mutate_attr.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>

namespace assay {
namespace {

class Changes {
 public:
  Changes(const Param& p, const Arg& now, const std::vector<Shape>& shapes)
      : p_(p), now_(now) {
    for (const Shape& s : shapes) {
      const auto rank = static_cast<std::int64_t>(s.size());
      around(rank);
      for (const std::int64_t d : s) around(d);
    }
    around(0);
    around(1);
  }

  std::vector<AttrChange> run() {
    switch (p_.kind) {
      case Param::Kind::integer:
        for (const std::int64_t v : integers_) {
          add("attr", Arg(v));
        }
        break;
      case Param::Kind::integers:
        lists();
        break;
      case Param::Kind::number:
        numbers();
        break;
      case Param::Kind::boolean:
        add("attr", Arg(true));
        add("attr", Arg(false));
        break;
      case Param::Kind::dtype:
        for (const DType t : kAllDTypes) {
          add("dtype", Arg(t));
        }
        break;
      case Param::Kind::string:
        for (const std::string& s : p_.one_of) add("attr", Arg(s));
        add("attr", Arg(std::string("unknown")));
        break;
      default:
        break;
    }
    if (p_.optional) add("absent", Arg(None{}));
    return std::move(out_);
  }

 private:
  // A bound is met at n and -n - 1 (wrapped), and passed one further on.
  void around(std::int64_t n) {
    integers_.insert({n - 1, n, n + 1, -n, -n - 1, -n - 2});
  }

  void add(const std::string& kind, Arg value) {
    if (value == now_) return;
    out_.push_back({kind, std::move(value)});
  }

  void lists() {
    const auto* now = std::get_if<Shape>(&now_);
    const Shape list = now != nullptr ? *now : Shape();
    add("length", Arg(Shape{}));
    for (const std::int64_t v : integers_) {
      if (list.empty()) add("attr", Arg(Shape{v}));
    }
    for (std::size_t n = 0; n < list.size(); ++n) {
      for (const std::int64_t v : integers_) {
        Shape changed = list;
        changed[n] = v;
        add("attr", Arg(std::move(changed)));
      }
      for (std::size_t k = 0; k < list.size(); ++k) {
        if (k == n) continue;
        Shape repeated = list;
        repeated[n] = list[k];
        add("duplicate", Arg(std::move(repeated)));
      }
      Shape shorter = list;
      shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(n));
      add("length", Arg(std::move(shorter)));
    }
    for (const std::int64_t v : {0, 1, 2, -1}) {
      Shape longer = list;
      longer.push_back(v);
      add("length", Arg(std::move(longer)));
      longer = list;
      longer.insert(longer.begin(), v);
      add("length", Arg(std::move(longer)));
    }
  }

  void numbers() {
    for (const std::int64_t v :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{-1},
          std::int64_t{300}, std::int64_t{1} << 40}) {
      add("number", Arg(v));
    }
    const double inf = std::numeric_limits<double>::infinity();
    for (const double v : {0.0, 0.5, 2.5, -1.0, 1e6, 1e300, inf}) {
      add("number", Arg(v));
    }
    add("number", Arg(true));
    add("number", Arg(false));
  }

  const Param& p_;
  const Arg& now_;
  std::set<std::int64_t> integers_;
  std::vector<AttrChange> out_;
};

}  // namespace

std::vector<AttrChange> attr_changes(const Param& p, const Arg& now,
                                     const std::vector<Shape>& shapes) {
  return Changes(p, now, shapes).run();
}

}  // namespace assay
