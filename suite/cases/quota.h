// How many cases are made, and why so many: the one place for these numbers.
#ifndef ASSAY_SUITE_CASES_QUOTA_H_
#define ASSAY_SUITE_CASES_QUOTA_H_

#include <cstddef>
#include <cstdint>

namespace assay::cases {

// The standard profile is what one waits for: a compiler that takes
// 0.1 s per packed case and 0.5 s per unpacked one must be through about 170
// operations in two minutes. It is a subset of the full profile in
// which each value of each axis occurs at least once per operation.

// Valid cases alone, per operation: enough for every case group, type, layout
// and sweep value of the larger specs to occur once.
inline constexpr std::size_t kStandardAlone = 8;
// Boundary cases per operation: every type once, every clause once.
inline constexpr std::size_t kStandardBoundaries = 3;
// Boundary cases with stored values (`solved`): every type once.
inline constexpr std::size_t kStandardSolved = 4;
// Cases in contexts per operation. Which contexts these are rotates by
// operation, so that the whole set shows every context many times.
inline constexpr std::size_t kStandardContexts = 3;
// Those whose operand is one number, beside them: NaN, infinity and zero once.
inline constexpr std::size_t kStandardFilled = 3;
// Invalid inputs per requirement: they cannot share a compiled program, so
// they cost most. One each is about 580; requirements with a public report
// behind them get more, in varied ranks, types and contexts.
inline constexpr std::size_t kStandardNegatives = 1;
inline constexpr std::size_t kStandardReportedNegatives = 3;

// Valid cases alone per operation in the full profile. Only binary operations
// whose groups cross eight types with eight have more; those left out repeat
// a pair of types at another size.
inline constexpr std::size_t kFullAlone = 256;
// Invalid inputs per requirement in the full profile: beyond some forty they
// repeat a mutation on yet another shape.
inline constexpr std::size_t kFullNegatives = 16;
// Invalid inputs per requirement in contexts, in the full profile.
inline constexpr std::size_t kFullCompany = 8;
// Valid cases per operation that are put into every context in the full
// profile, one per case group and type while they last.
inline constexpr std::size_t kFullContextBases = 8;

// Beside these, cases of few narrow integers: less than a vector of them is
// computed by scalar code, in which C's int takes the place of their type.
inline constexpr std::size_t kFullFewContextBases = 2;

// In the contexts that stand around calls of each group: more, since what is
// special about a call (an attribute of its own, no dimension) is the question.
inline constexpr std::size_t kFullEverywhereBases = 16;
inline constexpr std::int64_t kFewElements = 7;

// Valid cases from which invalid inputs are derived, chosen to differ in
// rank, type and attributes. Each costs a few hundred evaluations of the
// requirements.
inline constexpr std::size_t kNegativeBases = 8;
// Pairs of mutations tried for a requirement that no single one breaks alone.
inline constexpr std::size_t kPairBudget = 6000;

// Elements that a case may have and still share a compiled program: packing is
// meant to save compile time, not to make one slow program of large ones.
inline constexpr std::int64_t kPackableElements = 1 << 17;
// Elements above which a case is not put into contexts or made invalid: what
// shows there shows at smaller sizes.
inline constexpr std::int64_t kCompanyElements = 4096;

// Boundary cases are this long: 32 lanes that are full vectors at widths 4 to
// 32, and a tail of 7, the longest that is a tail at widths 8, 16 and 32.
inline constexpr std::int64_t kBoundaryBody = 32;
inline constexpr std::int64_t kBoundaryTail = 7;

}  // namespace assay::cases

#endif  // ASSAY_SUITE_CASES_QUOTA_H_
