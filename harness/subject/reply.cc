#include "harness/subject/reply.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/text.h"
#include "harness/subject/death.h"
#include "harness/wire/fp_env.h"

namespace assay::harness {
namespace {

std::string text_at(const Json& json, const char* field) {
  const auto found = json.find(field);
  return found != json.end() && found->is_string() ? found->get<std::string>()
                                                   : std::string();
}

bool flag_at(const Json& json, const char* field, bool otherwise) {
  const auto found = json.find(field);
  return found != json.end() && found->is_boolean() ? found->get<bool>()
                                                    : otherwise;
}

constexpr std::size_t kLongestName = 200;
// More than PyTorch's tensors have: what is printed stays short.
constexpr std::size_t kMostDimensions = 64;
constexpr std::size_t kMostAlternatives = 8;
constexpr std::size_t kLongestIdentity = std::size_t{64} << 10;

bool is_printable(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c >= 0x20 && c != 0x7f; });
}

bool is_ok(const Json& reply) { return flag_at(reply, "ok", false); }

RaisedError read_error(const Json& reply, const std::string& phase) {
  RaisedError error;
  error.exception = text_at(reply, "exception");
  error.clause = text_at(reply, "clause");
  error.message = text_at(reply, "message");
  error.phase = text_at(reply, "phase");
  if (error.phase.empty()) error.phase = phase;
  const auto classes = reply.find("classes");
  if (classes != reply.end() && classes->is_array()) {
    for (const Json& c : *classes) {
      if (c.is_string()) error.classes.push_back(c.get<std::string>());
    }
  }
  if (error.classes.empty()) error.classes.push_back(error.exception);
  return error;
}

Observation with_detail(Observation::Kind kind, std::string detail) {
  Observation o;
  o.kind = kind;
  o.detail = std::move(detail);
  return o;
}

Observation read_failure(const Json& reply, const std::string& phase) {
  const std::string kind = text_at(reply, "kind");
  const std::string message = text_at(reply, "message");
  if (kind == "refused") {
    Observation o;
    o.kind = Observation::Kind::raised;
    o.error = read_error(reply, phase);
    if (o.error.exception.empty()) {
      return malformed(
          fmt::format("a refusal that names no exception: {}", message));
    }
    return o;
  }
  if (kind == "unsupported") {
    return with_detail(Observation::Kind::unsupported, message);
  }
  if (kind == "out_of_memory") {
    return with_detail(Observation::Kind::out_of_memory,
                       fmt::format("{}: {}", phase, message));
  }
  if (kind == "device_lost") {
    return with_detail(Observation::Kind::device_lost,
                       fmt::format("{}: {}", phase, message));
  }
  if (kind == "internal") {
    return malformed(fmt::format("{}: the subject failed: {}", phase, message));
  }
  return malformed(
      fmt::format("a reply to {} with neither \"ok\": true nor "
                  "a known \"kind\": {}",
                  phase,
                  reply.dump(-1, ' ', false, Json::error_handler_t::replace)
                      .substr(0, 200)));
}

// A subject that ignores SIGXFSZ, as Python does, says in its own words that
// the file of tensors could not grow.
bool hit_file_limit(const Observation& o) {
  return (o.kind == Observation::Kind::malformed ||
          o.kind == Observation::Kind::out_of_memory) &&
         !file_limit().empty() &&
         o.detail.find(std::strerror(EFBIG)) != std::string::npos;
}

std::vector<std::string> short_texts(const Json& reply, const char* field) {
  std::vector<std::string> out;
  const auto list = reply.find(field);
  if (list == reply.end() || !list->is_array()) return out;
  for (const Json& one : *list) {
    const std::string text = one.is_string() ? one.get<std::string>() : "";
    if (text.empty() || text.size() > kLongestName || !is_printable(text)) {
      continue;
    }
    out.push_back(text);
  }
  return out;
}

Result<std::vector<Placed>> read_tensors(const Json& list, const char* what,
                                         std::int64_t scratch,
                                         std::int64_t file_size) {
  std::vector<Placed> out;
  for (const Json& item : list) {
    Result<Placed> one = placed_from_json(item, scratch, file_size);
    if (!one) {
      return Error{
          fmt::format("run: {} {}: {}", what, out.size(), one.error().message)};
    }
    out.push_back(std::move(*one));
  }
  return out;
}

// Adds what a hello lists in `field` to the facts, where results, submissions
// and their readers find it; `known` are the words that there are. The subject
// does not say it in other words.
Status add_listed(const Json& reply, const std::string& field,
                  const std::vector<std::string>& known,
                  std::map<std::string, std::string>* facts) {
  facts->erase(field);
  const auto list = reply.find(field);
  if (list == reply.end()) return success();
  std::string words;
  for (const Json& word : *list) {
    const bool is_known =
        word.is_string() && std::find(known.begin(), known.end(),
                                      word.get<std::string>()) != known.end();
    if (!is_known) {
      return Error{fmt::format(
          "an answer to hello whose '{}' has {}; known are "
          "{}",
          field, word.dump().substr(0, kLongestName), fmt::join(known, ", "))};
    }
    words += (words.empty() ? "" : ", ") + word.get<std::string>();
  }
  if (!words.empty()) (*facts)[field] = words;
  return success();
}

}  // namespace

Result<HelloReply> read_hello(const Json& reply) {
  if (!is_ok(reply)) {
    const std::string message = text_at(reply, "message");
    return Error{message.empty() ? "no \"ok\": true in the answer to hello"
                                 : message};
  }
  const auto protocol = reply.find("protocol");
  if (protocol == reply.end() || !protocol->is_number_integer() ||
      protocol->get<std::int64_t>() != kProtocolVersion) {
    return Error{
        fmt::format("it speaks protocol {}, we speak {}",
                    protocol == reply.end() ? "unknown" : protocol->dump(),
                    kProtocolVersion)};
  }
  HelloReply out;
  out.name = text_at(reply, "name");
  out.version = text_at(reply, "version");
  out.device = text_at(reply, "device");
  if (out.name.empty() || out.device.empty()) {
    return Error{"an answer to hello without name or device"};
  }
  out.slow_compile = flag_at(reply, "slow_compile", false);
  out.allocates_outputs = flag_at(reply, "allocates_outputs", true);
  out.writes_operands = flag_at(reply, "writes_operands", true);
  const std::string evidence = text_at(reply, "evidence");
  if (!evidence.empty()) {
    const auto known = parse_evidence(evidence);
    if (!known || *known < Evidence::compiled_linted) {
      return Error{fmt::format(
          "an answer to hello with evidence '{}', which is none of ran, "
          "emulated and compiled_linted",
          evidence)};
    }
    out.evidence = *known;
  }
  for (const std::string* text : {&out.name, &out.version, &out.device}) {
    if (text->size() > kLongestName || !is_printable(*text)) {
      return Error{fmt::format(
          "an answer to hello whose name, version or device is longer than {} "
          "bytes or has control characters",
          kLongestName)};
    }
  }
  const auto identity = reply.find("identity");
  if (identity != reply.end() && identity->is_object()) {
    if (identity->dump(-1, ' ', false, Json::error_handler_t::replace).size() >
        kLongestIdentity) {
      return Error{
          fmt::format("an identity of more than {} bytes", kLongestIdentity)};
    }
    for (const auto& [key, value] : identity->items()) {
      out.facts[key] =
          value.is_string() ? value.get<std::string>() : value.dump();
    }
  }
  const Status promises =
      add_listed(reply, "promises", {"values", "errors", "rows"}, &out.facts);
  if (!promises) return promises.error();
  // What every subject promises without saying so is no fact.
  if (promises_errors(out.facts) && !promises_rows(out.facts)) {
    out.facts.erase("promises");
  }
  const Status declares =
      add_listed(reply, "declares", {"flush_subnormals", "subnormals_are_zero"},
                 &out.facts);
  if (!declares) return declares.error();
  return out;
}

std::string column_name(const HelloReply& hello, const SubjectConfig& config) {
  std::string name = hello.name;
  if (config.versioned && !hello.version.empty())
    name += fmt::format("@{}", hello.version);
  for (const auto& [key, value] : config.options) {
    const Json json = option_json(value);
    name += fmt::format("+{}={}", key,
                        json.is_string() ? json.get<std::string>() : value);
  }
  return fmt::format("{}/{}", name, hello.device);
}

std::optional<Observation> failed(const Exchange& exchange,
                                  const std::string& phase) {
  const std::string detail = fmt::format("{}: {}", phase, exchange.detail);
  switch (exchange.kind) {
    case Exchange::Kind::died:
      if (exchange.file_limit) return not_run(detail);
      return with_detail(exchange.out_of_memory
                             ? Observation::Kind::out_of_memory
                             : Observation::Kind::crashed,
                         detail);
    case Exchange::Kind::timed_out:
      return with_detail(Observation::Kind::timed_out, detail);
    case Exchange::Kind::malformed:
      return malformed(detail);
    case Exchange::Kind::replied:
      break;
  }
  if (is_ok(exchange.reply)) return std::nullopt;
  Observation failure = read_failure(exchange.reply, phase);
  if (hit_file_limit(failure)) return not_run(failure.detail + file_limit());
  return failure;
}

std::optional<std::string> leaked_control(const Json& reply,
                                          const std::string& phase) {
  const auto env = reply.find("fp_env");
  if (env == reply.end() || !env->is_object()) return std::nullopt;
  const auto after = env->find("mxcsr");
  const auto before = env->find("before");
  if (after == env->end() || before == env->end() ||
      !after->is_number_integer() || !before->is_number_integer() ||
      *after == *before) {
    return std::nullopt;
  }
  return fmt::format("P1: {} left {}", phase,
                     describe_fp_change(before->get<std::uint32_t>(),
                                        after->get<std::uint32_t>()));
}

std::optional<std::string> negative_sizes(const Json& reply) {
  const auto list = reply.find("outputs");
  if (list == reply.end() || !list->is_array()) return std::nullopt;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const Json& item = (*list)[i];
    const auto dtype = parse_dtype(text_at(item, "dtype"));
    if (!dtype || !item.contains("sizes")) continue;
    const Json& sizes = item["sizes"];
    if (!sizes.is_array() || sizes.size() > kMostDimensions ||
        !std::all_of(sizes.begin(), sizes.end(),
                     [](const Json& s) { return s.is_number_integer(); })) {
      continue;
    }
    const auto shape = sizes.get<Shape>();
    if (std::none_of(shape.begin(), shape.end(),
                     [](std::int64_t s) { return s < 0; })) {
      continue;
    }
    return fmt::format("M1: output {} is {}, which has a negative size", i,
                       type_text(*dtype, shape));
  }
  return std::nullopt;
}

Result<std::vector<Placed>> read_outputs(const Json& reply,
                                         std::int64_t scratch,
                                         std::int64_t file_size) {
  const auto list = reply.find("outputs");
  if (list == reply.end() || !list->is_array()) {
    return Error{"run: a reply without a list of outputs"};
  }
  return read_tensors(*list, "output", scratch, file_size);
}

Result<std::vector<ReturnedLayout>> read_layouts(
    const Json& reply, const std::vector<Placed>& outputs) {
  std::vector<ReturnedLayout> out;
  const auto list = reply.find("layouts");
  if (list == reply.end()) return out;
  const auto is_whole = [](const Json& n) { return n.is_number_integer(); };
  if (!list->is_array() || list->size() != outputs.size()) {
    return Error{"run: 'layouts' is no list of one for each output"};
  }
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const Json& one = (*list)[k];
    const std::size_t rank = outputs[k].type.sizes.size();
    const bool complete =
        one.is_object() && one.contains("strides") && one.contains("offset") &&
        one["strides"].is_array() && one["strides"].size() == rank &&
        std::all_of(one["strides"].begin(), one["strides"].end(), is_whole) &&
        is_whole(one["offset"]);
    if (!complete) {
      return Error{fmt::format(
          "run: layout {} has not {} strides and an offset", k, rank)};
    }
    const auto storage = one.find("storage");
    const bool told = storage != one.end();
    if (told && !(is_whole(*storage) && storage->get<std::int64_t>() >= 0)) {
      return Error{fmt::format(
          "run: the storage of layout {} is no number from 0 on", k)};
    }
    out.push_back({one["strides"].get<Shape>(),
                   one["offset"].get<std::int64_t>(),
                   told ? storage->get<std::int64_t>() : kStorageUntold});
  }
  return out;
}

Result<std::vector<std::vector<Placed>>> read_alternatives(
    const Json& reply, std::size_t count, std::int64_t scratch,
    std::int64_t file_size) {
  std::vector<std::vector<Placed>> out;
  const auto list = reply.find("alternatives");
  if (list == reply.end()) return out;
  const auto bad = [](const std::string& what) {
    return Error{fmt::format("run: 'alternatives' is {}", what)};
  };
  if (!list->is_array() || list->size() > kMostAlternatives) {
    return bad(fmt::format("no list of at most {}", kMostAlternatives));
  }
  for (const Json& one : *list) {
    if (!one.is_array() || one.size() != count) {
      return bad(fmt::format("no list of {} outputs each", count));
    }
    auto placed = read_tensors(one, "alternative output", scratch, file_size);
    if (!placed) return placed.error();
    out.push_back(std::move(*placed));
  }
  return out;
}

std::vector<std::string> read_breaches(const Json& reply) {
  std::vector<std::string> out;
  const auto list = reply.find("breaches");
  if (list == reply.end() || !list->is_array()) return out;
  for (const Json& one : *list) {
    std::string text = one.is_string() ? one.get<std::string>() : "";
    // The other clauses are the harness's own to see.
    if (!text.starts_with("P2: ") && !text.starts_with("P4: ")) continue;
    text.resize(std::min(text.size(), kLongestName));
    out.push_back(is_printable(text) ? text : text.substr(0, 2) + ": ?");
  }
  return out;
}

std::vector<std::string> read_lint(const Json& reply) {
  return short_texts(reply, "lint");
}

std::vector<std::string> read_depends_on(const Json& reply) {
  std::vector<std::string> out = short_texts(reply, "depends_on");
  if (out.empty()) out.emplace_back("what the subject does not name");
  return out;
}

Result<Lowering> read_lowering(const Json& reply) {
  if (!reply.contains("lowering")) return Lowering::untold;
  const std::optional<Lowering> told =
      parse_lowering(text_at(reply, "lowering"));
  if (told && *told != Lowering::untold) return *told;
  return Error{
      fmt::format("compile: the lowering {} is neither hand nor "
                  "derived",
                  reply["lowering"].dump().substr(0, kLongestName))};
}

std::optional<std::string> oversized(const std::vector<Placed>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const TensorType& type = outputs[i].type;
    if (element_count(type.sizes) <= kMostElements) continue;
    return fmt::format("M1: output {} is {}, more than {} elements", i,
                       type_text(type.dtype, type.sizes), kMostElements);
  }
  return std::nullopt;
}

std::vector<std::string> metadata_breaches(
    const std::vector<Tensor>& outputs, const std::vector<TensorType>& expected,
    std::size_t count) {
  std::vector<std::string> found;
  if (outputs.size() != count) {
    found.push_back(
        fmt::format("M1: {} outputs instead of {}", outputs.size(), count));
    return found;
  }
  for (std::size_t i = 0; i < std::min(outputs.size(), expected.size()); ++i) {
    const Tensor& got = outputs[i];
    if (got.dtype() == expected[i].dtype && got.sizes() == expected[i].sizes) {
      continue;
    }
    found.push_back(
        fmt::format("M1: output {} is {} instead of {}", i,
                    type_text(got.dtype(), got.sizes()),
                    type_text(expected[i].dtype, expected[i].sizes)));
  }
  return found;
}

Observation malformed(std::string detail) {
  return with_detail(Observation::Kind::malformed, std::move(detail));
}

Observation not_run(std::string detail) {
  return with_detail(Observation::Kind::not_run, std::move(detail));
}

Json option_json(const std::string& value) {
  Json parsed = Json::parse(value, nullptr, false);
  return parsed.is_discarded() ? Json(value) : parsed;
}

Json options_json(const std::map<std::string, std::string>& options) {
  Json out = Json::object();
  for (const auto& [key, value] : options) out[key] = option_json(value);
  return out;
}

}  // namespace assay::harness
