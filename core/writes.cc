#include "core/writes.h"

#include <algorithm>
#include <set>
#include <string>
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

// What is passed as `out`.
const ValueRef* out_operand(const Node& node) {
  for (const auto& [name, arg] : node.kwargs) {
    if (name == "out") return std::get_if<ValueRef>(&arg);
  }
  return nullptr;
}

}  // namespace

bool writes_operand(const Node& node) {
  if (out_operand(node) != nullptr) return true;
  const std::string_view name = base_name(node);
  return name.ends_with("_") && !name.ends_with("__") &&
         !changes_metadata(node);
}

const ValueRef* base_operand(const Node& call) {
  if (const ValueRef* out = out_operand(call)) return out;
  if (call.args.empty()) return nullptr;
  // Behind an equation.
  const bool is_text = std::holds_alternative<std::string>(call.args[0]);
  const Arg& first = call.args[is_text && call.args.size() > 1 ? 1 : 0];
  if (const auto* list = std::get_if<std::vector<ValueRef>>(&first)) {
    return list->size() == 1 ? list->data() : nullptr;
  }
  return std::get_if<ValueRef>(&first);
}

bool changes_metadata(const Node& node) {
  constexpr std::string_view kNames[] = {
      "as_strided_", "detach_",   "resize_", "resize_as_", "squeeze_",
      "swapaxes_",   "swapdims_", "t_",      "transpose_", "unsqueeze_"};
  return is_one_of(node, kNames);
}

bool is_view(const Node& call) {
  constexpr std::string_view kViews[] = {
      "alias",   "broadcast_to",     "chunk",     "detach",   "diagonal",
      "dsplit",  "expand",           "expand_as", "hsplit",   "moveaxis",
      "movedim", "narrow",           "permute",   "select",   "slice",
      "split",   "split_with_sizes", "squeeze",   "swapaxes", "swapdims",
      "t",       "tensor_split",     "transpose", "unbind",   "unflatten",
      "unfold",  "unsqueeze",        "view",      "view_as",  "vsplit"};
  return is_one_of(call, kViews) && call.op != "aten.view.dtype";
}

bool may_be_view(const Node& call) {
  constexpr std::string_view kMaybe[] = {"_conj",
                                         "_unsafe_view",
                                         "alpha_dropout",
                                         "as_strided",
                                         "atleast_1d",
                                         "atleast_2d",
                                         "atleast_3d",
                                         "conj",
                                         "contiguous",
                                         "dropout",
                                         "einsum",
                                         "feature_alpha_dropout",
                                         "feature_dropout",
                                         "flatten",
                                         "imag",
                                         "positive",
                                         "ravel",
                                         "real",
                                         "reshape",
                                         "reshape_as",
                                         "resolve_conj",
                                         "resolve_neg",
                                         "to",
                                         "unsafe_chunk",
                                         "unsafe_split",
                                         "unsafe_split_with_sizes",
                                         "view",
                                         "view_as_complex",
                                         "view_as_real"};
  return is_view(call) || is_one_of(call, kMaybe);
}

bool copies_view(const Node& call) {
  constexpr std::string_view kCopy = "_copy";
  std::string name(base_name(call));
  if (name == "clone") return true;
  if (!name.ends_with(kCopy)) return false;
  name.resize(name.size() - kCopy.size());
  return may_be_view({"aten." + name + ".default", {}, {}});
}

Storages::Storages(const Program& program) : Storages(program, "", false) {}

Storages::Storages(const Program& program, std::string_view aten, bool shared)
    : writes_(static_cast<std::size_t>(program.value_count())) {
  for (int id = 0; id < program.first_node_id(); ++id) places_.push_back({id});
  for (const Node& node : program.nodes) {
    const int id = static_cast<int>(places_.size());
    const Node& call = program.call({id});
    const ValueRef* first = base_operand(call);
    Place place{id};
    // What is not defined is another's to refuse.
    const bool defined = first != nullptr && first->id >= 0 && first->id < id;
    const bool named = call.op == aten;
    const bool sure = writes_operand(node) || changes_metadata(node) ||
                      (named ? shared : is_view(call));
    if (defined && (sure || (!named && may_be_view(call)))) {
      place = places_[static_cast<std::size_t>(first->id)];
      place.sure = place.sure && sure;
    }
    if (writes_operand(node)) {
      writes_[static_cast<std::size_t>(place.root)].push_back(id);
    }
    places_.push_back(place);
  }
}

int Storages::root(int value) const {
  return places_[static_cast<std::size_t>(value)].root;
}

bool Storages::is_sure(int value) const {
  return places_[static_cast<std::size_t>(value)].sure;
}

int Storages::written(int value, int reader) const {
  const auto& writes = writes_[static_cast<std::size_t>(root(value))];
  const auto next = std::lower_bound(writes.begin(), writes.end(), reader);
  return next == writes.begin() ? value : std::max(value, *(next - 1));
}

int Storages::written(int value) const {
  return written(value, static_cast<int>(places_.size()));
}

InputWrites input_writes(const Program& program) {
  InputWrites out(program.inputs.size());
  const Storages storages(program);
  std::vector<bool> whole;  // by value: it is all of its storage's first value
  for (int id = 0; id < program.value_count(); ++id) {
    const bool writes =
        program.is_node({id}) && writes_operand(program.node({id}));
    const ValueRef* first = writes ? base_operand(program.node({id})) : nullptr;
    whole.push_back(first != nullptr
                        ? whole[static_cast<std::size_t>(first->id)]
                        : storages.root(id) == id);
    const int root = storages.root(id);
    if (writes && program.is_input({root})) {
      out[static_cast<std::size_t>(root)] = {{id}, whole.back()};
    }
  }
  return out;
}

std::optional<ValueRef> misused_value(const Program& program) {
  const Storages storages(program);
  const auto count = static_cast<std::size_t>(program.value_count());
  // By root: the last call that changes sizes, and that writes where nobody can
  // tell who sees it.
  std::vector<int> changed(count, -1), unsure(count, -1);
  const auto root = [&](int id) {
    return static_cast<std::size_t>(storages.root(id));
  };
  const auto misused = [&](ValueRef v, int reader) {
    if (v.id < 0 || v.id >= reader) return false;  // not defined
    const int written = storages.written(v.id, reader);
    return v.id < changed[root(v.id)] || v.id < unsure[root(v.id)] ||
           (written != v.id && !storages.is_sure(v.id));
  };
  for (int id = program.first_node_id(); id < program.value_count(); ++id) {
    const Node& node = program.node({id});
    for (const ValueRef v : operands(node)) {
      if (misused(v, id)) return v;
    }
    const bool changes = changes_metadata(node);
    if (!writes_operand(node) && !changes) continue;
    if (!changes && program.is_constant({storages.root(id)})) {
      return ValueRef{storages.root(id)};
    }
    if (changes) changed[root(id)] = id;
    if (!storages.is_sure(id)) unsure[root(id)] = id;
  }
  for (const ValueRef v : program.outputs) {
    if (misused(v, program.value_count())) return v;
  }
  return std::nullopt;
}

bool is_read_before_a_write(const Program& program) {
  const Storages storages(program);
  std::set<int> read;  // roots
  for (int id = program.first_node_id(); id < program.value_count(); ++id) {
    const Node& node = program.node({id});
    if (writes_operand(node) && read.count(storages.root(id)) != 0) return true;
    // What shares the storage shows it, and computes nothing.
    for (const ValueRef v : operands(node)) {
      if (storages.root(v.id) != storages.root(id)) {
        read.insert(storages.root(v.id));
      }
    }
  }
  return false;
}

}  // namespace assay
