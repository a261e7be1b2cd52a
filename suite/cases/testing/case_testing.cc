#include "suite/cases/testing/case_testing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "core/writes.h"
#include "suite/language/bind/bind.h"
#include "suite/language/bind/places.h"
#include "suite/language/load.h"

namespace assay::cases {
namespace {

struct Loaded {
  language::SpecSet specs;
  std::optional<Expansion> expansion;
  std::vector<bool> standard_by_quota;
  std::map<std::string, Expansion> rows;
};

Loaded& load(const std::string& dir) {
  static std::map<std::string, std::unique_ptr<Loaded>> cache;
  auto& entry = cache[dir];
  if (entry == nullptr) {
    language::LoadResult result =
        language::load_specs(std::string(ASSAY_SOURCE_DIR) + "/" + dir);
    for (const language::Diagnostic& d : result.errors)
      ADD_FAILURE() << language::to_string(d);
    entry = std::make_unique<Loaded>();
    entry->specs = std::move(result.specs);
  }
  return *entry;
}

}  // namespace

const language::SpecSet& specs_of(const std::string& dir) {
  return load(dir).specs;
}

const Expansion& expansion_of(const std::string& dir) {
  Loaded& loaded = load(dir);
  if (!loaded.expansion) {
    loaded.expansion = expand_by_quota(loaded.specs);
    for (const Case& c : loaded.expansion->cases) {
      loaded.standard_by_quota.push_back(c.is_in(Profile::standard));
    }
    mark_quick(loaded.specs.quick, {}, &*loaded.expansion);
  }
  return *loaded.expansion;
}

const std::vector<bool>& standard_by_quota(const std::string& dir) {
  expansion_of(dir);
  return load(dir).standard_by_quota;
}

const Expansion& expansion_of_row(const std::string& dir,
                                  const std::string& row) {
  Loaded& loaded = load(dir);
  const auto known = loaded.rows.find(row);
  if (known != loaded.rows.end()) return known->second;
  const auto is_it = [&](const std::string& name) { return name == row; };
  return loaded.rows.emplace(row, expand(loaded.specs, is_it)).first->second;
}

const Case* find_case(const Expansion& e, const std::string& path) {
  const auto it = std::lower_bound(
      e.cases.begin(), e.cases.end(), path,
      [](const Case& c, const std::string& p) { return c.path < p; });
  return it != e.cases.end() && it->path == path ? &*it : nullptr;
}

const Case* find_case(const std::string& dir, const std::string& path) {
  return find_case(expansion_of_row(dir, path.substr(0, path.find('/'))), path);
}

std::vector<std::string> broken_promises(const language::SpecSet& specs,
                                         const Case& c, bool* undecided) {
  *undecided = false;
  const std::vector<Tensor> inputs = c.make_inputs();
  const Storages storages(c.program);
  language::Places places(c.program, storages);
  std::map<int, language::TensorArg> values;
  int id = 0;
  const auto define = [&](const TensorType& type, const Tensor* value) {
    language::TensorArg arg;
    arg.type = type;
    arg.value = value;
    arg.ref = {id};
    arg.place = places.of(arg.ref);
    values.emplace(id++, std::move(arg));
  };
  for (const Tensor& t : inputs) define(t.type, &t);
  for (const Tensor& t : c.program.constants) define(t.type, &t);
  std::vector<std::string> broken;
  std::map<int, language::Binding> calls;
  for (const Node& node : c.program.nodes) {
    if (const auto further = further_output(node)) {
      const Result<TensorType> type =
          language::bind_further(further->output, {values.at(further->call.id)},
                                 &calls.at(further->call.id));
      if (!type) {
        ADD_FAILURE() << c.path << ": " << type.error().message;
        return broken;
      }
      if (!places.follow(calls.at(further->call.id), further->output, *type)) {
        ADD_FAILURE() << c.path << ": where " << node.op << " lies";
      }
      define(*type, nullptr);
      continue;
    }
    const language::OpSpec* spec = language::spec_of_call(
        specs, node,
        [&](ValueRef v) { return is_complex(values.at(v.id).type.dtype); });
    Result<language::Binding> b = language::bind_call(*spec, node, values);
    if (!b) {
      ADD_FAILURE() << c.path << ": " << b.error().message;
      return broken;
    }
    for (const language::Requirement& r : spec->requires_) {
      const Result<language::StaticValue> holds =
          language::evaluate_static(*r.that, *b);
      if (!holds) {
        *undecided = *undecided || broken.empty();
      } else if (!std::get<bool>(*holds)) {
        broken.push_back(spec->name + "/" + r.id);
      }
    }
    if (!broken.empty()) return broken;
    const Status form = language::select_form(&*b);
    const Result<TensorType> type =
        form ? language::infer_result(*b) : Result<TensorType>(form.error());
    if (!type) {
      ADD_FAILURE() << c.path << ": " << type.error().message;
      return broken;
    }
    if (!places.follow(*b, 0, *type)) {
      ADD_FAILURE() << c.path << ": where " << node.op << " lies";
    }
    calls.emplace(id, std::move(*b));
    define(*type, nullptr);
  }
  return broken;
}

}  // namespace assay::cases
