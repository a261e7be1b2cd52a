#include "harness/records/result_json.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace assay::harness {
namespace {

using nlohmann::ordered_json;

ordered_json number(double value) {
  if (std::isfinite(value)) return value;
  return value < 0 ? "-inf" : "inf";
}

double number_from(const ordered_json& value) {
  if (value.is_number()) return value.get<double>();
  const auto text = value.get<std::string>();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  throw std::invalid_argument("'" + text + "' is no number");
}

ordered_json witness_json(const std::optional<Witness>& w) {
  if (!w) return nullptr;
  return {{"output", w->output},         {"element", w->element},
          {"inputs", w->inputs},         {"got", w->got},
          {"admissible", w->admissible}, {"exact", w->exact}};
}

std::optional<Witness> witness_from(const ordered_json& j) {
  if (j.is_null()) return std::nullopt;
  Witness w;
  w.output = j.at("output").get<int>();
  w.element = j.at("element").get<std::int64_t>();
  w.inputs = j.at("inputs").get<std::string>();
  w.got = j.at("got").get<std::string>();
  w.admissible = j.at("admissible").get<std::string>();
  w.exact = j.at("exact").get<std::string>();
  return w;
}

template <class E>
E named(const ordered_json& j, const char* field,
        std::optional<E> (*parse)(const std::string&)) {
  const auto text = j.at(field).get<std::string>();
  const std::optional<E> value = parse(text);
  if (!value) {
    throw std::invalid_argument(fmt::format("unknown {} '{}'", field, text));
  }
  return *value;
}

}  // namespace

ordered_json to_json(const CaseResult& r) {
  ordered_json out = {{"case", r.case_path},
                      {"column", r.column},
                      {"status", status_name(r.status)},
                      {"class", failure_name(r.failure)},
                      {"verdict", verdict_name(r.verdict)},
                      {"clause", r.clause},
                      {"evidence", evidence_name(r.evidence)},
                      {"error_over_bound", number(r.error_over_bound)},
                      {"wrong_elements", r.wrong_elements},
                      {"elements", r.elements},
                      {"reason", r.reason},
                      {"witness", witness_json(r.witness)},
                      {"known", r.known},
                      {"known_link", r.known_link},
                      {"output_hash", fmt::format("{:016x}", r.output_hash)},
                      {"seconds", std::round(r.seconds * 1e6) / 1e6}};
  // Of subjects that tell; others' records have no such field.
  if (r.lowering != Lowering::untold) {
    out["lowering"] = lowering_name(r.lowering);
  }
  return out;
}

Result<CaseResult> result_from_json(const ordered_json& j) {
  try {
    CaseResult r;
    r.case_path = j.at("case").get<std::string>();
    r.column = j.at("column").get<std::string>();
    r.status = named(j, "status", parse_status);
    r.failure = named(j, "class", parse_failure);
    r.verdict = named(j, "verdict", parse_verdict);
    r.clause = j.at("clause").get<std::string>();
    r.evidence = named(j, "evidence", parse_evidence);
    r.error_over_bound = number_from(j.at("error_over_bound"));
    r.wrong_elements = j.at("wrong_elements").get<std::int64_t>();
    r.elements = j.at("elements").get<std::int64_t>();
    r.reason = j.at("reason").get<std::string>();
    r.witness = witness_from(j.at("witness"));
    r.known = j.at("known").get<bool>();
    r.known_link = j.at("known_link").get<std::string>();
    r.output_hash =
        std::stoull(j.at("output_hash").get<std::string>(), nullptr, 16);
    r.seconds = j.at("seconds").get<double>();
    if (j.contains("lowering")) {
      r.lowering = named(j, "lowering", parse_lowering);
    }
    return r;
  } catch (const std::exception& e) {
    return Error{e.what()};
  }
}

std::string json_line(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace assay::harness
