// Arb's balls, which free themselves.
#ifndef ASSAY_REFERENCE_NUMBERS_BALL_H_
#define ASSAY_REFERENCE_NUMBERS_BALL_H_

#include <arb.h>

namespace assay::reference {

class Ball {
 public:
  Ball() { arb_init(x_); }
  ~Ball() { arb_clear(x_); }
  Ball(const Ball&) = delete;
  Ball& operator=(const Ball&) = delete;
  operator arb_ptr() { return x_; }  // NOLINT(google-explicit-constructor)

 private:
  arb_t x_;
};

}  // namespace assay::reference

#endif  // ASSAY_REFERENCE_NUMBERS_BALL_H_
