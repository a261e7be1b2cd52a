#include "suite/language/bind/places.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "suite/language/bind/strides.h"

namespace assay::language {

Place own_place(int id, const Shape& sizes, const Shape& strides) {
  const bool dense = is_dense({sizes, strides});
  return {id, id, 0, strides, dense ? element_count(sizes) : 0};
}

Places::Places(const Program& program, const Storages& storages)
    : program_(program), storages_(storages) {
  const auto add = [this](const TensorType& t) {
    const int id = static_cast<int>(places_.size());
    strides_.emplace_back(t.strides);
    places_.push_back(own_place(id, t.sizes, t.strides));
  };
  for (const TensorType& t : program.inputs) add(t);
  for (const Tensor& t : program.constants) add(t.type);
}

Status Places::follow(const Binding& call, std::size_t output,
                      const TensorType& type) {
  const int id = static_cast<int>(places_.size());
  const std::function<Strides(ValueRef)> strides_of = [this](ValueRef v) {
    return strides_[static_cast<std::size_t>(v.id)];
  };
  const Result<std::optional<Lying>> lying =
      promised_layout(call, call.form->output(output), type, strides_of);
  if (!lying) return lying.error();
  std::optional<Place> place;
  if (storages_.root(id) == id) {
    if (*lying) {
      place = own_place(id, type.sizes, (*lying)->strides);
    } else if (type.sizes.size() <= 1) {
      // Whatever is promised, new memory has no gaps between elements.
      place = own_place(id, type.sizes, contiguous_strides(type.sizes));
    }
  } else if (*lying && storages_.is_sure(id)) {
    const Node& made_by = program_.call({id});
    const auto& base = of(*base_operand(made_by));
    if (base && writes_operand(made_by)) {
      place = base;
    } else if (base) {
      place = Place{base->storage, id, base->first + (*lying)->first,
                    (*lying)->strides, base->count};
    }
  }
  strides_.push_back(*lying ? Strides((*lying)->strides) : Strides());
  places_.push_back(std::move(place));
  return success();
}

bool fills_memory(const TensorArg& x) {
  return x.place && x.place->first == 0 &&
         is_dense({x.type.sizes, x.place->strides}) &&
         x.place->count == element_count(x.type.sizes);
}

bool overlaps_itself(const TensorArg& x) {
  if (!x.place) return false;
  for (std::size_t d = 0; d < x.type.sizes.size(); ++d) {
    if (x.type.sizes[d] > 1 && x.place->strides[d] == 0) return true;
  }
  return false;
}

bool may_share_elements(const TensorArg& x) {
  if (!x.place || element_count(x.type.sizes) == 0) return false;
  std::vector<std::pair<std::int64_t, std::int64_t>> steps;  // stride, size
  for (std::size_t d = 0; d < x.type.sizes.size(); ++d) {
    if (x.type.sizes[d] > 1) {
      steps.emplace_back(x.place->strides[d], x.type.sizes[d]);
    }
  }
  std::sort(steps.begin(), steps.end());
  std::int64_t reach = 0;
  for (const auto& [stride, size] : steps) {
    if (stride <= reach) return true;
    reach += (size - 1) * stride;
  }
  return false;
}

Overlap overlap_of(const TensorArg& x, const TensorArg& y) {
  if (x.ref == y.ref) return Overlap::whole;
  if (!x.place || !y.place) return Overlap::unknown;
  const Place& a = *x.place;
  const Place& b = *y.place;
  if (a.tensor == b.tensor) return Overlap::whole;
  const std::int64_t a_count = element_count(x.type.sizes);
  const std::int64_t b_count = element_count(y.type.sizes);
  if (a.storage != b.storage || a_count == 0 || b_count == 0) {
    return Overlap::none;
  }
  if (!is_dense({x.type.sizes, a.strides}) ||
      !is_dense({y.type.sizes, b.strides})) {
    return Overlap::unknown;
  }
  if (a.first == b.first && a_count == b_count) {
    if (a.strides == b.strides) return Overlap::whole;
    // Of the stride of a single element nothing is promised.
    const bool same = x.type.sizes == y.type.sizes &&
                      same_strides(x.type.sizes, a.strides, b.strides);
    return same ? Overlap::unknown : Overlap::partly;
  }
  const bool meet = a.first < b.first + b_count && b.first < a.first + a_count;
  return meet ? Overlap::partly : Overlap::none;
}

}  // namespace assay::language
