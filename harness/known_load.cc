#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/known.h"
#include "suite/case.h"

namespace assay {
namespace {

const std::set<std::string> kFields = {"case",   "clause", "status",
                                       "reason", "link",   "max_error",
                                       "where",  "expires"};

class Reader {
 public:
  Reader(std::string file, const std::map<std::string, std::string>& facts)
      : file_(std::move(file)), facts_(facts) {}

  Result<KnownList> read() {
    YAML::Node root;
    try {
      root = YAML::LoadFile(file_);
    } catch (const YAML::Exception& e) {
      return Error{fmt::format("{}:{}:{}: {}", file_, e.mark.line + 1,
                               e.mark.column + 1, e.msg)};
    }
    KnownList out;
    out.file = file_;
    if (root.IsNull()) return out;
    if (!root.IsSequence()) {
      fault(root, "expected a list of entries, each '- case: PATTERN'");
    } else {
      for (const YAML::Node& node : root) entry(node, &out);
    }
    if (errors_.empty()) return out;
    return Error{fmt::format("{}", fmt::join(errors_, "\n"))};
  }

 private:
  void fault(const YAML::Node& at, const std::string& what) {
    const YAML::Mark mark = at.Mark();
    errors_.push_back(fmt::format("{}:{}:{}: {}", file_, mark.line + 1,
                                  mark.column + 1, what));
  }

  // The text of a scalar field that must be there and not empty.
  std::string text(const YAML::Node& entry, const char* name) {
    const YAML::Node field = entry[name];
    if (!field) {
      fault(entry, fmt::format("'{}' is missing", name));
    } else if (!field.IsScalar() || field.Scalar().empty()) {
      fault(field, fmt::format("'{}' must be a text", name));
    } else {
      return field.Scalar();
    }
    return {};
  }

  void cases(const YAML::Node& entry, KnownFailure* out) {
    const YAML::Node field = entry["case"];
    if (!field || !field.IsSequence()) {
      out->cases.push_back(text(entry, "case"));
      return;
    }
    for (const YAML::Node& one : field) {
      if (one.IsScalar() && !one.Scalar().empty()) {
        out->cases.push_back(one.Scalar());
      } else {
        fault(one, "a case pattern must be a text");
      }
    }
    if (out->cases.empty()) fault(field, "'case' lists no pattern");
  }

  void status(const YAML::Node& entry, KnownFailure* out) {
    const std::string name = text(entry, "status");
    if (name.empty()) return;
    if (name == "fail") {
      out->status = CellStatus::fail;
    } else if (name == "crash") {
      out->status = CellStatus::crash;
    } else if (name == "flaky") {
      out->status = CellStatus::flaky;
    } else if (name == "quality_warning") {
      out->status = CellStatus::quality_warning;
    } else {
      fault(entry["status"],
            fmt::format("status '{}' cannot be known; only fail, crash, flaky "
                        "and quality_warning can",
                        name));
    }
  }

  void max_error(const YAML::Node& entry, KnownFailure* out) {
    const YAML::Node field = entry["max_error"];
    if (!field) return;
    double value = 0;
    if (!field.IsScalar() || !YAML::convert<double>::decode(field, value) ||
        !std::isfinite(value) || value < 0) {
      fault(field, "'max_error' must be a number, at least 0");
      return;
    }
    out->max_error = value;
  }

  // False where the entry is about other machines.
  bool where(const YAML::Node& entry, KnownFailure* out) {
    const YAML::Node field = entry["where"];
    if (!field) return true;
    if (!field.IsMap()) {
      fault(field, "'where' must be a map of facts, {isa: avx512}");
      return true;
    }
    bool holds = true;
    for (const auto& item : field) {
      const std::string name = item.first.Scalar();
      const auto fact = facts_.find(name);
      if (fact == facts_.end()) {
        fault(item.first, fmt::format("the column has no fact '{}'; it has: {}",
                                      name, known_facts()));
        continue;
      }
      out->where[name] = item.second.Scalar();
      holds = holds && matches(fact->second, {item.second.Scalar()});
    }
    return holds;
  }

  void expires(const YAML::Node& entry, KnownFailure* out) {
    const YAML::Node field = entry["expires"];
    if (!field) return;
    const std::string day = field.IsScalar() ? field.Scalar() : "";
    bool good = day.size() == 10 && day[4] == '-' && day[7] == '-';
    for (std::size_t i = 0; good && i < day.size(); ++i) {
      good = i == 4 || i == 7 || (day[i] >= '0' && day[i] <= '9');
    }
    if (!good) fault(field, "'expires' must be a day, YYYY-MM-DD");
    out->expires = day;
  }

  void entry(const YAML::Node& node, KnownList* out) {
    if (!node.IsMap()) {
      fault(node, "expected an entry, '- case: PATTERN' and its fields");
      return;
    }
    std::set<std::string> seen;
    for (const auto& item : node) {
      const std::string name =
          item.first.IsScalar() ? item.first.Scalar() : std::string("?");
      if (kFields.count(name) == 0) {
        fault(item.first, fmt::format("unknown field '{}'; the fields are {}",
                                      name, fmt::join(kFields, ", ")));
      } else if (!seen.insert(name).second) {
        fault(item.first, fmt::format("duplicate field '{}'", name));
      }
    }
    KnownFailure known;
    known.line = node.Mark().line + 1;
    cases(node, &known);
    known.clause = text(node, "clause");
    status(node, &known);
    known.reason = text(node, "reason");
    known.link = text(node, "link");
    max_error(node, &known);
    expires(node, &known);
    if (where(node, &known)) out->entries.push_back(std::move(known));
  }

  std::string known_facts() const {
    std::vector<std::string> names;
    for (const auto& [name, value] : facts_) names.push_back(name);
    return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
  }

  std::string file_;
  const std::map<std::string, std::string>& facts_;
  std::vector<std::string> errors_;
};

}  // namespace

std::filesystem::path known_path(const std::filesystem::path& dir,
                                 const std::string& column) {
  std::string name = column;
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       (c >= '0' && c <= '9');
    if (!plain && std::string_view("@._+=-/").find(c) == std::string::npos) {
      c = '_';
    }
  }
  // A column cannot lead out of the folder.
  for (std::size_t at = 0; (at = name.find("..", at)) != std::string::npos;) {
    name.replace(at, 2, "__");
  }
  while (!name.empty() && name.front() == '/') name.front() = '_';
  return dir / (name + ".yaml");
}

Result<KnownList> load_known(const std::filesystem::path& file,
                             const std::map<std::string, std::string>& facts) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    return KnownList{file.string(), {}};
  }
  return Reader(file.string(), facts).read();
}

}  // namespace assay
