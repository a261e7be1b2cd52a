// Operations whose lanes are worked out one by one by an ordinary function:
// what is too involved, or too rare, for vector code.
#ifndef ASSAY_PTX_LANES_SCALAR_LANES_H_
#define ASSAY_PTX_LANES_SCALAR_LANES_H_

#include <bit>
#include <cstddef>
#include <cstdint>

#include "ptx/machine/operation.h"

namespace assay::ptx {

template <class T>
T* lane_slot(std::byte* frame, std::uint32_t offset) {
  return reinterpret_cast<T*>(frame + offset);
}

template <class F>
void each_set_lane(std::uint32_t mask, F f) {
  for (; mask != 0; mask &= mask - 1)
    f(static_cast<unsigned>(std::countr_zero(mask)));
}

// F(imm, a) and its kin, as LanesRuns.
template <auto F, class D, class A>
void lanes1(std::byte* frame, const Operation& op, std::uint32_t mask) {
  each_set_lane(mask, [&](unsigned l) {
    lane_slot<D>(frame, op.d)[l] =
        static_cast<D>(F(op.imm, lane_slot<A>(frame, op.a)[l]));
  });
}
template <auto F, class D, class A, class B>
void lanes2(std::byte* frame, const Operation& op, std::uint32_t mask) {
  each_set_lane(mask, [&](unsigned l) {
    lane_slot<D>(frame, op.d)[l] = static_cast<D>(
        F(op.imm, lane_slot<A>(frame, op.a)[l], lane_slot<B>(frame, op.b)[l]));
  });
}
template <auto F, class D, class A, class B, class C>
void lanes3(std::byte* frame, const Operation& op, std::uint32_t mask) {
  each_set_lane(mask, [&](unsigned l) {
    lane_slot<D>(frame, op.d)[l] = static_cast<D>(
        F(op.imm, lane_slot<A>(frame, op.a)[l], lane_slot<B>(frame, op.b)[l],
          lane_slot<C>(frame, op.c)[l]));
  });
}
template <auto F, class D, class A, class B, class C, class E>
void lanes4(std::byte* frame, const Operation& op, std::uint32_t mask) {
  each_set_lane(mask, [&](unsigned l) {
    lane_slot<D>(frame, op.d)[l] = static_cast<D>(
        F(op.imm, lane_slot<A>(frame, op.a)[l], lane_slot<B>(frame, op.b)[l],
          lane_slot<C>(frame, op.c)[l], lane_slot<E>(frame, op.e)[l]));
  });
}
// A predicate of one operand.
template <auto F, class A>
void predicate1(std::byte* frame, const Operation& op, std::uint32_t mask) {
  std::uint32_t bits = 0;
  each_set_lane(mask, [&](unsigned l) {
    if (F(op.imm, lane_slot<A>(frame, op.a)[l])) bits |= std::uint32_t{1} << l;
  });
  std::uint32_t& to = *lane_slot<std::uint32_t>(frame, op.d);
  to = (to & ~mask) | bits;
}
// Predicates as masks: F(imm, a, b, c) of all lanes at once.
template <auto F>
void predicates(std::byte* frame, const Operation& op, std::uint32_t mask) {
  std::uint32_t bits = F(op.imm, *lane_slot<std::uint32_t>(frame, op.a),
                         *lane_slot<std::uint32_t>(frame, op.b),
                         *lane_slot<std::uint32_t>(frame, op.c));
  std::uint32_t& to = *lane_slot<std::uint32_t>(frame, op.d);
  to = (to & ~mask) | (bits & mask);
}

}  // namespace assay::ptx

#endif  // ASSAY_PTX_LANES_SCALAR_LANES_H_
