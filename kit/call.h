// One call of a program, as an operation sees it: its attributes by position
// or name, its operands by type.
#ifndef ASSAY_KIT_CALL_H_
#define ASSAY_KIT_CALL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/program.h"
#include "kit/failure.h"
#include "kit/view.h"

namespace assay::kit {

// A tensor or a Python number in the place of an operand. A number has the
// dtype that it counts as in promotion: bool, i64, or f32 for a float.
struct Operand {
  bool is_number = false;
  DType dtype = DType::f32;
  Shape sizes;           // none of a number
  std::size_t view = 0;  // of a tensor: its place among the call's operands
  Arg number;            // of a number: bool, i64 or double

  bool has_dimensions() const { return !sizes.empty(); }
};

class Call {
 public:
  // `operands` are the types of the tensors that the node names, in order, its
  // keyword arguments last. `node` must outlive it.
  Call(const Node& node, std::vector<TensorType> operands);

  const std::string& op() const { return node_.op; }
  const std::vector<TensorType>& operand_types() const { return types_; }

  // An argument; nullptr where it is left out or none.
  const Arg* find(std::size_t position) const;
  const Arg* find(std::string_view keyword) const;

  // An argument of type T: bool, std::int64_t, double, DType, std::string or
  // std::vector<std::int64_t>. The fallback where it is left out; Unsupported
  // where it is something else.
  template <class T, class Place>
  T get(Place place, T fallback) const {
    const Arg* arg = find(place);
    if (arg == nullptr) return fallback;
    const T* value = std::get_if<T>(arg);
    if (value == nullptr) throw Unsupported{unexpected(place)};
    return *value;
  }
  // A Python number of whichever kind: bool, i64 or double.
  template <class Place>
  Arg number(Place place, Arg fallback) const {
    const Arg* arg = find(place);
    if (arg == nullptr) return fallback;
    if (!is_number(*arg)) throw Unsupported{unexpected(place)};
    return *arg;
  }

  // What stands at a position: Unsupported unless it is a tensor or a number.
  Operand operand(std::size_t position) const;
  // The first N positions.
  template <std::size_t N>
  std::array<Operand, N> operands() const {
    std::array<Operand, N> out;
    for (std::size_t i = 0; i < N; ++i) out[i] = operand(i);
    return out;
  }

  static bool is_number(const Arg& arg);

 private:
  std::string unexpected(std::size_t position) const;
  std::string unexpected(std::string_view keyword) const;

  const Node& node_;
  std::vector<TensorType> types_;
};

// What an operation makes of a call before there are elements: the results'
// types, and the work. `run` may throw Raised, for promises about values.
struct Plan {
  std::vector<TensorType> results;
  std::function<void(const std::vector<View>& operands,
                     const std::vector<View>& results)>
      run;
};

// One function per operation. It throws Raised for a call that PyTorch
// refuses, and Unsupported for one that it leaves to others.
using Operation = std::function<Plan(const Call&)>;

}  // namespace assay::kit

#endif  // ASSAY_KIT_CALL_H_
