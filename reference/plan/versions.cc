#include "reference/plan/versions.h"

#include <algorithm>
#include <set>

#include "reference/plan/frame.h"
#include "suite/language/nest/index_arithmetic.h"

namespace assay::reference {
namespace {

// Of elements that are held, which are of no write.
constexpr int kNoWrite = -1;

// An index that hangs on no element; nothing of another.
std::optional<std::int64_t> static_index(const Nest& nest, int node,
                                         const Frame& frame) {
  using Op = IndexNode::Op;
  const IndexNode& x = nest.index(node);
  if (x.op == Op::constant) return x.value;
  if (x.op == Op::slot) return frame.slots[x.value];
  if (x.op == Op::element || x.op == Op::select) return std::nullopt;
  const auto a = static_index(nest, x.a, frame);
  const auto b = x.b < 0 ? a : static_index(nest, x.b, frame);
  if (!a || !b) return std::nullopt;
  return language::index_arithmetic(x.op, *a, *b);
}

std::string naming(const Program& program, int id, const std::string& what) {
  return "%" + std::to_string(id) + " = " + program.node({id}).op + ": " + what;
}

}  // namespace

int Versions::seen(int value, int reader, const Shape& sizes) {
  const int written = storages_.written(value, reader);
  if (written == value) return value;
  const auto [at, is_new] = ids_.emplace(
      std::pair{value, written},
      program_->value_count() + static_cast<int>(versions_.size()));
  if (!is_new) return at->second;
  const Elements& now = contents_.at(storages_.root(value));
  Elements elements = places_of(value, sizes);
  for (Element& e : elements) {
    const auto place = static_cast<std::size_t>(e.element);
    if (place < now.size()) e = now[place];
  }
  versions_.push_back(std::move(elements));
  made_of_.emplace_back(value, written);
  return at->second;
}

int Versions::hold(int value, Tensor elements) {
  const int id = program_->value_count() + static_cast<int>(versions_.size());
  versions_.emplace_back();
  made_of_.emplace_back(value, kNoWrite);
  held_.emplace(id, std::move(elements));
  return id;
}

Versions::Elements Versions::places_of(int value, const Shape& sizes) const {
  const auto known = places_.find(value);
  if (known != places_.end()) return known->second;
  Elements all(static_cast<std::size_t>(element_count(sizes)));
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = {value, static_cast<std::int64_t>(i)};
  }
  return all;
}

Result<Versions::Elements> Versions::view_of(const Nest& nest) const {
  const int base = base_operand(program_->call({nest.value}))->id;
  const ValueNode& v = nest.node(nest.out().body);
  const Error unknown{naming(*program_, nest.value,
                             "a view that is written to must have elements of "
                             "its first operand")};
  if (v.op != ValueNode::Op::element) return unknown;
  const Access& a = nest.access(v.access);
  const auto known = places_.find(base);
  Elements elements(static_cast<std::size_t>(element_count(nest.type.sizes)));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const Frame frame = frame_of(nest.type.sizes, static_cast<std::int64_t>(i));
    std::int64_t place = 0;
    for (std::size_t d = 0; d < a.index.size(); ++d) {
      const auto index = static_index(nest, a.index[d], frame);
      if (!index || *index < 0 || *index >= a.sizes[d]) return unknown;
      place += *index * a.strides[d];
    }
    elements[i] = known == places_.end()
                      ? Element{base, place}
                      : known->second[static_cast<std::size_t>(place)];
  }
  return elements;
}

bool Versions::overlaps(const Nest& nest, int operand,
                        const Elements& written) const {
  const int root = storages_.root(operand);
  std::set<std::int64_t> places;
  for (const Element& e : written) places.insert(e.element);
  const auto same = [](const Element& a, const Element& b) {
    return a.element == b.element;
  };
  for (const auto& [name, actual] : nest.binding.actuals) {
    const auto* t = std::get_if<language::TensorArg>(&actual);
    if (t == nullptr || t->ref.id == operand ||
        storages_.root(t->ref.id) != root) {
      continue;
    }
    const Elements read = places_of(t->ref.id, components(t->type).sizes);
    if (std::equal(read.begin(), read.end(), written.begin(), written.end(),
                   same)) {
      continue;
    }
    if (std::any_of(read.begin(), read.end(), [&](const Element& e) {
          return places.count(e.element) != 0;
        })) {
      return true;
    }
  }
  return false;
}

Status Versions::follow(const Nest& nest) {
  const int id = nest.value;
  const Node& node = program_->node({id});
  const int root = storages_.root(id);
  if (root == id) return success();
  const bool is_written = storages_.written(root) != root;
  if (!is_written || !storages_.is_sure(id)) return success();
  if (!writes_operand(node)) {
    Result<Elements> view = view_of(nest);
    if (!view) return view.error();
    places_[id] = std::move(*view);
    return success();
  }
  const int operand = base_operand(node)->id;
  Elements written = places_of(operand, nest.type.sizes);
  if (overlaps(nest, operand, written)) {
    return Error{naming(*program_, id,
                        "another operand shares some of the elements that it "
                        "writes")};
  }
  Elements& now = contents_[root];
  std::set<std::int64_t> places;
  for (std::size_t i = 0; i < written.size(); ++i) {
    const auto place = written[i].element;
    if (!places.insert(place).second) {
      return Error{
          naming(*program_, id, "it writes into elements that share memory")};
    }
    while (now.size() <= static_cast<std::size_t>(place)) {
      now.push_back({root, static_cast<std::int64_t>(now.size())});
    }
    now[static_cast<std::size_t>(place)] = {id, static_cast<std::int64_t>(i)};
  }
  places_[id] = std::move(written);
  return success();
}

std::optional<int> Versions::at_end(int id) const {
  const auto [value, written] =
      is_version(id)
          ? made_of_[static_cast<std::size_t>(id - program_->value_count())]
          : std::pair{id, id};
  if (storages_.written(value) != written) return std::nullopt;
  return value;
}

}  // namespace assay::reference
