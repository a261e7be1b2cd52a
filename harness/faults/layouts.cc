// Results whose elements are right and lie in other places than promised, or
// in another's memory.
#include <utility>

#include "harness/faults/fault.h"
#include "harness/judge/judge.h"

namespace assay::harness::faults {
namespace {

// A fresh row-major tensor whatever the operands are.
void always_row_major(const Outputs& outputs,
                      std::vector<ReturnedLayout>* layouts) {
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    (*layouts)[k] = {contiguous_strides(outputs[k].sizes()), 0};
  }
}

// The strides of the first two dimensions exchanged: a permutation applied
// where its inverse was due does that to three dimensions, and to more.
void outer_strides_exchanged(const Outputs&,
                             std::vector<ReturnedLayout>* layouts) {
  for (ReturnedLayout& l : *layouts) {
    if (l.strides.size() >= 2) std::swap(l.strides[0], l.strides[1]);
  }
}

// Each dimension as far apart as it is in a storage of twice the size.
void gaps_kept(const Outputs&, std::vector<ReturnedLayout>* layouts) {
  for (ReturnedLayout& l : *layouts) {
    for (std::int64_t& s : l.strides) s *= 2;
  }
}

// A result has an element of its storage before the first, as the operand has.
void offset_kept(const Outputs&, std::vector<ReturnedLayout>* layouts) {
  for (ReturnedLayout& l : *layouts) l.storage_offset = 1;
}

// Nothing is copied where every element stays as it is.
void first_input_returned(const Outputs&,
                          std::vector<ReturnedLayout>* layouts) {
  layouts->front().storage = 0;
}

// Two results with the same elements become one.
void equal_results_merged(const Outputs&,
                          std::vector<ReturnedLayout>* layouts) {
  for (ReturnedLayout& l : *layouts) l.storage = layouts->front().storage;
}

// Each result is written out, with the strides of the view that was due.
void each_in_memory_of_its_own(const Outputs&,
                               std::vector<ReturnedLayout>* layouts) {
  constexpr std::int64_t kBeyondAllValues = 1000;
  for (std::size_t k = 0; k < layouts->size(); ++k) {
    (*layouts)[k].storage = kBeyondAllValues + static_cast<std::int64_t>(k);
  }
}

}  // namespace

std::vector<Fault> layout_faults() {
  const auto fault = [](std::string name, std::string spec,
                        std::vector<std::string> cases, auto layouts,
                        const char* clause = kLayoutClause) {
    Fault f;
    f.name = std::move(name);
    f.spec = std::move(spec);
    f.cases = std::move(cases);
    f.clauses = {clause};
    f.failure = FailureClass::metadata;
    f.layouts = layouts;
    return f;
  };
  const auto sharing = [&fault](std::string name, std::string spec,
                                auto layouts) {
    return fault(std::move(name), std::move(spec), {"*"}, layouts,
                 kSharingClause);
  };
  return {
      fault("PermutationOfOperandsLost", "neg", {"C3/*/transposed"},
            always_row_major),
      fault("PermutationOfFirstOperandLost", "add", {"*/transposed"},
            always_row_major),
      fault("GapsOfOperandKept", "neg", {"C3/*/strided"}, gaps_kept),
      fault("OffsetOfOperandKept", "neg", {"C3/*/offset"}, offset_kept),
      fault("ExpansionWrittenOut", "expand", {"C1/*"}, always_row_major),
      fault("SliceCopied", "slice", {"*"}, always_row_major),
      fault("PermutationInverted", "permute", {"C3/*"},
            outer_strides_exchanged),
      fault("AskedFormatIgnored", "clone",
            {"C7/f32/2x3x4x5/memory_format=channels_last*"}, always_row_major),
      fault("ScanKeepsOrderOfOperand", "cumsum", {"*/transposed"},
            outer_strides_exchanged),
      sharing("CopyIsItsOperand", "clone", first_input_returned),
      fault("IdentityIsItsOperand", "channel_shuffle", {"C2/*groups=1"},
            first_input_returned, kSharingClause),
      sharing("ViewCopied", "slice", each_in_memory_of_its_own),
      sharing("PiecesCopied", "split", each_in_memory_of_its_own),
      sharing("WrittenOperandCopied", "add_", each_in_memory_of_its_own),
      sharing("CopiesMerged", "copies_returned", equal_results_merged),
      sharing("ComputedOnceForTwo", "computed_twice", equal_results_merged),
      sharing("ViewsOfOneTensorApart", "views_returned",
              each_in_memory_of_its_own),
  };
}

}  // namespace assay::harness::faults
