// A plugin made of operations: give them names, and the kit is the rest of
// assay/plugin.h. It reads programs, calls one function per call to plan it,
// refuses what they refuse, and runs the calls one after the other.
//
//   const kit::Product kProduct = {
//       "acme", "1.0", "cpu", {{"aten.neg.default", neg}, ...}};
//   ASSAY_KIT_PLUGIN(kProduct)
#ifndef ASSAY_KIT_PRODUCT_H_
#define ASSAY_KIT_PRODUCT_H_

#include <cstdint>
#include <map>
#include <string>

#include "assay/plugin.h"
#include "kit/call.h"

namespace assay::kit {

struct Product {
  std::string name;     // the first part of its column's name
  std::string version;  // of the product
  std::string targets;  // space-separated, the default first
  std::map<std::string, Operation> operations;  // by qualified ATen overload
};

// The table of assay_plugin_query. One product per shared object, which must
// outlive it.
const AssayPlugin* plugin_of(const Product& product,
                             std::uint32_t host_abi_major);

}  // namespace assay::kit

#define ASSAY_KIT_PLUGIN(product)                                      \
  extern "C" __attribute__((visibility("default"))) const AssayPlugin* \
  assay_plugin_query(uint32_t host_abi_major, uint32_t) {              \
    return assay::kit::plugin_of(product, host_abi_major);             \
  }

#endif  // ASSAY_KIT_PRODUCT_H_
