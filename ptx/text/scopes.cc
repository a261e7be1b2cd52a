#include "ptx/text/scopes.h"

#include <charconv>
#include <utility>

namespace assay::ptx {

void Scopes::open() { scopes_.emplace_back(); }

void Scopes::close() {
  Scope inner = std::move(scopes_.back());
  scopes_.pop_back();
  for (const auto& [name, id] : inner.labels) {
    if (defined_[id]) continue;
    if (scopes_.empty()) {
      if (!undefined_) undefined_ = name;
      continue;
    }
    auto [place, is_new] = scopes_.back().labels.try_emplace(name, id);
    if (!is_new) forward_[id] = place->second;
  }
}

std::uint32_t Scopes::add(std::string_view name, Type type) {
  f_.registers.push_back({std::string(name), type});
  return static_cast<std::uint32_t>(f_.registers.size() - 1);
}

void Scopes::declare(const std::string& name, Type type) {
  scopes_.back().registers[name] = add(name, type);
}

void Scopes::declare_range(const std::string& prefix, std::uint64_t count,
                           Type type) {
  scopes_.back().ranges.push_back({prefix, count, type});
}

std::optional<std::uint32_t> Scopes::find_register(std::string_view name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    auto known = scope->registers.find(name);
    if (known != scope->registers.end()) return known->second;
    for (const Range& range : scope->ranges) {
      if (!name.starts_with(range.prefix)) continue;
      std::string_view digits = name.substr(range.prefix.size());
      std::uint64_t number = 0;
      auto [stop, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), number);
      if (error != std::errc() || stop != digits.data() + digits.size() ||
          number >= range.count)
        continue;
      std::uint32_t id = add(name, range.type);
      scope->registers.emplace(name, id);
      return id;
    }
  }
  return std::nullopt;
}

std::string Scopes::declare_variable(const std::string& name) {
  std::string unique = name;
  if (scopes_.size() > 1) unique += "@" + std::to_string(++renamed_);
  scopes_.back().variables[name] = unique;
  return unique;
}

std::string Scopes::variable(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    auto known = scope->variables.find(name);
    if (known != scope->variables.end()) return known->second;
  }
  return std::string(name);
}

std::uint32_t Scopes::label(std::string_view name) {
  // A label of an outer scope is seen from here if this one never gets its
  // own, which only close() knows.
  auto known = scopes_.back().labels.find(name);
  if (known != scopes_.back().labels.end()) return known->second;
  auto id = static_cast<std::uint32_t>(f_.labels.size());
  f_.labels.push_back(0);
  defined_.push_back(false);
  forward_.push_back(id);
  scopes_.back().labels.emplace(name, id);
  return id;
}

bool Scopes::define_label(std::string_view name) {
  std::uint32_t id = label(name);
  if (defined_[id]) return false;
  defined_[id] = true;
  f_.labels[id] = f_.body.size();
  return true;
}

void resolve_labels(Scopes& scopes, Function& f) {
  for (std::uint32_t id = 0; id < f.labels.size(); ++id) {
    std::uint32_t last = id;
    while (scopes.forward_[last] != last) last = scopes.forward_[last];
    f.labels[id] = f.labels[last];
  }
}

}  // namespace assay::ptx
