// The scalar math text in an order in which each file has what it needs. To be
// included within a namespace, once in each: math.h does so for the
// interpreters, compiler/blocks/ for code of more elements at a time.
#include "compiler/math/basic.inc"
//
#include "compiler/math/e8m0.inc"
#include "compiler/math/half.inc"
#include "compiler/math/integer.inc"
#include "compiler/math/logic.inc"
//
#include "compiler/math/f32/atan_f32.inc"
#include "compiler/math/f32/exp_f32.inc"
#include "compiler/math/f32/log_f32.inc"
#include "compiler/math/f32/log_short.inc"
#include "compiler/math/f32/trig_f32.inc"
#include "compiler/math/rsqrt.inc"
//
#include "compiler/math/f32/erf_f32.inc"
#include "compiler/math/f32/hyperbolic_f32.inc"
#include "compiler/math/f32/inverse_hyperbolic_f32.inc"
#include "compiler/math/f32/lgamma_f32.inc"
#include "compiler/math/f32/pow_f32.inc"
#include "compiler/math/f32/sigmoid_f32.inc"
#include "compiler/math/f32/tanh_f32.inc"
//
#include "compiler/math/f32/gelu_f32.inc"
//
#include "compiler/math/atan.inc"
#include "compiler/math/exp.inc"
#include "compiler/math/log.inc"
#include "compiler/math/trig.inc"
//
#include "compiler/math/binary.inc"
#include "compiler/math/erf.inc"
#include "compiler/math/float8.inc"
#include "compiler/math/hyperbolic.inc"
#include "compiler/math/inverse_hyperbolic.inc"
#include "compiler/math/pow.inc"
#include "compiler/math/sigmoid.inc"
#include "compiler/math/tanh.inc"
//
#include "compiler/math/gelu.inc"
#include "compiler/math/lgamma.inc"
//
#include "compiler/math/series.inc"
//
#include "compiler/math/bessel.inc"
#include "compiler/math/gamma_pq.inc"
#include "compiler/math/zeta.inc"
//
#include "compiler/math/polygamma.inc"
