#include "core/torch_version.h"

#include <charconv>

namespace assay {
namespace {

// Takes a number off the front.
std::optional<int> take_number(std::string_view* text) {
  int n = 0;
  const char* const end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, n);
  if (error != std::errc() || n < 0) return std::nullopt;
  text->remove_prefix(static_cast<std::size_t>(stop - text->data()));
  return n;
}

std::optional<TorchVersion> take_version(std::string_view* text) {
  const auto major = take_number(text);
  if (!major || !text->starts_with('.')) return std::nullopt;
  text->remove_prefix(1);
  const auto minor = take_number(text);
  if (!minor) return std::nullopt;
  return TorchVersion{*major, *minor};
}

}  // namespace

std::optional<TorchVersion> parse_torch_version(std::string_view text) {
  return take_version(&text);
}

std::string to_string(TorchVersion v) {
  return std::to_string(v.major) + "." + std::to_string(v.minor);
}

std::optional<TorchRange> parse_torch_range(std::string_view text) {
  TorchRange r;
  r.before = text.starts_with("< ");
  if (!r.before && !text.starts_with(">= ")) return std::nullopt;
  text.remove_prefix(r.before ? 2 : 3);
  const auto v = take_version(&text);
  if (!v || !text.empty()) return std::nullopt;
  r.version = *v;
  return r;
}

}  // namespace assay
