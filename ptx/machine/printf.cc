#include "ptx/machine/printf.h"

#include <array>
#include <bit>
#include <cstdio>
#include <cstring>

namespace assay::ptx {
namespace {

class Values {
 public:
  explicit Values(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::uint64_t next(std::size_t size) {
    at_ = (at_ + size - 1) / size * size;
    std::uint64_t value = 0;
    if (at_ + size <= bytes_.size())
      std::memcpy(&value, bytes_.data() + at_, size);
    at_ += size;
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

template <class T>
std::string print(const std::string& format, T value) {
  std::array<char, 512> text{};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  // The specification was taken apart below: one value of this type.
  std::snprintf(text.data(), text.size(), format.c_str(), value);
#pragma GCC diagnostic pop
  return text.data();
}

// One specification, from its percent sign on; `at` moves past it.
std::string conversion(std::string_view format, std::size_t& at, Values& values,
                       const std::function<std::string(std::uint64_t)>& text) {
  std::size_t begin = at++;
  std::string spec = "%";
  bool is_long = false;
  for (; at < format.size(); ++at) {
    char c = format[at];
    if (std::strchr("-+ #0123456789.", c) != nullptr) {
      spec += c;
    } else if (c == '*') {
      spec += std::to_string(static_cast<std::int32_t>(values.next(4)));
    } else if (c == 'l' || c == 'z' || c == 'j' || c == 't') {
      is_long = true;
    } else if (c != 'h') {
      break;
    }
  }
  if (at == format.size()) return std::string(format.substr(begin));
  char kind = format[at++];
  switch (kind) {
    case '%':
      return "%";
    case 'd':
    case 'i': {
      std::uint64_t bits = values.next(is_long ? 8 : 4);
      auto value = is_long ? static_cast<std::int64_t>(bits)
                           : static_cast<std::int32_t>(bits);
      return print(spec + "lld", static_cast<long long>(value));
    }
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      return print(spec + "ll" + kind, static_cast<unsigned long long>(
                                           values.next(is_long ? 8 : 4)));
    case 'c':
      return print(spec + "c", static_cast<int>(values.next(4)));
    case 'p':
      return print("0x%llx", static_cast<unsigned long long>(values.next(8)));
    case 's':
      return print(spec + "s", text(values.next(8)).c_str());
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      return print(spec + kind, std::bit_cast<double>(values.next(8)));
    default:
      return std::string(format.substr(begin, at - begin));
  }
}

}  // namespace

std::string format_values(
    std::string_view format, std::span<const std::byte> values,
    const std::function<std::string(std::uint64_t)>& text_of) {
  Values in(values);
  std::string out;
  for (std::size_t at = 0; at < format.size();) {
    if (format[at] == '%')
      out += conversion(format, at, in, text_of);
    else
      out += format[at++];
  }
  return out;
}

}  // namespace assay::ptx
