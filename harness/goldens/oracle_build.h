// Which build of the oracle this program has: a hash of its libraries, made
// when they were (cmake/oracle_build.cmake).
#ifndef ASSAY_HARNESS_GOLDENS_ORACLE_BUILD_H_
#define ASSAY_HARNESS_GOLDENS_ORACLE_BUILD_H_

namespace assay::harness {

const char* oracle_build();

}  // namespace assay::harness

#endif  // ASSAY_HARNESS_GOLDENS_ORACLE_BUILD_H_
