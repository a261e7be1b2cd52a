// From YAML trees to the model: one function per kind of file. Faults are
// collected; what could be read is returned, for further checks.
#ifndef ASSAY_SUITE_READ_OP_H_
#define ASSAY_SUITE_READ_OP_H_

#include <map>
#include <string>
#include <vector>

#include "suite/read_fields.h"

namespace assay {

// Named sets of shapes (specs/sweeps.yaml).
using Sweeps = std::map<std::string, std::vector<SymbolSizes>>;

// What operations share: sweeps.yaml and boundaries.yaml.
struct Shared {
  Sweeps sweeps;
  SolvedSet solved;
};

Sweeps read_sweeps(const YamlNode& root, Faults* faults);
SolvedSet read_solved(const YamlNode& root, Faults* faults);
OpSpec read_op(const YamlNode& root, const Shared& shared, Faults* faults);
ProgramSpec read_program(const YamlNode& root, Faults* faults);
std::vector<ContextSpec> read_contexts(const YamlNode& root, Faults* faults);

// Does the parameter take tensors?
bool is_tensor(const Param& p);

// Parts of read_op.
Requirement read_requirement(const std::string& id, const YamlNode& key,
                             const YamlNode& body, Faults* faults);
Accuracy read_accuracy(const std::string& id, const YamlNode& key,
                       const YamlNode& body, Faults* faults);
std::vector<Param> read_params(const YamlNode& n, Faults* faults);
ShapePattern read_shape_pattern(const YamlNode& n, Faults* faults);
std::vector<SymbolSizes> read_bindings(const YamlNode& n, Faults* faults);
void read_shapes(const YamlNode& n, const OpSpec& op, const Sweeps& sweeps,
                 CaseGroup* group, Faults* faults);
// "T.1" and "tensors.1" speak of member 1 of a list: "T" and "tensors".
std::string without_member(const std::string& key);
CaseGroup read_case_group(const std::string& id, const YamlNode& key,
                          const YamlNode& body, const OpSpec& op,
                          const Sweeps& sweeps, Faults* faults);
Boundary read_boundary(const std::string& id, const YamlNode& key,
                       const YamlNode& body, const OpSpec& op,
                       const SolvedSet& solved, Faults* faults);
// {param: value} for parameters that are no tensors.
std::map<std::string, Arg> read_attrs(const YamlNode& n, const OpSpec& op,
                                      Faults* faults);

// Parts of read_program and read_contexts: `name: aten.op.overload(args)`.
std::vector<Step> read_steps(const YamlNode& n, Faults* faults);

}  // namespace assay

#endif  // ASSAY_SUITE_READ_OP_H_
