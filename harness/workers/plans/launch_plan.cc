#include "harness/workers/plans/launch_plan.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/dtype.h"

namespace assay::harness::worker {
namespace {

using Json = nlohmann::json;

// What is wrong, and where: thrown and caught in this file alone.
struct Fault {
  std::string message;
};

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw Fault{fmt::format("{}: {}", where, what)};
}

std::vector<std::byte> from_hex(const std::string& where,
                                const std::string& digits) {
  const auto value = [&](char c) -> unsigned {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const std::size_t at = kDigits.find(c);
    if (at == std::string_view::npos) {
      fail(where, fmt::format("'{}' is not hexadecimal", digits));
    }
    return static_cast<unsigned>(at);
  };
  if (digits.empty() || digits.size() % 2 != 0) {
    fail(where, "an even number of hexadecimal digits is due");
  }
  std::vector<std::byte> out;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    out.push_back(
        static_cast<std::byte>(value(digits[i]) << 4 | value(digits[i + 1])));
  }
  return out;
}

// RFC 4648, with padding.
std::vector<std::byte> from_base64(const std::string& where,
                                   std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.size() % 4 != 0) fail(where, "base64 without its padding");
  while (text.ends_with('=')) text.remove_suffix(1);
  std::vector<std::byte> out;
  unsigned bits = 0;
  int held = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) fail(where, "not base64");
    bits = bits << 6 | static_cast<unsigned>(digit);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out.push_back(static_cast<std::byte>(bits >> held & 0xff));
  }
  return out;
}

class Reader {
 public:
  explicit Reader(const Json& json) : json_(json) {}

  LaunchPlan read() {
    if (natural(json_, "plan", "plan") != 1) fail("plan", "1 is known");
    plan_.target = text(json_, "target", "target");
    each("modules", [&](const Json& m, const std::string& where) {
      plan_.modules.push_back(text(m, "ptx", where));
    });
    each("buffers", [&](const Json& b, const std::string& where) {
      plan_.buffers.push_back(buffer(b, where));
    });
    each("launches", [&](const Json& l, const std::string& where) {
      plan_.steps.push_back(step(l, where));
    });
    each("outputs", [&](const Json& o, const std::string& where) {
      plan_.outputs.push_back(output(o, where));
    });
    each("checks", [&](const Json& c, const std::string& where) {
      plan_.checks.push_back({place(c, where), text(c, "exception", where),
                              c.value("clause", std::string()),
                              text(c, "message", where)});
    });
    each("cubins", [&](const Json& c, const std::string& where) {
      plan_.cubins.push_back(cubin(c, where));
    });
    return std::move(plan_);
  }

 private:
  template <class Use>
  void each(const char* name, const Use& use) {
    const auto list = json_.find(name);
    if (list == json_.end()) return;
    if (!list->is_array()) fail(name, "a list is due");
    for (std::size_t i = 0; i < list->size(); ++i) {
      const std::string where = fmt::format("{}[{}]", name, i);
      if (!(*list)[i].is_object()) fail(where, "an object is due");
      use((*list)[i], where);
    }
  }

  static const Json& field(const Json& json, const char* name,
                           const std::string& where) {
    const auto found = json.find(name);
    if (found == json.end()) fail(where, fmt::format("'{}' is missing", name));
    return *found;
  }

  static std::string text(const Json& json, const char* name,
                          const std::string& where) {
    const Json& value = field(json, name, where);
    if (!value.is_string()) fail(where, fmt::format("'{}' is a text", name));
    return value.get<std::string>();
  }

  static std::size_t natural(const Json& json, const char* name,
                             const std::string& where) {
    const Json& value = field(json, name, where);
    if (!value.is_number_unsigned()) {
      fail(where, fmt::format("'{}' is a number, not below 0", name));
    }
    return value.get<std::size_t>();
  }

  PlanBuffer buffer(const Json& json, const std::string& where) {
    PlanBuffer out;
    const std::string kind = text(json, "kind", where);
    if (kind == "input") {
      out.kind = PlanBuffer::Kind::input;
      out.index = natural(json, "index", where);
    } else if (kind == "constant") {
      out.kind = PlanBuffer::Kind::constant;
      out.content = from_base64(where, text(json, "base64", where));
    } else if (kind == "temporary" || kind == "output") {
      out.kind = kind == "output" ? PlanBuffer::Kind::output
                                  : PlanBuffer::Kind::temporary;
      out.bytes = natural(json, "bytes", where);
      if (json.contains("fill")) {
        out.fill = static_cast<std::byte>(natural(json, "fill", where));
      }
    } else {
      fail(where, fmt::format("kind '{}' is none of input, constant, "
                              "temporary, output",
                              kind));
    }
    return out;
  }

  PlanPlace place(const Json& json, const std::string& where) {
    PlanPlace out;
    out.buffer = natural(json, "buffer", where);
    if (out.buffer >= plan_.buffers.size()) {
      fail(where, fmt::format("there is no buffer {}", out.buffer));
    }
    const Json offset = json.value("offset", Json(0));
    if (!offset.is_number_integer()) fail(where, "'offset' is a number");
    out.offset = offset.get<std::int64_t>();
    return out;
  }

  static std::array<std::uint32_t, 3> counts(const Json& json, const char* name,
                                             const std::string& where) {
    const Json& value = field(json, name, where);
    if (!value.is_array() || value.size() != 3) {
      fail(where, fmt::format("'{}' is a list of three counts", name));
    }
    std::array<std::uint32_t, 3> out{};
    for (std::size_t i = 0; i < 3; ++i) {
      if (!value[i].is_number_unsigned() ||
          value[i].get<std::uint64_t>() > UINT32_MAX) {
        fail(where, fmt::format("'{}' is a list of three counts", name));
      }
      out[i] = value[i].get<std::uint32_t>();
    }
    return out;
  }

  PlanStep step(const Json& json, const std::string& where) {
    if (const auto copy = json.find("copy"); copy != json.end()) {
      return PlanCopy{place(field(*copy, "from", where), where + ".copy.from"),
                      place(field(*copy, "to", where), where + ".copy.to"),
                      natural(*copy, "bytes", where + ".copy")};
    }
    if (const auto fill = json.find("fill"); fill != json.end()) {
      PlanFill out{place(*fill, where + ".fill"),
                   natural(*fill, "bytes", where + ".fill"),
                   from_hex(where + ".fill", text(*fill, "value", where))};
      if (out.bytes % out.value.size() != 0) {
        fail(where, "'bytes' is a multiple of the value's length");
      }
      return out;
    }
    return launch(json, where);
  }

  PlanLaunch launch(const Json& json, const std::string& where) {
    PlanLaunch out;
    out.module = natural(json, "module", where);
    if (out.module >= plan_.modules.size()) {
      fail(where + ".module", fmt::format("there is no module {}", out.module));
    }
    out.entry = text(json, "entry", where);
    out.grid = counts(json, "grid", where);
    out.block = counts(json, "block", where);
    if (json.contains("cluster")) out.cluster = counts(json, "cluster", where);
    if (json.contains("shared")) out.shared = natural(json, "shared", where);
    if (const auto all = json.find("cooperative"); all != json.end()) {
      if (!all->is_boolean()) fail(where, "'cooperative' is true or false");
      out.cooperative = all->get<bool>();
    }
    const Json& arguments = field(json, "arguments", where);
    if (!arguments.is_array()) fail(where, "'arguments' is a list");
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const std::string here = fmt::format("{}.arguments[{}]", where, i);
      if (!arguments[i].is_object()) fail(here, "an object is due");
      if (arguments[i].contains("buffer")) {
        out.arguments.emplace_back(place(arguments[i], here));
      } else {
        out.arguments.emplace_back(
            from_hex(here, text(arguments[i], "value", here)));
      }
    }
    return out;
  }

  PlanOutput output(const Json& json, const std::string& where) {
    PlanOutput out;
    out.at = place(json, where);
    const std::string name = text(json, "dtype", where);
    const auto dtype = parse_dtype(name);
    if (!dtype) fail(where, fmt::format("'{}' is no dtype", name));
    const auto integers = [&](const char* list) {
      const Json& value = field(json, list, where);
      Shape numbers;
      if (!value.is_array()) fail(where, fmt::format("'{}' is a list", list));
      for (const Json& n : value) {
        if (!n.is_number_unsigned()) {
          fail(where, fmt::format("'{}' holds numbers, not below 0", list));
        }
        numbers.push_back(n.get<std::int64_t>());
      }
      return numbers;
    };
    out.type = {*dtype, integers("sizes"), integers("strides")};
    if (out.type.sizes.size() != out.type.strides.size()) {
      fail(where, "as many strides as sizes are due");
    }
    return out;
  }

  PlanCubin cubin(const Json& json, const std::string& where) {
    PlanCubin out;
    out.module = natural(json, "module", where);
    if (out.module >= plan_.modules.size()) {
      fail(where + ".module", fmt::format("there is no module {}", out.module));
    }
    if (json.contains("error")) {
      out.error = text(json, "error", where);
    } else {
      out.content = from_base64(where, text(json, "base64", where));
    }
    return out;
  }

  const Json& json_;
  LaunchPlan plan_;
};

}  // namespace

Result<LaunchPlan> read_launch_plan(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return Error{"a launch plan is a JSON object"};
  try {
    return Reader(json).read();
  } catch (const Fault& fault) {
    return Error{fmt::format("launch plan: {}", fault.message)};
  }
}

}  // namespace assay::harness::worker
