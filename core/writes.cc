#include "core/writes.h"

#include <algorithm>
#include <string_view>

#include "core/operands.h"

namespace assay {
namespace {

std::string_view base_name(const Node& node) {
  std::string_view name = node.op;
  name = name.substr(0, name.rfind('.'));
  return name.substr(name.rfind('.') + 1);
}

template <std::size_t N>
bool is_one_of(const Node& node, const std::string_view (&names)[N]) {
  return std::find(std::begin(names), std::end(names), base_name(node)) !=
         std::end(names);
}

// Does it return its first operand's storage, or may it?
bool may_alias(const Node& node) {
  constexpr std::string_view kViews[] = {
      "alias",   "as_strided", "contiguous", "detach",  "diagonal",
      "expand",  "flatten",    "movedim",    "narrow",  "permute",
      "reshape", "select",     "slice",      "squeeze", "t",
      "to",      "transpose",  "unflatten",  "unfold",  "unsqueeze",
      "view",    "view_as",    "swapaxes",   "ravel",   "expand_as"};
  return is_one_of(node, kViews) || changes_metadata(node);
}

// The storage that a value lies in: the value that made it.
struct Place {
  int root = 0;
  bool whole = true;
};

std::vector<Place> places_of(const Program& program) {
  std::vector<Place> places;
  for (int id = 0; id < program.first_node_id(); ++id) {
    places.push_back({id, true});
  }
  for (const Node& node : program.nodes) {
    const auto* first =
        node.args.empty() ? nullptr : std::get_if<ValueRef>(&node.args[0]);
    Place place{static_cast<int>(places.size()), true};
    if (first != nullptr && (writes_operand(node) || may_alias(node))) {
      place = places[static_cast<std::size_t>(first->id)];
      place.whole = place.whole && writes_operand(node);
    }
    places.push_back(place);
  }
  return places;
}

}  // namespace

bool writes_operand(const Node& node) {
  const std::string_view name = base_name(node);
  return name.ends_with("_") && !name.ends_with("__") &&
         !changes_metadata(node);
}

bool changes_metadata(const Node& node) {
  constexpr std::string_view kNames[] = {
      "as_strided_", "detach_",   "resize_", "resize_as_", "squeeze_",
      "swapaxes_",   "swapdims_", "t_",      "transpose_", "unsqueeze_"};
  return is_one_of(node, kNames);
}

InputWrites input_writes(const Program& program) {
  InputWrites out(program.inputs.size());
  const std::vector<Place> places = places_of(program);
  for (int id = program.first_node_id(); id < program.value_count(); ++id) {
    const Place& place = places[static_cast<std::size_t>(id)];
    if (writes_operand(program.node({id})) && program.is_input({place.root})) {
      out[static_cast<std::size_t>(place.root)] = {{id}, place.whole};
    }
  }
  return out;
}

std::optional<ValueRef> misused_value(const Program& program) {
  const std::vector<Place> places = places_of(program);
  std::vector<int> written(places.size(), -1);  // by root: the last call
  const auto root = [&](ValueRef v) {
    return static_cast<std::size_t>(
        places[static_cast<std::size_t>(v.id)].root);
  };
  for (int id = program.first_node_id(); id < program.value_count(); ++id) {
    const Node& node = program.node({id});
    for (const ValueRef v : operands(node)) {
      if (v.id < written[root(v)]) return v;
    }
    if (!writes_operand(node) && !changes_metadata(node)) continue;
    if (program.is_constant({static_cast<int>(root({id}))})) {
      return ValueRef{static_cast<int>(root({id}))};
    }
    written[root({id})] = id;
  }
  for (const ValueRef v : program.outputs) {
    if (v.id < written[root(v)]) return v;
  }
  return std::nullopt;
}

}  // namespace assay
