// What a nest is made of, as far as it decides in which type it is computed.
#ifndef ASSAY_COMPILER_DERIVED_PARTS_H_
#define ASSAY_COMPILER_DERIVED_PARTS_H_

#include "suite/language/nest/nest.h"

namespace assay::compiler {

// Of the value and the special values of a nest. It holds its accuracy's
// expressions, too, and those may decide nothing here.
class Parts {
 public:
  explicit Parts(const language::Nest& nest);

  bool has_floats() const { return floats_; }
  // The float type that reals are computed in.
  DType wide() const { return wide_ || !floats_ ? DType::f64 : DType::f32; }
  // The float type that sums are computed in, with their terms. The range of a
  // sum of squares is twice that of the elements, until what follows, a root or
  // a quotient, brings it back.
  DType of_sums() const { return squares_ ? DType::f64 : wide(); }

 private:
  void value(int id);
  void index(int id);
  void access(int id);
  bool has_square(int id) const;

  const language::Nest& nest_;
  bool floats_;
  bool wide_;
  bool squares_ = false;
};

}  // namespace assay::compiler

#endif  // ASSAY_COMPILER_DERIVED_PARTS_H_
